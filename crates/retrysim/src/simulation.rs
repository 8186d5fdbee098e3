//! Monte Carlo runs of a scenario, kept so that frames can be made of them.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
};

use retrysim_core::{Generator, Plan, Runs, Scenario, Seeds, Span, record::Column, simulate::record};

use crate::{
    error::Error,
    log::{AttemptLog, Timeline},
};

/// Rows of an attempts or timeline frame at the most.
pub const MAX_ROWS: u64 = 50_000_000;

/// Told of every finished run, as (done, total), from any thread; `Break` stops the simulation.
pub type Progress<'a> = dyn Fn(u64, u64) -> ControlFlow<()> + Sync + 'a;

/// Progress that nobody watches.
pub const fn unwatched(_done: u64, _total: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// What is kept of a run beside its totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Record {
    /// Nothing: totals cost nothing extra.
    #[default]
    Totals,
    /// Counts by bin of this length.
    Timeline(Span),
    /// Every attempt.
    Attempts,
}

/// Which runs to make, and what to keep of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunConfig {
    /// Policies by name; all of the scenario if empty.
    pub policies: Vec<String>,
    /// Which runs.
    pub plan: Plan,
    /// The generator; the scenario's own if `None`.
    pub generator: Option<Generator>,
    /// Worker threads; all cores if `None`. Results do not depend on it.
    pub threads: Option<usize>,
    /// Metrics to keep; all if `None`. Memory grows with what is kept.
    pub metrics: Option<Vec<String>>,
    /// What to keep beside totals.
    pub record: Record,
}

impl RunConfig {
    /// Runs 0, 1, ... under seed 0.
    #[must_use]
    pub const fn runs(runs: u64) -> Self {
        Self::plan(Plan::Runs { seed: 0, runs })
    }

    /// One published-style run a seed.
    #[must_use]
    pub fn seeds(seeds: impl IntoIterator<Item = u64>) -> Self {
        Self::plan(Plan::Seeds(seeds.into_iter().collect()))
    }

    /// The scenario's own seeds.
    #[must_use]
    pub fn published(scenario: &Scenario) -> Self {
        let Seeds(seeds) = scenario.seeds.clone();
        Self::plan(Plan::Seeds(seeds))
    }

    /// Any plan, all policies, totals.
    #[must_use]
    pub const fn plan(plan: Plan) -> Self {
        Self {
            policies: Vec::new(),
            plan,
            generator: None,
            threads: None,
            metrics: None,
            record: Record::Totals,
        }
    }

    /// Sets the seed of keyed runs; a plan by seeds becomes this one seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan = match self.plan {
            Plan::Runs { runs, .. } => Plan::Runs { seed, runs },
            Plan::Every { first, step, runs, .. } => Plan::Every { seed, first, step, runs },
            Plan::Seeds(_) => Plan::Seeds(vec![seed]),
        };
        self
    }

    /// Sets the policies.
    #[must_use]
    pub fn policies<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.policies = names.into_iter().map(Into::into).collect();
        self
    }

    /// Keeps these metrics only.
    #[must_use]
    pub fn metrics<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.metrics = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the generator.
    #[must_use]
    pub const fn generator(mut self, generator: Generator) -> Self {
        self.generator = Some(generator);
        self
    }

    /// Sets what is kept beside totals.
    #[must_use]
    pub const fn record(mut self, record: Record) -> Self {
        self.record = record;
        self
    }

    /// Sets the number of worker threads.
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    fn core(&self) -> retrysim_core::RunConfig {
        retrysim_core::RunConfig {
            plan: self.plan.clone(),
            generator: self.generator,
            threads: self.threads,
            columns: self.metrics.clone(),
        }
    }
}

/// Runs of a scenario, and what was kept of them.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What was run.
    pub scenario: Scenario,
    /// How it was run.
    pub config: RunConfig,
    /// Totals, a row a run.
    pub runs: Runs,
    /// Attempts, a log a run; empty unless recorded.
    pub attempts: Vec<AttemptLog>,
    /// Counts by bin, one a run; empty unless recorded.
    pub timelines: Vec<Timeline>,
}

/// Runs a scenario.
///
/// ```
/// use retrysim::{RunConfig, bundled, simulate};
///
/// let scenario = bundled::scenario("overload")?;
/// let simulation = simulate(&scenario, &RunConfig::runs(1_000).policies(["full"]))?;
/// assert_eq!(simulation.runs_frame()?.height(), 1_000);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a policy or metric that isn't there, a size that can't be held, a policy without end.
pub fn simulate(scenario: &Scenario, config: &RunConfig) -> Result<Simulation, Error> {
    simulate_with(scenario, config, &unwatched)
}

/// Runs a scenario and reports progress, which may stop it.
///
/// ```
/// use std::ops::ControlFlow;
/// use retrysim::{RunConfig, bundled, simulate_with};
///
/// let scenario = bundled::scenario("overload")?;
/// let runs = RunConfig::runs(10);
/// simulate_with(&scenario, &runs, &|_done, total| {
///     assert_eq!(total, 3 * 10); // three policies
///     ControlFlow::Continue(())
/// })?;
/// let stop = |done, _| if done < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
/// assert!(simulate_with(&scenario, &runs, &stop).is_err());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// As [`simulate`], and [`retrysim_core::Error::Interrupted`] after a `Break`.
pub fn simulate_with(
    scenario: &Scenario,
    config: &RunConfig,
    progress: &Progress<'_>,
) -> Result<Simulation, Error> {
    let names: Vec<String> = if config.policies.is_empty() {
        scenario.policy.keys().cloned().collect()
    } else {
        config.policies.clone()
    };
    check_size(scenario, &names, config)?;
    let total = (config.plan.len() as u64).saturating_mul(names.len() as u64);
    let done = AtomicU64::new(0);
    let tick = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
    let core = config.core();
    let (runs, attempts, timelines) = match config.record {
        Record::Totals => {
            let (runs, _) = record(scenario, &names, &core, || retrysim_core::record::Totals, &tick)?;
            (runs, Vec::new(), Vec::new())
        }
        Record::Timeline(bin) => {
            let (runs, lines) = record(scenario, &names, &core, || Timeline::new(scenario, bin), &tick)?;
            (runs, Vec::new(), lines)
        }
        Record::Attempts => {
            let (runs, logs) = record(scenario, &names, &core, AttemptLog::default, &tick)?;
            (runs, logs, Vec::new())
        }
    };
    let config = RunConfig { policies: names, ..config.clone() };
    Ok(Simulation { scenario: scenario.clone(), config, runs, attempts, timelines })
}

/// Refuses frames that would have too many rows, before anything is kept.
fn check_size(scenario: &Scenario, policies: &[String], config: &RunConfig) -> Result<(), Error> {
    let rows = match config.record {
        Record::Totals => return Ok(()),
        Record::Timeline(bin) => {
            bin.at_least("bin", Span::from_nanos(1))?;
            let bins = scenario.horizon.nanos().unsigned_abs().div_ceil(bin.nanos().unsigned_abs());
            u128::from(bins) * config.plan.len() as u128 * policies.len() as u128
        }
        // How many attempts there will be is known only by making them: once for the count, once to keep them.
        Record::Attempts => {
            let config = retrysim_core::RunConfig { columns: Some(vec!["attempts".into()]), ..config.core() };
            let counts = retrysim_core::simulate(scenario, policies, &config)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a sum of counts")]
            let rows = counts.values.iter().sum::<f64>() as u128;
            rows
        }
    };
    if rows > u128::from(MAX_ROWS) {
        let what = if config.record == Record::Attempts { "attempts" } else { "bins" };
        let allowed =
            format!("fewer runs or policies: {rows} {what} would be kept, at most {MAX_ROWS} can be");
        return Err(retrysim_core::Error::invalid("record", what, allowed).into());
    }
    Ok(())
}

impl Simulation {
    /// One metric of one policy, in order of runs; NaN where it doesn't exist.
    ///
    /// # Errors
    /// [`Error::Core`] for a policy or metric that isn't there.
    pub fn metric(&self, policy: &str, name: &str) -> Result<Vec<f64>, Error> {
        Ok(self.runs.column(policy, name)?)
    }

    /// The metrics that were kept.
    #[must_use]
    pub fn metrics(&self) -> &[Column] {
        &self.runs.columns
    }

    /// The generator that was used.
    #[must_use]
    pub fn generator(&self) -> Generator {
        self.config.generator.unwrap_or(self.scenario.generator)
    }

    /// (policy, seed, run) of every run, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        let Runs { policies, plan, .. } = &self.runs;
        policies.iter().flat_map(move |policy| {
            (0..plan.len()).map(move |i| {
                let (seed, run) = plan.key(i);
                (policy.as_str(), seed, run)
            })
        })
    }
}
