//! The delays of real libraries: each policy, written as stages, gives what its library gave when it was run.
//!
//! The numbers come from the libraries themselves (`evidence = "run"`), from a transliteration of their
//! source (`derived`) or from their documentation (`documented`).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use retrysim_core::{
    Policy, Unit,
    draw::{Draws, Fixed, Philox, Purpose},
};
use serde_json::Value;

/// Relative agreement, where the library itself does not round.
const RELATIVE: f64 = 1e-9;

/// Sequences drawn for a statistical vector.
const DRAWS: u32 = 10_000;

/// Standard errors that a mean or a share may be away; about 1,400 comparisons under one fixed seed.
const Z: f64 = 4.5;

/// One policy beside one vector.
struct Case {
    name: String,
    policy: Policy,
    /// How far the library's own rounding may lead, in seconds.
    within: f64,
    data: Value,
}

fn cases(mode: &str) -> Vec<Case> {
    let file: Value =
        serde_json::from_str(include_str!("../../../data/vectors/library_delays.json")).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    vectors.iter().filter(|data| data["mode"] == mode).map(case).collect()
}

fn case(data: &Value) -> Case {
    let name = format!("{}/{}: {}", data["policy"], data["variant"], data["vector"]);
    let toml = toml::to_string(&serde_json::json!({ "delay": data["delay"] })).unwrap();
    let policy = Policy::from_toml(&toml).unwrap_or_else(|error| panic!("{name}: {error}"));
    let within = data["within_s"].as_f64().unwrap_or(0.0);
    assert!(within == 0.0 || data["why"].is_string(), "{name}: a tolerance needs a reason");
    Case { name, policy, within, data: data.clone() }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Delays before the first `retries` retries when every draw is `u`.
fn fixed(policy: &Policy, u: f64, retries: usize) -> Vec<f64> {
    let compiled = policy.compile(Unit::S);
    let mut memory = compiled.memory();
    (1..=u32::try_from(retries).unwrap())
        .map(|n| compiled.delay(n, None, &mut memory, &mut Fixed(u)).unwrap())
        .collect()
}

/// Delays of many sequences: `[retry][sequence]`, sorted.
fn drawn(policy: &Policy, retries: usize) -> Vec<Vec<f64>> {
    let compiled = policy.compile(Unit::S);
    let mut by_retry = vec![Vec::new(); retries];
    for run in 0..DRAWS {
        let (mut draws, mut memory) = (Philox::new(2026, u64::from(run)), compiled.memory());
        for (n, delays) in (1..).zip(&mut by_retry) {
            let mut stream = draws.at(Purpose::Attempt, 0, n);
            delays.push(compiled.delay(n, None, &mut memory, &mut stream).unwrap());
        }
    }
    by_retry.iter_mut().for_each(|delays| delays.sort_by(f64::total_cmp));
    by_retry
}

/// What differs between the library's delays and ours.
fn differences(case: &Case, u: f64, theirs: &[f64]) -> Vec<String> {
    let ours = fixed(&case.policy, u, theirs.len());
    let agree = |a: &f64, b: &f64| (a - b).abs() <= RELATIVE * b.abs() + case.within;
    if ours.iter().zip(theirs).all(|(a, b)| agree(a, b)) {
        Vec::new()
    } else {
        vec![format!("{} at u = {u}\n  ours   {ours:?}\n  theirs {theirs:?}", case.name)]
    }
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} differences\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn delays_without_randomness() {
    let all = cases("deterministic");
    assert!(all.len() >= 21);
    let problems: Vec<_> =
        all.iter().flat_map(|case| differences(case, 0.5, &numbers(&case.data["delays"]))).collect();
    report(&problems);
}

#[test]
fn delays_with_every_draw_fixed() {
    let all = cases("injected");
    assert!(all.len() >= 44);
    let mut problems = Vec::new();
    for case in &all {
        let fixed_at = case.data["u"].as_array().unwrap();
        for (u, theirs) in fixed_at.iter().zip(case.data["delays"].as_array().unwrap()) {
            // As text: a JSON reader may miss the last bit of 1 - 2^-53.
            let u = u.as_str().unwrap().parse().unwrap();
            problems.extend(differences(case, u, &numbers(theirs)));
        }
    }
    report(&problems);
}

#[test]
fn distributions_of_delays() {
    let all = cases("statistical");
    assert!(all.len() >= 19);
    let problems: Vec<_> = all.iter().flat_map(distribution).collect();
    report(&problems);
}

/// Means by their standard error; quantiles by the shares of our draws below and up to them.
fn distribution(case: &Case) -> Vec<String> {
    let means = numbers(&case.data["mean"]);
    let ours = drawn(&case.policy, means.len());
    let (mine, theirs) = (f64::from(DRAWS), case.data["draws"].as_f64().unwrap());
    let per_draw = 1.0 / mine + 1.0 / theirs;
    let mut problems = Vec::new();
    for (i, (delays, mean)) in ours.iter().zip(&means).enumerate() {
        let at = format!("{} before retry {}", case.name, i + 1);
        let own = delays.iter().sum::<f64>() / mine;
        let variance = delays.iter().map(|x| (x - own).powi(2)).sum::<f64>() / (mine - 1.0);
        let off = (own - mean).abs() - case.within - RELATIVE * mean;
        if off > Z * (variance * per_draw).sqrt() {
            problems.push(format!("{at}: mean {own}, the library's {mean}"));
        }
        for (p, quantiles) in case.data["quantiles"].as_object().unwrap() {
            let (p, q) = (p.parse::<f64>().unwrap(), quantiles[i].as_f64().unwrap());
            let slack = case.within + RELATIVE * q;
            let share = |x: f64, strictly: bool| {
                let count = delays.partition_point(|y| if strictly { *y < x } else { *y <= x });
                f64::from(u32::try_from(count).unwrap()) / mine
            };
            let (below, up_to) = (share(q - slack, true), share(q + slack, false));
            let half = Z * (p * (1.0 - p) * per_draw).sqrt();
            if below > p + half || up_to < p - half {
                problems
                    .push(format!("{at}: {below} to {up_to} of our delays lie below the {p} quantile {q}"));
            }
        }
    }
    problems
}

#[test]
fn every_kind_of_stage_occurs() {
    let mut seen = BTreeSet::new();
    for case in ["deterministic", "injected", "statistical"].into_iter().flat_map(cases) {
        kinds(&case.data["delay"], &mut seen);
    }
    let stages = "exp const linear poly fib list doublings prev polly_v2 cap floor scale jitter add uniform latch \
                  quantum head only_n split_seconds backo2_half rust_exponential_backoff_30";
    let missing: Vec<&str> = stages.split_whitespace().filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "no vector has {missing:?}");
}

fn kinds(stages: &Value, seen: &mut BTreeSet<String>) {
    for stage in stages.as_array().unwrap() {
        let (kind, value) = stage.as_object().unwrap().iter().next().unwrap();
        match (kind.as_str(), value) {
            ("special", Value::String(name)) => seen.insert(name.clone()),
            ("special", value) => {
                seen.extend(value.as_object().unwrap().keys().cloned());
                true
            }
            _ => seen.insert(kind.clone()),
        };
        if kind == "only_n" {
            kinds(&value["stages"], seen);
        }
    }
}
