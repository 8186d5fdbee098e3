//! The herd and the spread herd, run by run: 20 seeds of six policies against an independent program.
//!
//! The next number of the generator after a run agrees only if every draw before it was made, in the same
//! order. The CRC-32 of all arrivals agrees only if every request came in its own tick.

use retrysim::{
    Scenario,
    draw::{CPython, Stream},
    record,
};
use serde_json::Value;

use crate::{
    support::{Totals, list, number, numbers, run, scenario, vectors},
    ticks::{Ticks, binned},
};

const TICK_S: f64 = 0.01;
const TICKS: usize = 12_000;

const POLICIES: [(&str, &str); 5] = [
    ("fixed 1s", "fixed_1s"),
    ("exponential", "exponential"),
    ("full jitter", "full"),
    ("equal jitter", "equal"),
    ("decorrelated", "decorrelated"),
];

/// A time in seconds as a number of ticks; it must be a whole one.
fn ticks(seconds: f64) -> f64 {
    let ticks = seconds / TICK_S;
    assert!(seconds.is_nan() || (ticks - ticks.round()).abs() < 1e-6, "{seconds} s is no whole tick");
    ticks.round()
}

fn assert_same(ours: f64, target: &Value, what: &str) {
    let target = number(target);
    assert!(ours == target || (ours.is_nan() && target.is_nan()), "{what}: {ours}, not {target}");
}

fn check_totals(totals: &Totals, target: &Value, what: &str) {
    assert_same(totals.get("attempts"), &target["requests"], &format!("{what} requests"));
    assert_same(totals.get("crashes"), &target["crashes"], &format!("{what} crashes"));
    assert_same(ticks(totals.get("finish_s")), &target["finish_ticks"], &format!("{what} finish"));
    for (i, name) in ["t50_s", "t90_s", "t99_s"].into_iter().enumerate() {
        // Our marks are taken at the end of the tick, as the finish is; the targets' at its start.
        let start = ticks(totals.get(name)) - 1.0;
        assert_same(start, &target["done_ticks_p50_p90_p99"][i], &format!("{what} {name}"));
    }
}

fn check_generator(generator: &mut CPython, target: &Value, what: &str) {
    let next: f64 = target["next_random"].as_str().unwrap().parse().unwrap();
    assert_eq!(generator.unit().to_bits(), next.to_bits(), "{what}: next random() is not {next}");
}

fn check_ticks(seen: &Ticks, target: &Value, what: &str) {
    // A run that finishes simulates no tick after the one in which the last client is served.
    let last = target["finish_ticks"].as_u64().map_or(TICKS, |finish| finish as usize);
    assert_eq!(seen.crc32(last), target["arrivals_crc32"].as_str().unwrap(), "{what}: arrivals");
    assert!(seen.arrivals[last..].iter().all(|n| *n == 0), "{what}: arrivals after the end");
    let crashes: Vec<f64> = seen.crashes.iter().map(|tick| *tick as f64).collect();
    assert_eq!(crashes, numbers(&target["crash_ticks"]), "{what}: crash ticks");
}

fn check_run(scenario: &Scenario, policy: &str, target: &Value) {
    let what = format!("{} {policy} seed {}", scenario.name, target["seed"]);
    let mut generator = CPython::new(target["seed"].as_u64().unwrap());
    let mut seen = Ticks::new(TICKS, TICK_S);
    let totals = run(scenario, policy, &mut generator, &mut seen);
    check_totals(&totals, target, &what);
    check_ticks(&seen, target, &what);
    check_generator(&mut generator, target, &what);
}

fn check_all(name: &str) {
    let (scenario, vectors) = (scenario(name, &[]), vectors("herd"));
    for (label, policy) in POLICIES {
        let seeds = list(&vectors[name]["per_seed"][label]);
        assert_eq!(seeds.len(), 20, "{label}");
        seeds.iter().for_each(|target| check_run(&scenario, policy, target));
    }
}

#[test]
fn herd_seed_by_seed() {
    check_all("herd");
}

#[test]
fn herd_spread_seed_by_seed() {
    check_all("herd_spread");
}

/// 12 million requests a run: every arrival for one seed, totals for four more. The tables, which
/// `entries` checks, hold the totals of all 20.
#[test]
fn immediate_retries() {
    let vectors = vectors("herd");
    for name in ["herd", "herd_spread"] {
        let scenario = scenario(name, &[]);
        let seeds = list(&vectors[name]["per_seed"]["immediate"]);
        check_run(&scenario, "immediate", &seeds[0]);
        for target in &seeds[1..5] {
            let what = format!("{name} immediate seed {}", target["seed"]);
            let mut generator = CPython::new(target["seed"].as_u64().unwrap());
            let totals = run(&scenario, "immediate", &mut generator, &mut record::Totals);
            check_totals(&totals, target, &what);
            check_generator(&mut generator, target, &what);
        }
    }
}

/// The article's plots: arrivals per 100 ms of seed 0. Bins without arrivals are left out there.
#[test]
fn arrivals_of_seed_0() {
    let plots = &vectors("herd")["seed0_arrivals_per_100ms"];
    let runs = [
        ("herd", "exponential", "exponential, all at t=0"),
        ("herd", "full", "full jitter, all at t=0"),
        ("herd_spread", "fixed_1s", "fixed 1s, spread"),
        ("herd_spread", "exponential", "exponential, spread"),
    ];
    assert_eq!(plots.as_object().unwrap().len(), runs.len());
    for (name, policy, label) in runs {
        let mut seen = Ticks::new(TICKS, TICK_S);
        run(&scenario(name, &[]), policy, &mut CPython::new(0), &mut seen);
        let bins = binned(&seen.arrivals, 10);
        let ours: Vec<(String, u64)> = (bins.iter().enumerate())
            .filter(|(_, n)| **n > 0)
            .map(|(bin, n)| (bin.to_string(), u64::from(*n)))
            .collect();
        let target: Vec<(String, u64)> = (plots[label].as_object().unwrap().iter())
            .map(|(bin, n)| (bin.clone(), n.as_u64().unwrap()))
            .collect();
        assert_eq!(ours, target, "{label}");
    }
}
