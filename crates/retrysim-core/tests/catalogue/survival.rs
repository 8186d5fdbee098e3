//! How much jitter is left: means, and shares of clients that wait exactly the same time, as sampled elsewhere.

use retrysim_core::Catalogue;
use serde_json::Value;

use super::{
    delays::{Z, moments},
    vectors::{class, drawn, numbers, report, within},
};

/// Sequences drawn.
const SEQUENCES: u32 = 20_000;

/// Smaller shares are not compared: the largest of many equal ones depends on how many sequences were drawn.
const LEAST_MASS: f64 = 0.03;

#[test]
fn means_and_point_masses() {
    let file: Value = serde_json::from_str(include_str!("../../data/vectors/library_survival.json")).unwrap();
    let per_draw = 1.0 / f64::from(SEQUENCES) + 1.0 / file["sequences"].as_f64().unwrap();
    let policies = file["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 139);
    let compared: Vec<_> = policies.iter().filter(|sampled| sampled["not_compared"].is_null()).collect();
    assert_eq!(compared.len(), 137);
    report(&compared.into_iter().flat_map(|sampled| differences(sampled, per_draw)).collect::<Vec<_>>());
}

fn differences(sampled: &Value, per_draw: f64) -> Vec<String> {
    let name = sampled["policy"].as_str().unwrap();
    let policy = Catalogue::bundled().policy(name).unwrap();
    let (means, masses, within) = (numbers(&sampled["mean"]), numbers(&sampled["mass"]), within(sampled));
    let ours = drawn(policy, class(sampled), 12, SEQUENCES);
    let mut problems = Vec::new();
    for ((n, mean), mass) in sampled["n"].as_array().unwrap().iter().zip(means).zip(masses) {
        let delays = &ours[usize::try_from(n.as_u64().unwrap()).unwrap() - 1];
        let (own, variance) = moments(delays);
        if (own - mean).abs() > Z * (variance * per_draw).sqrt() + within + 1e-6 * mean {
            problems.push(format!("{name} before retry {n}: mean {own}, sampled {mean}"));
        }
        let own = largest_mass(delays);
        let p = if within > 0.0 { mass } else { own.max(mass) };
        if p > LEAST_MASS && (own - mass).abs() > Z * (p * (1.0 - p) * per_draw).sqrt() {
            problems.push(format!("{name} before retry {n}: {own} wait the same time, sampled {mass}"));
        }
    }
    problems
}

/// The largest share of sorted delays that are the same.
#[expect(clippy::cast_precision_loss, reason = "thousands")]
fn largest_mass(delays: &[f64]) -> f64 {
    let most = delays.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap();
    most as f64 / delays.len() as f64
}
