//! The experiments of the source documents, a call each: for notebooks and write-ups.

use polars::prelude::DataFrame;
use retrysim_core::{Plan, Scenario, Span, stats};
use toml::Value;

use crate::{
    bundled,
    error::Error,
    frame::{Cells, column},
    simulation::{Record, RunConfig, Simulation, simulate},
    sweep::{Design, Sweep, as_number, sweep},
};

/// The six clients under full jitter.
#[derive(Clone, Debug)]
pub struct SixClients {
    /// The runs.
    pub simulation: Simulation,
    /// Median attempts with its 95 % order-statistic interval.
    pub median: stats::Estimate,
    /// Share of runs in which all six succeed, with its 95 % Wilson interval.
    pub all_six: stats::Estimate,
}

impl SixClients {
    /// How often each number of attempts occurred: attempts, runs, share with its 95 % Wilson interval.
    ///
    /// # Errors
    /// Never; the columns are of one length.
    pub fn pmf(&self) -> Result<DataFrame, Error> {
        let attempts = stats::sorted(&self.simulation.metric("full", "attempts")?);
        let (mut values, mut counts) = (Vec::new(), Vec::new());
        let mut shares: [Vec<f64>; 3] = Default::default();
        #[expect(clippy::float_cmp, reason = "counts are whole")]
        for group in attempts.chunk_by(|a, b| a == b) {
            let share = stats::share(group.len() as u64, attempts.len() as u64, 0.95);
            values.push(whole(group[0]));
            counts.push(i64::try_from(group.len()).unwrap_or(i64::MAX));
            for (column, value) in shares.iter_mut().zip([share.value, share.low, share.high]) {
                column.push(value);
            }
        }
        let [share, low, high] = shares;
        let columns = vec![
            column("attempts", Cells::Whole(values)),
            column("runs", Cells::Whole(counts)),
            column("share", Cells::Number(share)),
            column("ci_low", Cells::Number(low)),
            column("ci_high", Cells::Number(high)),
        ];
        DataFrame::new_infer_height(columns).map_err(Error::Frame)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "counts are whole and below 2^53")]
const fn whole(x: f64) -> i64 {
    x as i64
}

/// The median of `runs` runs of the six clients: published as 19 for 20,000.
///
/// ```
/// let six = retrysim::experiment::median_of_runs(20_000)?;
/// assert_eq!(six.median.value, 19.0);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for more runs than can be held.
pub fn median_of_runs(runs: u64) -> Result<SixClients, Error> {
    let simulation = simulate(&bundled::scenario("overload")?, &RunConfig::runs(runs).policies(["full"]))?;
    let median = stats::median(&simulation.metric("full", "attempts")?, 0.95);
    #[expect(clippy::float_cmp, reason = "a count")]
    let all = simulation.metric("full", "successes")?.iter().filter(|n| **n == 6.0).count() as u64;
    Ok(SixClients { simulation, median, all_six: stats::share(all, runs, 0.95) })
}

/// The herd as published (20 seeds of the program's own generator), and `runs` keyed runs beside it.
///
/// ```
/// let (published, keyed) = retrysim::experiment::herd_seed_sweep(10)?;
/// assert_eq!((published.runs.plan.len(), keyed.runs.plan.len()), (20, 10));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for more runs than can be held.
pub fn herd_seed_sweep(runs: u64) -> Result<(Simulation, Simulation), Error> {
    let scenario = bundled::scenario("herd")?;
    let published = simulate(&scenario, &RunConfig::published(&scenario))?;
    let policies = ["full", "equal", "decorrelated"];
    let config = RunConfig::runs(runs).policies(policies).generator(retrysim_core::Generator::Philox);
    Ok((published, simulate(&scenario, &config)?))
}

/// Outage and recovery under retry budgets: arrivals by second and the tokens of one client (seed 0), and
/// totals of the published seeds.
///
/// ```
/// let (totals, timeline) = retrysim::experiment::budget_experiment()?;
/// assert_eq!(totals.metric("no_retry", "load")?[0], 1.0);
/// assert!(timeline.timeline_frame()?.height() > 0);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never for the bundled scenario.
pub fn budget_experiment() -> Result<(Simulation, Simulation), Error> {
    let scenario = bundled::scenario("budget")?;
    let totals = simulate(&scenario, &RunConfig::published(&scenario))?;
    let config = RunConfig::plan(Plan::Seeds(vec![0])).record(Record::Timeline(Span::from_secs(1)));
    Ok((totals, simulate(&scenario, &config)?))
}

/// Calls and time against the number of clients that contend for one row.
///
/// ```
/// let curves = retrysim::experiment::contention_curves(&[2, 10], 50)?;
/// assert_eq!(curves.points[0].simulation.metric("none", "attempts")?[0], 3.0);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for no clients, or more runs than can be held.
pub fn contention_curves(clients: &[u32], runs: u64) -> Result<Sweep, Error> {
    let clients = clients.iter().map(|n| Value::Integer(i64::from(*n)));
    sweep(&Design::new("contention", runs).vary("workload.clients", clients))
}

/// Where one policy overtakes another: neighbouring points of a sweep over `path` between which the sign of
/// the difference of means changes, with the crossing by linear interpolation: `(before, after, crossing)`.
///
/// ```
/// use retrysim::experiment::{contention_curves, crossings};
///
/// let curves = contention_curves(&[10, 30], 300)?;
/// let found = crossings(&curves, "workload.clients", "attempts", "decorrelated", "full")?;
/// assert!(found[0].2 > 10.0 && found[0].2 < 30.0);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a policy or metric that isn't there.
pub fn crossings(
    sweep: &Sweep,
    path: &str,
    metric: &str,
    a: &str,
    b: &str,
) -> Result<Vec<(f64, f64, f64)>, Error> {
    let mut differences = Vec::new();
    for point in &sweep.points {
        let at = point.values.get(path).and_then(as_number).unwrap_or(f64::NAN);
        let mean = |policy| point.simulation.metric(policy, metric).map(|values| stats::mean_sd(&values).0);
        differences.push((at, mean(a)? - mean(b)?));
    }
    let crossing = |pair: &[(f64, f64)]| {
        let ((x0, d0), (x1, d1)) = (pair[0], pair[1]);
        (d0 * d1 < 0.0).then(|| (x0, x1, x0 + (x1 - x0) * d0 / (d0 - d1)))
    };
    Ok(differences.windows(2).filter_map(crossing).collect())
}

/// The Retry-After variants of the 2,000 devices, as published, and one that is compared like for like: the
/// same jitter before the recovery, then obedience.
///
/// ```
/// let devices = retrysim::experiment::retry_after_devices()?;
/// assert_eq!(devices.runs.policies.len(), 5);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never for the bundled scenario.
pub fn retry_after_devices() -> Result<Simulation, Error> {
    let mut scenario: Scenario = bundled::scenario("devices")?;
    let mut like_for_like = scenario.policy("retry_after_ignored")?.clone();
    like_for_like.hint = scenario.policy("retry_after_obeyed")?.hint.clone();
    scenario.policy.insert("retry_after_obeyed_with_jitter".into(), like_for_like);
    let names: Vec<String> =
        scenario.policy.keys().filter(|name| name.starts_with("retry_after")).cloned().collect();
    simulate(&scenario, &RunConfig::published(&scenario).policies(names))
}
