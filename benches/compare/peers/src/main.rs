//! Runs a model for so many seconds of processor time and prints what came out, as JSON:
//! `peers ENGINE MODEL SECONDS SEED`.

mod engine;
mod luck;
mod with_nexosim;
mod with_simrs;

use std::{env, error::Error};

use cpu_time::ProcessTime;
use rand::{SeedableRng, rngs::SmallRng};
use serde_json::json;

/// Clients of the contention model.
pub const CLIENTS: usize = 100;

/// What a run gives: requests, and the second in which it was finished if it was.
pub type Run = (f64, Option<f64>);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [engine, model, seconds, seed] = arguments.as_slice() else {
        return Err("usage: peers retrysim|nexosim|simrs MODEL SECONDS SEED".into());
    };
    let (seconds, seed): (f64, u64) = (seconds.parse()?, seed.parse()?);
    let mut seeds = SmallRng::seed_from_u64(seed);
    let mut some_runs: Box<dyn FnMut() -> Vec<Run>> = match (engine.as_str(), model.as_str()) {
        ("retrysim", _) => Box::new(engine::runs(model, seed)?),
        ("nexosim", "contention") => {
            Box::new(move || vec![with_nexosim::run(SmallRng::from_rng(&mut seeds))])
        }
        ("simrs", "contention") => Box::new(move || vec![with_simrs::run(SmallRng::from_rng(&mut seeds))]),
        _ => return Err(format!("{engine} has no {model}").into()),
    };

    let mut runs = Vec::new();
    let begin = ProcessTime::now();
    while begin.elapsed().as_secs_f64() < seconds {
        runs.extend(some_runs());
    }
    let spent = begin.elapsed().as_secs_f64();
    let requests: Vec<f64> = runs.iter().map(|run| run.0).collect();
    let finish: Vec<f64> = runs.iter().filter_map(|run| run.1).collect();
    println!("{}", json!({ "seconds": spent, "requests": sums(&requests), "finish": sums(&finish) }));
    Ok(())
}

/// How many, their sum, and the sum of their squares.
fn sums(values: &[f64]) -> (usize, f64, f64) {
    (values.len(), values.iter().sum(), values.iter().map(|value| value * value).sum())
}
