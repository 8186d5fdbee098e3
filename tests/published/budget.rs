//! The budget runs, seed by seed: ten clients through an outage of ten seconds.

use retrysim::draw::{CPython, Stream};
use serde_json::Value;

use crate::{
    support::{Totals, list, number, run, scenario, vectors},
    ticks::{Ticks, binned},
};

const TICK_S: f64 = 0.01;
const TICKS: usize = 4_000;

const POLICIES: [(&str, &str); 5] = [
    ("no retry", "no_retry"),
    ("4 attempts", "attempts_4"),
    ("4 attempts + gRPC throttling", "grpc_throttling"),
    ("4 attempts + 10% retry ratio (rule A)", "ratio_10pct"),
    ("4 attempts + 10% retry ratio (rule B)", "ratio_10pct_below"),
];

const TOTALS: [(&str, &str); 6] = [
    ("arrivals_5_15", "arrivals_in_outage"),
    ("new_5_15", "calls_in_outage"),
    ("crashes_after", "crashes_after"),
    ("back_to_normal_s", "back_to_normal_s"),
    ("total_arrivals", "attempts"),
    ("total_successes", "successes"),
];

fn check(totals: &Totals, seen: &Ticks, generator: &mut CPython, target: &Value, what: &str) {
    for (theirs, ours) in TOTALS {
        assert_eq!(totals.get(ours), number(&target[theirs]), "{what}: {theirs}");
    }
    assert_eq!(seen.crc32(TICKS), target["arrivals_crc32"].as_str().unwrap(), "{what}: arrivals");
    let next: f64 = target["next_random"].as_str().unwrap().parse().unwrap();
    assert_eq!(generator.unit().to_bits(), next.to_bits(), "{what}: next random()");
}

/// Rules A and B print the same table and differ in nearly every run, so each has vectors of its own.
#[test]
fn seed_by_seed() {
    let (scenario, vectors) = (scenario("budget", &[]), vectors("herd"));
    for (label, policy) in POLICIES {
        let seeds = list(&vectors["budget"]["per_seed"][label]);
        assert_eq!(seeds.len(), 20, "{label}");
        for target in seeds {
            let mut generator = CPython::new(target["seed"].as_u64().unwrap());
            let mut seen = Ticks::new(TICKS, TICK_S);
            let totals = run(&scenario, policy, &mut generator, &mut seen);
            check(&totals, &seen, &mut generator, target, &format!("{policy} seed {}", target["seed"]));
        }
    }
}

fn per_second(value: &Value) -> Vec<u32> {
    list(value).iter().map(|n| n.as_u64().unwrap() as u32).collect()
}

/// The article's plot of plain retries: what four attempts do to the arrivals of every second.
#[test]
fn arrivals_of_four_attempts() {
    let mut seen = Ticks::new(TICKS, TICK_S);
    run(&scenario("budget", &[]), "attempts_4", &mut CPython::new(0), &mut seen);
    let target = per_second(&vectors("herd")["budget"]["seed0_4_attempts_arrivals_per_s"]);
    assert_eq!(binned(&seen.arrivals, 100), target);
}

/// Arrivals, new calls, retries and successes of every second under throttling.
#[test]
fn seconds_under_throttling() {
    let mut seen = Ticks::new(TICKS, TICK_S);
    run(&scenario("budget", &[]), "grpc_throttling", &mut CPython::new(0), &mut seen);
    let target = &vectors("herd")["budget"]["seed0_client0_throttle"];
    let retries: Vec<u32> = seen.arrivals.iter().zip(&seen.first).map(|(all, first)| all - first).collect();
    for (name, counts) in [
        ("arrivals_per_s", &seen.arrivals),
        ("new_per_s", &seen.first),
        ("retries_per_s", &retries),
        ("ok_per_s", &seen.ok),
    ] {
        assert_eq!(binned(counts, 100), per_second(&target[name]), "{name}");
    }
}
