//! What holds for every policy and every scenario, whatever its numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod budgets;
mod facts;
mod generate;
mod lints;
mod policies;
mod refusals;
mod scenarios;
mod together;
mod workers;

use proptest::test_runner::{Config, RngSeed};
use retrysim_core::{
    Plan, RunConfig, Runs, Scenario,
    draw::Philox,
    policy::Compiled,
    record::Recorder,
    service::{Kernel, Service},
    simulate,
};

/// So many cases, the same ones every time, and no files left behind.
fn cases(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(2026), failure_persistence: None, ..Config::default() }
}

/// A bundled scenario.
fn bundled(name: &str) -> Scenario {
    let path = format!("{}/../../data/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Every bundled scenario.
fn all_bundled() -> Vec<Scenario> {
    let folder = format!("{}/../../data/scenarios", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            entry.unwrap().file_name().into_string().unwrap().strip_suffix(".toml").map(Into::into)
        })
        .collect();
    names.sort();
    names.iter().map(|name| bundled(name)).collect()
}

/// All policies of a scenario, `runs` times under `seed`.
fn run(scenario: &Scenario, seed: u64, runs: u64, threads: usize) -> Runs {
    let names: Vec<&String> = scenario.policy.keys().collect();
    let config = RunConfig { threads: Some(threads), ..RunConfig::new(Plan::Runs { seed, runs }) };
    simulate(scenario, &names, &config).unwrap()
}

/// Values by their bits, so that NaN equals NaN.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// One run of the scenario's first policy, watched by a recorder.
fn watch<R: Recorder>(scenario: &Scenario, seed: u64, recorder: &mut R) {
    let policy = scenario.policy[0].compile(scenario.unit);
    match &scenario.service {
        Service::TickCapacity(service) => one(&service.prepare(scenario), &policy, seed, recorder),
        Service::WindowCapacity(service) => one(&service.prepare(scenario), &policy, seed, recorder),
        Service::Overload(service) => one(&service.prepare(scenario), &policy, seed, recorder),
        Service::Contention(service) => one(&service.prepare(scenario), &policy, seed, recorder),
        Service::Failures(service) => one(&service.prepare(scenario), &policy, seed, recorder),
        Service::Layers(service) => one(&service.prepare(scenario), &policy, seed, recorder),
        Service::Workers(service) => one(&service.prepare(scenario), &policy, seed, recorder),
    }
}

fn one<K: Kernel, R: Recorder>(kernel: &K, policy: &Compiled, seed: u64, recorder: &mut R) {
    let mut row = vec![f64::NAN; kernel.columns().len()];
    kernel.run(policy, &mut Philox::new(seed, 0), recorder, &mut K::Scratch::default(), &mut row);
}
