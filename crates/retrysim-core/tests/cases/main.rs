//! What people have reported of retries, as numbers: each case is a few lines of policy, a set-up, and the figure
//! that must come out. Letters and numbers name the rows of the collection that the cases come from.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::float_cmp,
    reason = "a test may panic, and means it"
)]

mod budgets;
mod cap;
mod hints;
mod jitter;
mod layers;

use std::ops::ControlFlow;

use retrysim_core::{
    Plan, Policy, RunConfig, Runs, Scenario, Unit,
    draw::{Draws, Philox, Purpose},
    record::{Attempt, Outcome, Recorder},
    simulate,
};

/// The largest number that a draw can give.
const ALMOST_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

fn policy(toml: &str) -> Policy {
    Policy::from_toml(toml).unwrap_or_else(|error| panic!("{error}\n{toml}"))
}

/// The delay before retry `n` in seconds, every draw fixed at `u`.
fn delay(policy: &Policy, n: u32, u: f64) -> f64 {
    *policy.compile(Unit::S).fixed_delays(n, None, u).last().unwrap()
}

/// Delays before retry `n` of many clients, in seconds.
fn delays(policy: &Policy, n: u32, clients: u32) -> Vec<f64> {
    let compiled = policy.compile(Unit::S);
    let one = |client| {
        let (mut draws, mut memory) = (Philox::new(7, u64::from(client)), compiled.memory());
        let mut delay =
            |n| compiled.delay(n, None, &mut memory, &mut draws.at(Purpose::Attempt, 0, n)).unwrap();
        (1..n).for_each(|n| _ = delay(n));
        delay(n)
    };
    (0..clients).map(one).collect()
}

fn share(delays: &[f64], is: impl Fn(f64) -> bool) -> f64 {
    delays.iter().filter(|delay| is(**delay)).count() as f64 / delays.len() as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// An attempt, in seconds.
#[derive(Clone, Copy, Debug)]
struct Seen {
    client: u32,
    attempt: u32,
    start: f64,
    end: f64,
    ok: bool,
}

#[derive(Default)]
struct Log(Vec<Seen>);

impl Recorder for Log {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.0.push(Seen {
            client: attempt.call.client,
            attempt: attempt.call.attempt,
            start: attempt.start,
            end: attempt.end,
            ok: attempt.outcome == Outcome::Ok,
        });
    }
}

/// One run of each policy: totals, and every attempt by policy.
fn run(toml: &str) -> (Runs, Vec<Vec<Seen>>) {
    let scenario = Scenario::from_toml(toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let names: Vec<&String> = scenario.policy.keys().collect();
    let config = RunConfig::new(Plan::Runs { seed: 1, runs: 1 });
    let (runs, logs) =
        simulate::record(&scenario, &names, &config, Log::default, &|| ControlFlow::Continue(())).unwrap();
    (runs, logs.into_iter().map(|log| log.0).collect())
}

fn total(runs: &Runs, policy: &str, column: &str) -> f64 {
    runs.column(policy, column).unwrap()[0]
}

/// Most starts in any second that begins with a whole number.
fn peak_per_second(attempts: &[Seen], from: f64) -> usize {
    let mut seconds = std::collections::HashMap::new();
    for attempt in attempts.iter().filter(|attempt| attempt.start >= from) {
        *seconds.entry(attempt.start.floor() as i64).or_insert(0) += 1;
    }
    seconds.values().copied().max().unwrap_or(0)
}
