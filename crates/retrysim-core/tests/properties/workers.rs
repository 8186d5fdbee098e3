//! What holds for workers and the clients that wait for them.

use proptest::prelude::*;
use retrysim_core::{
    Generator, Policy, Scenario, Span,
    callers::Decision,
    latency::Latency,
    record::{Attempt, Outcome, Recorder},
    scenario::{Open, Workload},
    service::{Order, Service, Workers},
};

use crate::{cases, generate, run, watch};

fn workers(scenario: &Scenario) -> &Workers {
    let Service::Workers(service) = &scenario.service else { unreachable!("workers") };
    service
}

/// What clients saw.
#[derive(Default)]
struct Seen {
    attempts: [u32; 4],
    given_up: u32,
    /// Waits for the answers that counted.
    waits: Vec<(f64, f64)>,
    last: f64,
}

impl Recorder for Seen {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.attempts[attempt.outcome as usize] += 1;
        assert!(attempt.end >= self.last && attempt.start <= attempt.end, "out of order");
        self.last = attempt.end;
        match attempt.decision {
            None | Some(Decision::Retry(_)) => {}
            Some(_) => self.given_up += 1,
        }
        if attempt.outcome == Outcome::Ok {
            self.waits.push((attempt.start, attempt.end));
        }
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn nothing_is_lost(scenario in generate::workers::scenario(), seed: u64) {
        let runs = run(&scenario, seed, 2, 1);
        for (name, policy) in &scenario.policy {
            let column = |column| runs.column(name, column).unwrap();
            for i in 0..2 {
                let value = |name| column(name)[i];
                let places = value("queue_at_end") + value("in_service_at_end");
                prop_assert_eq!(value("attempts"), value("answered") + value("dropped") + places);
                if let Some(queue) = workers(&scenario).queue {
                    prop_assert!(value("queue_at_end") <= f64::from(queue));
                }
                let most = policy.hedge.as_ref().map_or(0, |hedge| hedge.max);
                prop_assert!(value("hedges") <= f64::from(most) * value("calls"));
                prop_assert!(value("success_share").is_nan() || value("success_share") <= 1.0);
                prop_assert!(value("latency_p50_s").is_nan() || value("latency_p50_s") <= value("latency_p99_s"));
                prop_assert_eq!(value("latency_mean_s").is_nan(), value("successes") == 0.0);
                prop_assert!(value("wasted_work_s") >= 0.0);
            }
        }
    }

    #[test]
    fn clients_wait_no_longer_than_they_said(mut scenario in generate::workers::scenario(), seed: u64) {
        // The first policy is run, with the default generator, as it is watched.
        scenario.generator = Generator::Philox;
        scenario.probe = None;
        let mut seen = Seen::default();
        watch(&scenario, seed, &mut seen);
        let runs = run(&scenario, seed, 1, 1);
        let value = |name| runs.column(&scenario.policy.keys()[0], name).unwrap()[0];
        let [ok, refused, timeouts, errors] = seen.attempts.map(f64::from);
        prop_assert_eq!(ok, value("successes"));
        prop_assert_eq!(timeouts, value("timeouts"));
        prop_assert_eq!(refused + errors, value("throttled") + value("errors"));
        prop_assert!(f64::from(seen.given_up) <= value("gave_up"));
        if scenario.policy[0].anchor.min_timeout.is_none() && let Some(timeout) = workers(&scenario).timeout {
            let timeout = timeout.in_unit(scenario.unit);
            for (sent, answered) in seen.waits {
                prop_assert!(answered <= sent + timeout, "sent at {}, a success at {}", sent, answered);
            }
        }
    }

    /// Who is next makes no difference to how many are done.
    #[test]
    fn fifo_or_lifo(
        (count, millis) in (1_u32..6, 1_i64..300),
        (clients, rate, horizon) in (1_u32..9, 0.0..30.0_f64, 1_i64..20_000),
        seed: u64,
    ) {
        let columns = [Order::Fifo, Order::Lifo].map(|order| {
            let service = Workers { order, ..Workers::new(count, Latency::Constant(Span::from_millis(millis))) };
            let scenario = Scenario::from_toml("name = 'x'\nhorizon = '1s'\nworkload = { kind = 'burst', clients = 1 }\nservice = { kind = 'workers', work = { constant = '1s' } }\npolicy.p = {}");
            let mut scenario = scenario.unwrap();
            scenario.horizon = Span::from_millis(horizon);
            scenario.workload = Workload::Open(Open::new(clients, rate));
            scenario.service = Service::Workers(service);
            scenario.policy["p"] = Policy::never();
            let runs = run(&scenario, seed, 3, 1);
            ["successes", "mean_in_queue", "mean_in_service", "queue_at_end", "last_success_s"].map(|name| runs.column("p", name).unwrap())
        });
        for (fifo, lifo) in columns[0].iter().zip(&columns[1]) {
            for (fifo, lifo) in fifo.iter().zip(lifo) {
                prop_assert!(fifo.is_nan() && lifo.is_nan() || (fifo - lifo).abs() < 1e-9);
            }
        }
    }
}
