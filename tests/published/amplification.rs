//! Amplification where nothing is left to chance: every attempt fails.

use retrysim::{Unit, draw::Fixed, draw::Philox, record};

use crate::support::{Totals, entry, number, numbers, run, scenario, vectors};

fn totals(name: &str, set: &[(&str, &str)], policy: &str) -> Totals {
    run(&scenario(name, set), policy, &mut Philox::new(0, 0), &mut record::Totals)
}

/// `N (K + 1)`.
#[test]
fn worst_case() {
    let vectors = vectors("amplification");
    let text = entry(&vectors["doc001"], "001.worst_case")["reproduced"].as_str().unwrap().to_owned();
    assert_eq!(text, "1000 requests: 2000, 3000, 4000, 8000 for K = 1, 2, 3, 7");
    for (retries, attempts) in [("1", 2000.0), ("2", 3000.0), ("3", 4000.0), ("7", 8000.0)] {
        let set = [("policy.retries_3.stop.retries", retries)];
        assert_eq!(totals("amplification", &set, "retries_3").get("attempts"), attempts, "K = {retries}");
    }
}

#[test]
fn layers() {
    let vectors = vectors("amplification");
    let target = &entry(&vectors["doc001"], "001.layers")["reproduced"];
    let (three, two) = ("['a', 'b', 'c']", "['b', 'c']");
    for (name, tiers, policy) in [
        ("three_layers_3_attempts", three, "attempts_3"),
        ("three_layers_3_retries", three, "attempts_4"),
        ("two_hops_3_attempts", two, "attempts_3"),
        ("two_hops_3_retries", two, "attempts_4"),
    ] {
        let totals = totals("layers", &[("service.tiers", tiers)], policy);
        assert_eq!(totals.get("attempts"), number(&target[name]), "{name}");
    }
}

/// 3, 9 and 27 requests at the frontend, the backend and the database.
#[test]
fn layers_tier_by_tier() {
    let vectors = vectors("herd");
    let totals = totals("layers", &[], "attempts_3");
    for tier in ["frontend", "backend", "db"] {
        let target = number(&vectors["layers"]["reproduced"][tier]);
        assert_eq!(totals.get(&format!("arrivals_{tier}")), target, "{tier}");
    }
}

#[test]
fn backoff_example() {
    let policy = scenario("amplification", &[]).policy("retries_3").unwrap().compile(Unit::Ms);
    let mut memory = policy.memory();
    let delays: Vec<f64> =
        (1..=4).map(|n| policy.delay(n, None, &mut memory, &mut Fixed(0.5)).unwrap()).collect();
    let vectors = vectors("amplification");
    assert_eq!(delays, numbers(&entry(&vectors["doc001"], "001.backoff_example")["reproduced"]));
}

/// 100,000 requests of three attempts; ten tokens at the start, a tenth for each request.
#[test]
fn sre_budget() {
    let vectors = vectors("amplification");
    let target = &entry(&vectors["doc001"], "004.sre_budget")["reproduced"];
    let bucket = "[{ bucket = { size = 10, credit = { request = 0.1 }, scope = 'process' } }]";
    let set = [("workload.clients", "100000"), ("policy.attempts_3_budget_10pct.budget", bucket)];
    let load = |policy| totals("amplification", &set, policy).get("amplification");
    assert_eq!(load("attempts_3"), number(&target["no_budget"]));
    assert_eq!(load("attempts_3_budget_10pct"), number(&target["budget"]));
}
