//! As many runs as an interval needs.

use retrysim_core::{Error as CoreError, Plan, Scenario, stats};

use crate::{
    error::Error,
    simulation::{RunConfig, Simulation, simulate},
    summary::{check_confidence, statistics},
};

/// Runs of the first round.
const FIRST: u64 = 256;

/// What to reach: a statistic of a metric of one policy, and the half-width of its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// The policy.
    pub policy: String,
    /// The metric.
    pub metric: String,
    /// A statistic with an interval: mean, p50, p90, p95, p99 or p99.9.
    pub statistic: String,
    /// Half of the width that the interval may have, in the metric's unit.
    pub half_width: f64,
    /// Level of the interval.
    pub confidence: f64,
    /// Runs at the most.
    pub max_runs: u64,
}

/// Doubles the number of keyed runs until the interval is narrow enough or `max_runs` is reached, and gives
/// the last round with its estimate. The earlier runs are part of every later round, so that the result is
/// that of one simulation with the final number of runs.
///
/// Looking again after every round makes the level of the interval nominal: with a few doublings the true
/// coverage lies a little below `confidence`.
///
/// ```
/// use retrysim::{Precision, RunConfig, bundled, until_precise};
///
/// let wanted = Precision {
///     policy: "full".into(),
///     metric: "attempts".into(),
///     statistic: "mean".into(),
///     half_width: 0.1,
///     confidence: 0.95,
///     max_runs: 100_000,
/// };
/// let (_, mean) = until_precise(&bundled::scenario("overload")?, &RunConfig::runs(1), &wanted)?;
/// assert!(mean.high - mean.low <= 0.2);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a name that isn't there or a width that can't be reached.
pub fn until_precise(
    scenario: &Scenario,
    config: &RunConfig,
    wanted: &Precision,
) -> Result<(Simulation, stats::Estimate), Error> {
    check_confidence(wanted.confidence)?;
    if !(wanted.half_width.is_finite() && wanted.half_width > 0.0) {
        return Err(CoreError::invalid("half_width", wanted.half_width, "a number above 0").into());
    }
    let seed = match &config.plan {
        Plan::Runs { seed, .. } | Plan::Every { seed, .. } => *seed,
        Plan::Seeds(seeds) => seeds.first().copied().unwrap_or(0),
    };
    let mut runs = FIRST.min(wanted.max_runs.max(1));
    loop {
        let plan = Plan::Runs { seed, runs };
        let config = RunConfig { plan, policies: vec![wanted.policy.clone()], ..config.clone() };
        let simulation = simulate(scenario, &config)?;
        let values = simulation.metric(&wanted.policy, &wanted.metric)?;
        let (all, _) = statistics(&values, wanted.confidence);
        let with_interval = all.iter().filter(|statistic| !statistic.method.is_empty());
        let names: Vec<&str> = with_interval.map(|statistic| statistic.name).collect();
        let found = all
            .iter()
            .find(|statistic| statistic.name == wanted.statistic && names.contains(&statistic.name));
        let Some(statistic) = found else {
            let (kind, name) = ("statistic with an interval", wanted.statistic.clone());
            return Err(CoreError::Unknown { kind, name, known: names.join(", ") }.into());
        };
        let estimate = statistic.estimate;
        if (estimate.high - estimate.low) / 2.0 <= wanted.half_width || runs >= wanted.max_runs {
            return Ok((simulation, estimate));
        }
        runs = runs.saturating_mul(2).min(wanted.max_runs);
    }
}
