//! Figures of simulations and sweeps, a call each. What is seen is computed here; how it is drawn is in
//! [`crate::figure`].

mod fingerprint;
mod over_runs;
mod over_time;
mod relative;
mod sweeps;

pub use self::{
    fingerprint::{by_retry, fingerprint, fingerprint_of},
    over_runs::{bars, dots, ecdf},
    over_time::{arrivals, levels, rates, waits},
    relative::relative,
    sweeps::{curves, heat_map},
};
use crate::{
    figure::{self, Axis},
    simulation::Simulation,
};

/// Level of the intervals in figures.
const CONFIDENCE: f64 = 0.95;

/// A metric's axis: seconds and rates get their unit, underscores become spaces.
fn metric_axis(metric: &str) -> Axis {
    let (name, unit) = match metric.strip_suffix("_s") {
        Some(name) => (name, "s"),
        None => (metric, if metric == "peak_qps" { "per s" } else { "" }),
    };
    Axis::linear(name.replace('_', " "), unit)
}

fn runs_note(simulation: &Simulation) -> String {
    let runs = simulation.runs.plan.len();
    let s = if runs == 1 { "" } else { "s" };
    let runs = figure::group_digits(&runs.to_string());
    format!("{} · {runs} run{s} a policy · {}", simulation.scenario.name, simulation.generator().name())
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
const fn count(n: u64) -> f64 {
    n as f64
}
