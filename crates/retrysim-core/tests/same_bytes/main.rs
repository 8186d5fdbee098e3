//! Every run gives the bytes that it has always given: a checksum for each case, kept in `data/vectors`.
//!
//! A case is a scenario or a variation of one, a policy, a generator and a plan. Its first checksum is of the
//! totals, its second of every attempt in order. Totals are also made without anybody watching the attempts,
//! which may take another path through a kernel, and must be the same.
//!
//! A difference is *value-breaking*. To keep new values: `cargo test -p retrysim-core --test same_bytes --
//! --ignored`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod cases;

use std::ops::ControlFlow;

use std::{fmt::Write as _, path::PathBuf};

use crc32fast::Hasher;
use retrysim_core::{
    Generator, Plan, RunConfig, Runs, Scenario,
    callers::Decision,
    record::{Attempt, Recorder},
    simulate::record,
};

/// The checksum of all that can be recorded of a run.
#[derive(Default)]
struct Everything(Hasher);

impl Everything {
    fn float(&mut self, value: f64) {
        // The sign of a NaN differs between processors.
        let bits = if value.is_nan() { u64::MAX } else { value.to_bits() };
        self.0.update(&bits.to_le_bytes());
    }
}

impl Recorder for Everything {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let call = attempt.call;
        for word in [call.id, call.client, call.attempt, attempt.outcome as u32] {
            self.0.update(&word.to_le_bytes());
        }
        self.float(call.first_send);
        self.float(attempt.start);
        self.float(attempt.end);
        self.float(match attempt.decision {
            None => -1.0,
            Some(Decision::Exhausted) => -2.0,
            Some(Decision::BudgetDenied) => -3.0,
            Some(Decision::PastDeadline) => -4.0,
            Some(Decision::NotRetried) => -5.0,
            Some(Decision::Refused) => -6.0,
            Some(Decision::Retry(wait)) => wait,
        });
    }

    fn crash(&mut self, at: f64) {
        self.float(at);
    }

    fn level(&mut self, client: u32, at: f64, tokens: f64, open: bool) {
        self.0.update(&[&client.to_le_bytes()[..], &[u8::from(open)]].concat());
        self.float(at);
        self.float(tokens);
    }
}

fn checksum(runs: &Runs) -> u32 {
    let mut all = Everything::default();
    runs.values.iter().for_each(|value| all.float(*value));
    all.0.finalize()
}

/// Checksums of totals and of attempts.
fn case(scenario: &Scenario, policy: &str, generator: Generator, plan: Plan) -> String {
    let config = RunConfig { generator: Some(generator), ..RunConfig::new(plan) };
    let alone = match retrysim_core::simulate(scenario, &[policy], &config) {
        Ok(runs) => checksum(&runs),
        Err(error) => return error.to_string(),
    };
    let (runs, watched) =
        record(scenario, &[policy], &config, Everything::default, &|| ControlFlow::Continue(())).unwrap();
    assert_eq!(checksum(&runs), alone, "{policy} of {}: watched runs differ", scenario.name);
    let mut attempts = Hasher::new();
    for run in watched {
        attempts.update(&run.0.finalize().to_le_bytes());
    }
    format!("{alone:08x} {:08x}", attempts.finalize())
}

/// A line for each scenario and policy: runs under one seed with each generator, then seeds with the scenario's own.
fn all_lines() -> String {
    let mut lines = String::new();
    for (name, scenario, runs) in cases::all() {
        for policy in scenario.policy.keys() {
            let keyed = Plan::Runs { seed: 0x5_0000_2026, runs };
            let seeds = Plan::Seeds((0..runs).collect());
            let plans = Generator::ALL.map(|generator| (generator, keyed.clone()));
            let checksums: Vec<String> = plans
                .into_iter()
                .chain([(scenario.generator, seeds)])
                .map(|(generator, plan)| case(&scenario, policy, generator, plan))
                .collect();
            writeln!(lines, "{name}/{policy} {}", checksums.join(" ")).unwrap();
        }
    }
    lines
}

fn kept() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/vectors/same_bytes.txt")
}

#[test]
fn every_run_gives_the_bytes_it_has_always_given() {
    let kept = std::fs::read_to_string(kept()).unwrap();
    let mut differences = String::new();
    let now = all_lines();
    for (kept, now) in kept.lines().zip(now.lines()).filter(|(kept, now)| kept != now) {
        writeln!(differences, "kept {kept}\n now {now}").unwrap();
    }
    assert!(differences.is_empty(), "{differences}");
    assert_eq!(kept.lines().count(), now.lines().count());
}

#[test]
#[ignore = "keeps new values: see the top of the file"]
fn keep() {
    std::fs::write(kept(), all_lines()).unwrap();
}
