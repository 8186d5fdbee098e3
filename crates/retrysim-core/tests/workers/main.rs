//! The service `workers` against closed forms, published figures and cases worked out by hand.
//!
//! Statistical checks have fixed seeds and compare means of independent runs with what a formula says, within `Z`
//! standard errors of the mean. With other seeds, a check would raise a false alarm once in 30,000 times (more
//! often where there are few runs: the runs are 20 at the least, which makes it once in 3,000).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod by_hand;
mod published;
mod queues;
mod retrial;
mod seen;
mod waves;

use retrysim_core::{Plan, RunConfig, Scenario, simulate, stats, text};

/// Standard errors that a mean may be off.
const Z: f64 = 4.2;

/// A scenario with a policy named `p`: the lines of each.
fn scenario(lines: &str, policy: &str) -> Scenario {
    Scenario::from_toml(&format!("name = 'test'\n{lines}\n[policy.p]\n{policy}\n"))
        .unwrap_or_else(|error| panic!("{error}\n{lines}\n{policy}"))
}

/// Every scenario has a seed of its own: one for all would give them the same luck, and one unlucky seed many alarms.
fn plan(scenario: &Scenario, runs: u64) -> Plan {
    let text = text::write(scenario).unwrap();
    let seed = text.bytes().fold(2026, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    Plan::Runs { seed, runs }
}

/// Columns of `runs` runs of policy `p`.
fn runs<const N: usize>(scenario: &Scenario, runs: u64, names: [&str; N]) -> [Vec<f64>; N] {
    let runs = simulate(scenario, &["p"], &RunConfig::new(plan(scenario, runs))).unwrap();
    names.map(|name| runs.column("p", name).unwrap())
}

/// Columns of the first run.
fn one<const N: usize>(scenario: &Scenario, names: [&str; N]) -> [f64; N] {
    runs(scenario, 1, names).map(|column| column[0])
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let (mean, sd, n) = stats::mean_sd(values);
    assert_eq!(n, values.len(), "a value is missing");
    (mean, sd / f64::from(u32::try_from(n).unwrap()).sqrt())
}

/// The mean is what it should be, give or take `slack` that has nothing to do with chance.
#[track_caller]
fn close(what: &str, values: &[f64], expected: f64, slack: f64) {
    let (mean, error) = mean(values);
    println!("{what}: {mean:.5} ({error:.5}) of {expected:.5}");
    assert!((mean - expected).abs() <= Z * error + slack, "{what}: {mean} ({error}), not {expected}");
}
