//! Attempts that fail independently: how many a call makes, and what becomes of it.
//!
//! 29 comparisons at 4.5 standard errors: a false alarm in 2 of 10,000.

use retrysim::{Runs, Scenario};

use crate::{
    support::scenario,
    z::{Sample, Zs, runs},
};

const CALLS: f64 = 10_000.0;
const RUNS: u64 = 50;

fn failing(p: f64, set: &[(&str, &str)]) -> Scenario {
    let p = format!("{p:?}");
    scenario("amplification", &[&[("workload.clients", "10000"), ("service.probability", &p)], set].concat())
}

fn total(runs: &Runs, policy: &str, column: &str) -> f64 {
    runs.column(policy, column).unwrap().iter().sum()
}

/// At most `n` attempts, each failing with `p`: (1 - p^n) / (1 - p) attempts and 1 - p^n successes.
#[test]
fn limited_attempts() {
    let mut zs = Zs::default();
    for (n, p) in [(3, 0.1), (3, 0.5), (5, 0.9), (8, 0.3)] {
        let set = [("policy.limited.stop.attempts", &*n.to_string())];
        let runs = runs(&failing(p, &set), "limited", RUNS);
        let (success, load) = (1.0 - p.powi(n), (1.0 - p.powi(n)) / (1.0 - p));
        zs.mean(format!("n = {n}, p = {p}: load"), Sample::column(&runs, "limited", "amplification"), load);
        let calls = CALLS * RUNS as f64;
        let share = total(&runs, "limited", "successes") / calls;
        zs.share(format!("n = {n}, p = {p}: success"), share, calls, success, 0.0);
    }
    zs.check();
}

/// Successes are (1 - p) x attempts under any policy (Wald): the difference is a sum of independent terms,
/// one an attempt, each of variance p (1 - p), however the policy decides to go on.
#[test]
fn successes_follow_the_load() {
    let mut zs = Zs::default();
    let policies = [
        "retries_3",
        "attempts_3",
        "attempts_3_budget_10pct",
        "budget_request",
        "budget_first_success",
        "budget_any_success",
        "grpc_throttling",
    ];
    for p in [0.2, 0.5, 0.8] {
        for policy in policies {
            let runs = runs(&failing(p, &[]), policy, 10);
            let (successes, attempts) = (total(&runs, policy, "successes"), total(&runs, policy, "attempts"));
            let sd = (p * (1.0 - p) * attempts).sqrt();
            zs.push(format!("{policy}, p = {p}"), successes - (1.0 - p) * attempts, sd);
        }
    }
    zs.check();
}
