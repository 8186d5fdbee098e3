//! The vectors that were kept of the libraries, and the real way through a policy that answers them.

use std::collections::BTreeSet;

use retrysim_core::{
    Catalogue, Policy, Unit,
    callers::{Callers, Decision, Failure},
    draw::{Draws, Philox, Purpose, Stream},
    policy::{Compiled, breaker::Open, class::Class, scope::Population, state::Anchor, stop::Stop},
};
use serde_json::Value;

pub const ALONE: Population = Population { clients: 1, processes: 1 };

/// The checks of this test, by the mode of a vector.
const MODES: [&str; 13] = [
    "deterministic",
    "injected",
    "statistical",
    "histogram",
    "late",
    "makers",
    "hints",
    "quota",
    "tokens",
    "refusals",
    "ratios",
    "seconds",
    "cubic",
];

pub fn file() -> Value {
    serde_json::from_str(include_str!("../../data/vectors/library_golden.json")).unwrap()
}

/// Vectors of the libraries and those beside them.
fn all() -> Vec<Value> {
    let file = file();
    ["vectors", "extra"].iter().flat_map(|list| file[*list].as_array().unwrap().clone()).collect()
}

/// Vectors that are compared in this way.
pub fn covered(mode: &str) -> Vec<Value> {
    all().into_iter().filter(|vector| vector["mode"] == mode && vector["not_covered"].is_null()).collect()
}

/// The policy beside a vector.
pub fn policy(vector: &Value) -> Policy {
    match vector["policy"].as_str() {
        Some(name) => Catalogue::bundled().policy(name).unwrap().clone(),
        None => {
            let toml = toml::to_string(&serde_json::json!({ "delay": vector["delay"] })).unwrap();
            Policy::from_toml(&toml).unwrap()
        }
    }
}

pub fn name(vector: &Value) -> String {
    format!("{}: {}", vector["policy"].as_str().unwrap_or("(no entry)"), vector["id"].as_str().unwrap())
}

/// How far the library's own rounding may lead, in seconds.
pub fn within(vector: &Value) -> f64 {
    let within = vector["within_s"].as_f64().unwrap_or(0.0);
    assert!(within == 0.0 || vector["why"].is_string(), "a tolerance needs a reason: {vector}");
    within
}

pub fn class(vector: &Value) -> Class {
    let class = vector["class"].as_str().unwrap_or("error");
    Class::ALL.into_iter().find(|known| known.name() == class).unwrap()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

pub fn rows(vector: &Value) -> &[Value] {
    vector["rows"].as_array().unwrap()
}

pub fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} differences\n{}", problems.len(), problems.join("\n"));
}

/// The delays alone: never given up, and never refused. Of a breaker: how long it stays open.
pub fn delays_alone(policy: &Policy) -> Compiled {
    let mut alone = Policy { stop: Stop::default(), budget: Vec::new(), ..policy.clone() };
    for own in [&mut alone.on.throttle, &mut alone.on.timeout, &mut alone.on.error].into_iter().flatten() {
        own.stop = None;
    }
    if let Some(Open::Stages(stages)) = alone.breaker.map(|breaker| breaker.open) {
        alone.delay = stages;
    }
    (alone.limiter, alone.breaker, alone.anchor) = (None, None, Anchor::default());
    alone.compile(Unit::S)
}

/// The delays before the first retries of a call that fails again and again.
pub fn sequence<S: Stream>(
    policy: &Compiled,
    class: Class,
    hint: Option<f64>,
    retries: usize,
    mut stream: impl FnMut(u32) -> S,
) -> Vec<f64> {
    let mut callers = Callers::new(policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    let mut now = 0.0;
    let delay = |n| {
        callers.on_send(&call, now);
        match callers.on_failure(&mut call, now, Failure { class, hint, sent: now }, &mut stream(n)) {
            Decision::Retry(delay) => {
                now += delay;
                delay
            }
            other => panic!("{other:?} instead of retry {n}"),
        }
    };
    (1..=u32::try_from(retries).unwrap()).map(delay).collect()
}

/// Delays of many sequences: `[retry][sequence]`, sorted.
pub fn drawn(policy: &Policy, class: Class, retries: usize, sequences: u32) -> Vec<Vec<f64>> {
    let policy = delays_alone(policy);
    let mut by_retry = vec![Vec::with_capacity(sequences as usize); retries];
    for run in 0..sequences {
        let key = |n| Philox::new(2026, u64::from(run)).at(Purpose::Attempt, 0, n);
        for (delay, delays) in sequence(&policy, class, None, retries, key).into_iter().zip(&mut by_retry) {
            delays.push(delay);
        }
    }
    by_retry.iter_mut().for_each(|delays| delays.sort_by(f64::total_cmp));
    by_retry
}

/// The share of sorted delays that lie in `from..=to`.
#[expect(clippy::cast_precision_loss, reason = "thousands")]
pub fn share(delays: &[f64], from: f64, to: f64) -> f64 {
    let inside = delays.partition_point(|x| *x <= to) - delays.partition_point(|x| *x < from);
    inside as f64 / delays.len() as f64
}

#[test]
fn every_vector_is_compared_or_listed() {
    let file = file();
    let vectors = file["vectors"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    let mut left_out = Vec::new();
    for vector in vectors {
        let name = name(vector);
        assert!(ids.insert((vector["id"].as_str(), vector["mode"].as_str())), "{name} twice");
        if vector["not_covered"].is_null() {
            assert!(MODES.contains(&vector["mode"].as_str().unwrap()), "{name}: nothing compares it");
            policy(vector);
        } else {
            left_out.push(vector["id"].as_str().unwrap());
        }
    }
    assert_eq!(vectors.len(), 126);
    assert_eq!(
        left_out,
        [
            "js/retry@0.13.1/timeouts(randomize,factor=1.2) [sorted]",
            "ruby/sidekiq@6.4.1/distinct-values-at-count-19"
        ]
    );
    let rows_left_out =
        all().into_iter().flat_map(|vector| vector["rows"].as_array().cloned().unwrap_or_default());
    assert_eq!(rows_left_out.filter(|row| row["skip"].is_string()).count(), 20);
}

/// Notes name 29 vectors that were not kept.
#[test]
fn missing_vectors_are_listed() {
    let file = file();
    let missing = file["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 29);
    for vector in missing {
        assert!(all().iter().all(|kept| kept["id"] != vector["id"]), "{} is there", vector["id"]);
    }
}
