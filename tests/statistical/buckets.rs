//! Token buckets that one process shares: the load that they let through.

use retrysim::{Runs, Scenario};

use crate::{
    support::scenario,
    z::{LIMIT, Sample, runs},
};

const CALLS: u32 = 100_000;

/// Up to four attempts of 100,000 calls; a bucket with `fields`.
fn bucket(p: f64, fields: &str) -> Scenario {
    let bucket = format!("[{{ bucket = {{ {fields}, scope = 'process' }} }}]");
    let (calls, p) = (CALLS.to_string(), format!("{p:?}"));
    let set = [
        ("workload.clients", &*calls),
        ("service.probability", &p),
        ("policy.bucket.stop.attempts", "4"),
        ("policy.bucket.budget", &bucket),
    ];
    scenario("amplification", &set)
}

fn loads(runs: &Runs) -> Vec<f64> {
    runs.column("bucket", "amplification").unwrap()
}

/// A deposit of `r` for each first try and a cost of 1: once failures are common every deposit is spent, and
/// the load is 1 + r + size / calls.
#[test]
fn deposit_for_each_call() {
    for p in [0.5, 0.8, 1.0] {
        for load in loads(&runs(&bucket(p, "size = 50, credit = { request = 0.125 }"), "bucket", 20)) {
            let spent = (load - 1.0) * f64::from(CALLS);
            let all = 0.125 * f64::from(CALLS) + 50.0;
            // Lost are the deposits that meet a full bucket at the start, left over those after the last
            // retry. Five tokens of either take 40 calls in a row without a failure: 1 of 10^12 at p = 0.5.
            assert!((all - 10.0..=all).contains(&spent), "p = {p}: {spent} of {all} tokens");
        }
    }
}

/// A deposit for a first try that succeeds: 1 + r (1 - p), so 1.07 and 1.05 for r = 0.1.
///
/// Two comparisons: a false alarm in 1 of 70,000.
#[test]
fn deposit_for_a_first_success() {
    for (p, load) in [(0.3, 1.07), (0.5, 1.05)] {
        let runs = runs(&bucket(p, "size = 100, start = 0, credit = { first_success = 0.1 }"), "bucket", 50);
        let sample = Sample::of(&loads(&runs));
        assert!((load - (1.0 + 0.1 * (1.0 - p))).abs() < 1e-12);
        // Every deposit is spent but the last two tokens at the most, by which a run may fall short.
        let (off, slack) = (sample.mean - load, LIMIT * sample.se());
        let left = 2.0 / f64::from(CALLS);
        assert!(-left - slack < off && off < slack, "p = {p}: {off} off, {slack} allowed");
    }
}

/// In a total outage a bucket that only successes refill is spent once: 1 + start / calls, exactly.
#[test]
fn no_success_no_deposit() {
    for credit in ["first_success", "success"] {
        let fields = format!("size = 50, credit = {{ {credit} = 0.1 }}");
        assert!(
            loads(&runs(&bucket(1.0, &fields), "bucket", 2)).iter().all(|load| *load == 1.0005),
            "{credit}"
        );
    }
}

/// The bucket of AWS's standard mode: 500 tokens, a retry costs 5, which its success gives back, and a first
/// try that succeeds gives 1. Without an attempt limit the load is 1 + (1 - p) / (5 p): 1.2 at p = 0.5, 1.05 at
/// p = 0.8; at p = 0.3 with 3 attempts the bucket never binds, and it is (1 - p^3) / (1 - p) = 1.39.
///
/// Three comparisons: a false alarm in 1 of 50,000.
#[test]
fn aws_standard_mode() {
    let fields = "size = 500, start = 250, cost = 5, credit = { first_success = 1, retried_success = 5 }";
    for (p, attempts, load) in [(0.5, 1_000, 1.2), (0.8, 1_000, 1.05), (0.3, 3, 1.39)] {
        let mut scenario = bucket(p, fields);
        let policy = scenario.policy.get_mut("bucket").unwrap();
        policy.stop.attempts = Some(attempts);
        let sample = Sample::of(&loads(&runs(&scenario, "bucket", 20)));
        // Whatever the bucket holds more or less at the end than at the start is retries made or not made.
        let ends = 500.0 / 5.0 / f64::from(CALLS);
        let off = (sample.mean - load).abs();
        assert!(off < ends + LIMIT * sample.se(), "p = {p}: {} against {load}", sample.mean);
    }
}
