//! Retry budgets on independent failures: the table of eleven failure rates and four rules, 50 runs of
//! 40,000 requests each, against another program's 50.
//!
//! 84 comparisons at 4.5 standard errors, those without any chance not counted: a false alarm in 6 of 10,000.

use retrysim::Runs;
use serde_json::Value;

use crate::{
    support::{entry, list, number, scenario, vectors},
    z::{Sample, Zs, runs},
};

const RUNS: u64 = 50;
const REQUESTS: f64 = 40_000.0;

/// The targets' names, and ours.
const RULES: [(&str, &str); 4] = [
    ("no_budget", "retries_3"),
    ("request", "budget_request"),
    ("first_success", "budget_first_success"),
    ("any_success", "budget_any_success"),
];

fn check_cell(zs: &mut Zs, label: &str, policy: &str, runs: &Runs, target: &Value) {
    let load = Sample::column(runs, policy, "amplification");
    let (mean, se) = (number(&target["mean"]), number(&target["se"]));
    zs.push(format!("{label}: load"), load.mean - mean, se.hypot(load.se()));
    // The target gives no error of its share of successes: as large as ours, from as many runs.
    let successes = Sample::column(runs, policy, "successes");
    let difference = successes.mean / REQUESTS - number(&target["success"]);
    zs.push(format!("{label}: success"), difference, 2_f64.sqrt() * successes.se() / REQUESTS);
}

/// With a refill at each request, N requests make at most N (1 + r) + T0 attempts, and any 1,000 in a row
/// at most B + 1000 r retries.
fn check_bounds(runs: &Runs) {
    let column = |name| runs.column("budget_request", name).unwrap();
    assert!(column("attempts").iter().all(|n| *n <= REQUESTS * 1.2 + 100.0));
    assert!(column("busiest_1000").iter().all(|n| *n <= 300.0));
}

#[test]
fn table() {
    let (vectors, mut zs) = (vectors("amplification"), Zs::default());
    let rows = list(&entry(&vectors["doc001"], "001.budget")["reproduced"]);
    assert_eq!(rows.len(), 11);
    for row in rows {
        let p = row["p"].to_string();
        let scenario =
            scenario("amplification", &[("workload.clients", "40000"), ("service.probability", &p)]);
        for (name, policy) in RULES {
            let runs = runs(&scenario, policy, RUNS);
            check_cell(&mut zs, &format!("p = {p}, {name}"), policy, &runs, &row[name]);
            if name == "request" {
                check_bounds(&runs);
            }
        }
    }
    zs.check();
}

/// Without a budget the load has a formula, which the target repeats: (1 - p^4) / (1 - p).
#[test]
fn without_a_budget() {
    let (vectors, mut zs) = (vectors("amplification"), Zs::default());
    for row in list(&entry(&vectors["doc001"], "001.budget")["reproduced"]) {
        let p = number(&row["p"]);
        let exact: f64 = (0..4).map(|k| p.powi(k)).sum();
        assert!((exact - number(&row["no_budget_exact"])).abs() < 1e-12);
        // Var(A) = E[A^2] - E[A]^2, with P(A > k) = p^k and E[A^2] = sum (2 k + 1) P(A > k).
        let square: f64 = (0..4).map(|k| f64::from(2 * k + 1) * p.powi(k)).sum();
        let set = [("workload.clients", "40000"), ("service.probability", &row["p"].to_string())];
        let load = Sample::column(
            &runs(&scenario("amplification", &set), "retries_3", 50),
            "retries_3",
            "amplification",
        );
        zs.push(
            format!("p = {p}"),
            load.mean - exact,
            ((square - exact * exact) / (50.0 * REQUESTS)).max(0.0).sqrt(),
        );
    }
    zs.check();
}
