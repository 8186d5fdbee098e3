//! Delays: with every draw fixed, as distributions, as sets of values, late ones, and those that calls share.

use std::collections::BTreeSet;

use retrysim_core::{
    Unit,
    callers::{Callers, Decision, Failure},
    draw::{Draws, Fixed, Philox, Purpose},
    policy::{class::Class, scope::Population},
};
use serde_json::Value;

use super::vectors::{
    class, covered, delays_alone, drawn, name, numbers, policy, report, rows, sequence, share, within,
};

/// Relative agreement, where the library itself does not round.
pub const RELATIVE: f64 = 1e-9;

/// Sequences drawn for a distribution.
const SEQUENCES: u32 = 20_000;

/// Standard errors that a mean or a share may be away; about 2,000 comparisons under one fixed seed.
pub const Z: f64 = 4.5;

/// What differs between the library's delays and ours, with every draw fixed.
fn differences(vector: &Value) -> Vec<String> {
    let policy = delays_alone(&policy(vector));
    let within = within(vector);
    let hint = vector["hint_s"].as_f64();
    let mut problems = Vec::new();
    for (u, theirs) in vector["u"].as_array().unwrap().iter().zip(vector["delays"].as_array().unwrap()) {
        let theirs = numbers(theirs);
        let fixed = Fixed(u.as_str().unwrap().parse().unwrap());
        let ours = sequence(&policy, class(vector), hint, theirs.len(), |_| fixed);
        let agree = |(a, b): (&f64, &f64)| (a - b).abs() <= RELATIVE * b.abs() + within;
        if !ours.iter().zip(&theirs).all(agree) {
            problems.push(format!("{} at u = {u}\n  ours   {ours:?}\n  theirs {theirs:?}", name(vector)));
        }
    }
    problems
}

#[test]
fn delays_without_randomness() {
    let all = covered("deterministic");
    assert_eq!(all.len(), 28);
    report(&all.iter().flat_map(differences).collect::<Vec<_>>());
}

#[test]
fn delays_with_every_draw_fixed() {
    let all = covered("injected");
    assert_eq!(all.len(), 52);
    report(&all.iter().flat_map(differences).collect::<Vec<_>>());
}

#[test]
fn distributions_of_delays() {
    let all = covered("statistical");
    assert_eq!(all.len(), 24);
    report(&all.iter().flat_map(distribution).collect::<Vec<_>>());
}

/// Means by their standard error; quantiles by the shares of our draws below and up to them; a point mass at the
/// maximum by its share.
fn distribution(vector: &Value) -> Vec<String> {
    let (means, within) = (numbers(&vector["mean"]), within(vector));
    let ours = drawn(&policy(vector), class(vector), means.len(), SEQUENCES);
    let per_draw = 1.0 / f64::from(SEQUENCES) + 1.0 / vector["draws"].as_f64().unwrap();
    let mut problems = Vec::new();
    for (i, (delays, mean)) in ours.iter().zip(&means).enumerate() {
        let at = format!("{} before retry {}", name(vector), i + 1);
        let (own, variance) = moments(delays);
        if (own - mean).abs() - within - RELATIVE * mean > Z * (variance * per_draw).sqrt() {
            problems.push(format!("{at}: mean {own}, the library's {mean}"));
        }
        let half = |p: f64| Z * (p * (1.0 - p) * per_draw).sqrt();
        for (p, quantiles) in vector["quantiles"].as_object().unwrap() {
            let (p, q) = (p.parse::<f64>().unwrap(), quantiles[i].as_f64().unwrap());
            let slack = within + RELATIVE * q;
            let (below, up_to) = (1.0 - share(delays, q - slack, f64::MAX), share(delays, 0.0, q + slack));
            if below > p + half(p) || up_to < p - half(p) {
                problems
                    .push(format!("{at}: {below} to {up_to} of our delays lie below the {p} quantile {q}"));
            }
        }
        let (max, theirs) = (vector["max"][i].as_f64().unwrap(), vector["share_at_max"][i].as_f64().unwrap());
        if theirs > 0.01 && within == 0.0 {
            let ours = share(delays, max * (1.0 - RELATIVE), max * (1.0 + RELATIVE));
            if (ours - theirs).abs() > half(theirs) {
                problems.push(format!("{at}: {ours} of our delays are {max}, the library's {theirs}"));
            }
        }
    }
    problems
}

/// Mean and variance.
#[expect(clippy::cast_precision_loss, reason = "thousands")]
pub fn moments(delays: &[f64]) -> (f64, f64) {
    let n = delays.len() as f64;
    let mean = delays.iter().sum::<f64>() / n;
    (mean, delays.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

#[test]
fn sets_of_values() {
    let all = covered("histogram");
    assert_eq!(all.len(), 2);
    let mut problems = Vec::new();
    for vector in &all {
        let ours = drawn(&policy(vector), class(vector), 8, SEQUENCES);
        for (n, values) in vector["retries"].as_object().unwrap() {
            let delays = &ours[n.parse::<usize>().unwrap() - 1];
            let total: f64 = values.as_object().unwrap().values().map(|n| n.as_f64().unwrap()).sum();
            let per_draw = 1.0 / f64::from(SEQUENCES) + 1.0 / total;
            let mut all_of_them = 0.0;
            for (value, count) in values.as_object().unwrap() {
                let (value, theirs) = (value.parse::<f64>().unwrap(), count.as_f64().unwrap() / total);
                let ours = share(delays, value * (1.0 - RELATIVE), value * (1.0 + RELATIVE));
                all_of_them += ours;
                if (ours - theirs).abs() > Z * (theirs * (1.0 - theirs) * per_draw).sqrt() {
                    problems
                        .push(format!("{}, retry {n}: {ours} are {value}, theirs {theirs}", name(vector)));
                }
            }
            if all_of_them < 1.0 - RELATIVE {
                problems
                    .push(format!("{}, retry {n}: only {all_of_them} have values of theirs", name(vector)));
            }
        }
    }
    report(&problems);
}

/// Beyond the place where a library overflows, delays stay finite and don't fall.
#[test]
fn late_delays() {
    let all = covered("late");
    assert_eq!(all.len(), 3);
    for vector in &all {
        let (name, policy) = (name(vector), policy(vector).compile(Unit::S));
        let mut last = 0.0;
        for row in rows(vector) {
            let n = u32::try_from(row["n"].as_u64().unwrap()).unwrap();
            for u in [0.0, 0.25, 0.5, 0.75, 1.0 - f64::EPSILON / 2.0] {
                let ours = policy.delay(n, None, &mut policy.memory(), &mut Fixed(u)).unwrap();
                assert!(ours.is_finite() && ours >= 0.0, "{name}: {ours} before retry {n}");
                if let Some(theirs) = row["delay_s"].as_f64() {
                    assert!((ours - theirs).abs() <= RELATIVE * theirs, "{name}: {ours} before retry {n}");
                }
                assert!(row["is_zero"] != false || ours > 0.0, "{name}: 0 before retry {n}");
            }
            let ours = policy.delay(n, None, &mut policy.memory(), &mut Fixed(0.5)).unwrap();
            assert!(ours >= last, "{name}: {ours} before retry {n}, after {last}");
            last = ours;
        }
    }
}

/// All calls of a process draw the same; another process draws something else.
#[test]
fn makers_that_clone_their_generator() {
    let all = covered("makers");
    assert_eq!(all.len(), 2);
    for vector in &all {
        let policy = delays_alone(&policy(vector));
        let retries = u32::try_from(vector["retries"].as_u64().unwrap()).unwrap();
        for (processes, distinct) in [(1, vector["distinct"].as_u64().unwrap()), (7, 7)] {
            let mut callers = Callers::new(&policy, Population { clients: 1000, processes });
            let mut seen = vec![BTreeSet::new(); retries as usize];
            for client in 0..1000 {
                let (mut call, mut draws) = (callers.call(client, client, 0.0), Philox::new(1, 0));
                for (n, seen) in (1..).zip(&mut seen) {
                    let failure = Failure { class: Class::Error, hint: None, sent: 0.0 };
                    let mut stream = draws.at(Purpose::Attempt, client, n);
                    let Decision::Retry(delay) = callers.on_failure(&mut call, 0.0, failure, &mut stream)
                    else {
                        panic!("no retry {n}");
                    };
                    seen.insert(delay.to_bits());
                }
            }
            assert!(seen.iter().all(|delays| delays.len() as u64 == distinct), "{processes} processes");
        }
    }
}
