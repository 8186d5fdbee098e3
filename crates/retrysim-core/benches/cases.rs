//! What is measured: a scenario, one of its policies, and how many runs make a sample.

use retrysim_core::{
    Generator, Plan, RunConfig, Scenario, Span,
    scenario::{Burst, Workload},
    simulate,
};

/// One line of the table.
pub struct Case {
    /// Scenario, number of clients where it varies, and policy.
    pub name: String,
    scenario: Scenario,
    policy: &'static str,
    /// Runs of a sample.
    pub runs: u64,
}

impl Case {
    /// Simulates `runs` runs on one thread with the default generator; gives the number of requests.
    pub fn run(&self, runs: u64) -> u64 {
        let config = RunConfig {
            generator: Some(Generator::Philox),
            threads: Some(1),
            ..RunConfig::new(Plan::Runs { seed: 1, runs })
        };
        let runs = simulate(&self.scenario, &[self.policy], &config).expect("a bundled scenario");
        let attempts = runs.column(self.policy, "attempts").expect("every service counts attempts");
        // Counts are whole and small.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
        let requests = attempts.iter().sum::<f64>() as u64;
        requests
    }
}

/// All cases.
pub fn all() -> Vec<Case> {
    let case = |scenario: &str, policy, runs| Case {
        name: format!("{scenario}/{policy}"),
        scenario: bundled(scenario),
        policy,
        runs,
    };
    let mut immediate = case("herd", "immediate", 2);
    // It never gets better.
    immediate.scenario.horizon = Span::from_secs(3);
    let mut all = vec![
        immediate,
        case("herd", "full", 200),
        case("herd", "equal", 200),
        case("herd", "decorrelated", 200),
        case("devices", "full", 40),
        case("devices", "decorrelated", 40),
        case("burst", "full", 1_000),
        case("overload", "full", 20_000),
        case("overload", "exponential", 20_000),
        case("budget", "attempts_4", 20),
        case("budget", "grpc_throttling", 20),
        case("budget", "ratio_10pct", 20),
        case("amplification", "budget_request", 1_000),
        case("black_hole", "at_once", 10),
        case("black_hole", "hedged", 10),
    ];
    for clients in [10, 50, 100, 200] {
        let mut case = case("contention", "full", 2_000_000 / u64::from(clients * clients));
        case.name = format!("contention/{clients}/full");
        case.scenario.workload = Workload::Burst(Burst::new(clients, Span::ZERO));
        all.push(case);
    }
    let mut million = case("herd", "full", 1);
    million.name = "herd/1000000/full".into();
    million.scenario.workload = Workload::Burst(Burst::new(1_000_000, Span::ZERO));
    all.push(million);
    all
}

fn bundled(name: &str) -> Scenario {
    let path = format!("{}/../../data/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::from_toml(&std::fs::read_to_string(path).expect("a file of the repository"))
        .expect("a bundled scenario")
}
