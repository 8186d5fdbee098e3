//! Small cases whose every moment was worked out on paper.

use std::ops::ControlFlow;

use retrysim_core::{
    Plan, RunConfig, Scenario,
    record::{Attempt, Outcome, Recorder},
    simulate::record,
};

use crate::{one, scenario};

/// Attempts as their clients saw them: client, number, when sent, when over, how.
#[derive(Default)]
struct Attempts(Vec<(u32, u32, f64, f64, Outcome)>);

impl Recorder for Attempts {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let Attempt { call, start, end, outcome, .. } = attempt;
        self.0.push((call.client, call.attempt, *start, *end, *outcome));
    }
}

fn attempts(scenario: &Scenario) -> Vec<(u32, u32, f64, f64, Outcome)> {
    let config = RunConfig::new(Plan::Runs { seed: 1, runs: 1 });
    let (_, mut seen) =
        record(scenario, &["p"], &config, Attempts::default, &|| ControlFlow::Continue(())).unwrap();
    seen.remove(0).0
}

/// Four clients that call at once, one worker that takes a second.
fn four(service: &str, policy: &str) -> Scenario {
    scenario(
        &format!(
            "horizon = '100s'
             workload = {{ kind = 'burst', clients = 4 }}
             [service]
             kind = 'workers'
             workers = 1
             work = {{ constant = '1s' }}
             {service}"
        ),
        policy,
    )
}

#[test]
fn first_come_first_served() {
    let seen = attempts(&four("", "stop = { attempts = 1 }"));
    let expected = [0, 1, 2, 3].map(|client| (client, 1, 0.0, f64::from(client + 1), Outcome::Ok));
    assert_eq!(seen, expected);
}

#[test]
fn last_come_first_served() {
    let seen = attempts(&four("order = 'lifo'", "stop = { attempts = 1 }"));
    let clients: Vec<u32> = seen.iter().map(|attempt| attempt.0).collect();
    assert_eq!(clients, [0, 3, 2, 1]);
}
