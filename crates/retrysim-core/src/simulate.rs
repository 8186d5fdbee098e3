//! Runs a scenario: policies times runs, spread over threads, gathered in order.

use std::{ops::ControlFlow, sync::atomic::AtomicBool};

use serde::{Deserialize, Serialize};

use crate::{
    callers::MAX_ATTEMPTS,
    draw::Generator,
    error::Error,
    limits::{MAX_STEPS, MAX_UNDER_WAY, on_threads},
    policy::Compiled,
    record::{Column, Recorder, Totals},
    scenario::Scenario,
    service::{Kernel, Service},
};

mod maker;
mod probe;
mod room;

use self::maker::Maker;

/// Numbers in a result at the most: 4 GB.
pub const MAX_VALUES: u64 = 500_000_000;

/// Which runs to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// One run a seed, as a published program makes them.
    Seeds(Vec<u64>),
    /// Runs 0, 1, 2, ... under one seed.
    Runs {
        /// The seed.
        seed: u64,
        /// How many runs.
        runs: u64,
    },
    /// Runs `first`, `first + step`, `first + 2 * step`, ... under one seed: a slice of [`Plan::Runs`].
    Every {
        /// The seed.
        seed: u64,
        /// The first run.
        first: u64,
        /// From one run to the next.
        step: u64,
        /// How many runs.
        runs: u64,
    },
}

impl Plan {
    /// Number of runs.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Seeds(seeds) => seeds.len(),
            Self::Runs { runs, .. } | Self::Every { runs, .. } => {
                usize::try_from(*runs).unwrap_or(usize::MAX)
            }
        }
    }

    /// Whether there is nothing to run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Seed and run number of the `i`-th run.
    #[must_use]
    pub fn key(&self, i: usize) -> (u64, u64) {
        match self {
            Self::Seeds(seeds) => (seeds[i], 0),
            Self::Runs { seed, .. } => (*seed, i as u64),
            Self::Every { seed, first, step, .. } => {
                (*seed, first.saturating_add(step.saturating_mul(i as u64)))
            }
        }
    }
}

/// How to run a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunConfig {
    /// Which runs.
    pub plan: Plan,
    /// The generator; the scenario's own if `None`.
    pub generator: Option<Generator>,
    /// Worker threads; all cores if `None`. Results do not depend on it.
    pub threads: Option<usize>,
    /// Columns to keep, in this order; all if `None`. Memory grows with what is kept.
    pub columns: Option<Vec<String>>,
}

impl RunConfig {
    /// A plan with the scenario's generator on all cores, all columns kept.
    #[must_use]
    pub const fn new(plan: Plan) -> Self {
        Self { plan, generator: None, threads: None, columns: None }
    }
}

/// Totals of runs: for each policy in turn, a row a run.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Names of the policies, in order.
    pub policies: Vec<String>,
    /// Which runs were made.
    pub plan: Plan,
    /// The columns.
    pub columns: Vec<Column>,
    /// Row-major values; NaN where a value doesn't exist.
    pub values: Vec<f64>,
}

impl Runs {
    /// Rows, as (policy, seed, run, values).
    pub fn rows(&self) -> impl Iterator<Item = (&str, u64, u64, &[f64])> {
        self.values.chunks(self.columns.len()).enumerate().map(|(i, row)| {
            let (seed, run) = self.plan.key(i % self.plan.len());
            (self.policies[i / self.plan.len()].as_str(), seed, run, row)
        })
    }

    /// One column of one policy, in order of runs; NaN where a value doesn't exist.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a policy or a column that isn't there.
    pub fn column(&self, policy: &str, name: &str) -> Result<Vec<f64>, Error> {
        let unknown = |kind, name: &str, known: Vec<&str>| Error::Unknown {
            kind,
            name: name.to_owned(),
            known: known.join(", "),
        };
        let block =
            self.policies.iter().position(|known| known == policy).ok_or_else(|| {
                unknown("policy", policy, self.policies.iter().map(String::as_str).collect())
            })?;
        let found = self.columns.iter().position(|column| column.name == name);
        let place = found.ok_or_else(|| unknown_metric(name, &self.columns))?;
        let rows = self.values.chunks(self.columns.len()).skip(block * self.plan.len());
        Ok(rows.take(self.plan.len()).map(|row| row[place]).collect())
    }
}

/// Runs `policies` of a scenario.
///
/// The same scenario, plan and generator give the same values, whatever the threads.
///
/// # Errors
/// [`Error::Unknown`] for a policy or column that isn't there, [`Error::Invalid`] for a size that can't be
/// held, [`Error::Endless`] for a policy that never stops, or not in any time that somebody could wait for.
pub fn simulate<P: AsRef<str>>(
    scenario: &Scenario,
    policies: &[P],
    config: &RunConfig,
) -> Result<Runs, Error> {
    record(scenario, policies, config, || Totals, &|| ControlFlow::Continue(())).map(|(runs, _)| runs)
}

/// The columns of totals that runs of a scenario have, in the order wanted; all if `wanted` is `None`.
///
/// ```
/// use retrysim_core::{Scenario, simulate::columns, text};
///
/// let table = text::parse(include_str!("../data/scenarios/contention.toml"))?;
/// assert_eq!(columns(&Scenario::from_table(table)?, None)?[0].name, "attempts");
/// # Ok::<(), retrysim_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unknown`] for a column that isn't there, [`Error::Invalid`] if none is wanted.
pub fn columns(scenario: &Scenario, wanted: Option<&[String]>) -> Result<Vec<Column>, Error> {
    let all = match &scenario.service {
        Service::TickCapacity(service) => service.prepare(scenario).columns(),
        Service::WindowCapacity(service) => service.prepare(scenario).columns(),
        Service::Overload(service) => service.prepare(scenario).columns(),
        Service::Contention(service) => service.prepare(scenario).columns(),
        Service::Failures(service) => service.prepare(scenario).columns(),
        Service::Layers(service) => service.prepare(scenario).columns(),
        Service::Workers(service) => service.prepare(scenario).columns(),
    };
    let all = with_probe(scenario, all);
    Ok(kept(&all, wanted)?.into_iter().map(|i| all[i].clone()).collect())
}

/// The kernel's columns, and the probe's behind them.
fn with_probe(scenario: &Scenario, mut columns: Vec<Column>) -> Vec<Column> {
    columns.extend(scenario.probe.iter().flat_map(|_| probe::columns()));
    columns
}

/// Runs `policies` of a scenario, each run with a recorder of its own; recorders come back in the order of
/// [`Runs::rows`]. `tick` is called once a finished run, from any thread; after a `Break` no run is begun.
///
/// # Errors
/// As [`simulate`], and [`Error::Interrupted`] after a `Break`.
pub fn record<P: AsRef<str>, R: Recorder + Send>(
    scenario: &Scenario,
    policies: &[P],
    config: &RunConfig,
    make: impl Fn() -> R + Sync,
    tick: &Tick<'_>,
) -> Result<(Runs, Vec<R>), Error> {
    let job = Job { scenario, policies, config, make: &make, tick };
    match &scenario.service {
        Service::TickCapacity(service) => job.run(&service.prepare(scenario)),
        Service::WindowCapacity(service) => job.run(&service.prepare(scenario)),
        Service::Overload(service) => job.run(&service.prepare(scenario)),
        Service::Contention(service) => job.run(&service.prepare(scenario)),
        Service::Failures(service) => job.run(&service.prepare(scenario)),
        Service::Layers(service) => job.run(&service.prepare(scenario)),
        Service::Workers(service) => job.run(&service.prepare(scenario)),
    }
}

/// Told of every finished run; may stop the rest.
type Tick<'a> = dyn Fn() -> ControlFlow<()> + Sync + 'a;

/// Everything about a simulation but the kernel.
struct Job<'j, P, F> {
    scenario: &'j Scenario,
    policies: &'j [P],
    config: &'j RunConfig,
    make: &'j F,
    tick: &'j Tick<'j>,
}

impl<P: AsRef<str>, R: Recorder + Send, F: Fn() -> R + Sync> Job<'_, P, F> {
    fn run<K: Kernel>(&self, kernel: &K) -> Result<(Runs, Vec<R>), Error> {
        let (scenario, plan) = (self.scenario, &self.config.plan);
        let policies: Vec<String> = self.policies.iter().map(|name| name.as_ref().to_owned()).collect();
        let compiled = policies
            .iter()
            .map(|name| Ok(scenario.policy(name)?.compile(scenario.unit)))
            .collect::<Result<Vec<Compiled>, Error>>()?;
        let all = with_probe(scenario, kernel.columns());
        let kept = kept(&all, self.config.columns.as_deref())?;
        let mut values = reserve(plan, policies.len(), kept.len())?;
        let threads = self.config.threads.unwrap_or_else(rayon::current_num_threads);
        room::check(scenario, &compiled, threads.min(plan.len() * policies.len()))?;

        let maker = Maker {
            kernel,
            scenario,
            policies: &compiled,
            plan,
            generator: self.config.generator.unwrap_or(scenario.generator),
            width: all.len(),
            kept: &kept,
            make: self.make,
            tick: self.tick,
            stopped: AtomicBool::new(false),
        };
        let results = on_threads(self.config.threads, || maker.all(&mut values))?;
        if maker.stopped.into_inner() {
            return Err(Error::Interrupted);
        }
        if let Some(i) = results.iter().position(|(fine, _)| !fine) {
            let policy = policies[i / plan.len()].clone();
            return Err(Error::Endless {
                policy,
                attempts: MAX_ATTEMPTS,
                steps: MAX_STEPS,
                under_way: MAX_UNDER_WAY,
            });
        }
        let columns = kept.iter().map(|i| all[*i].clone()).collect();
        let recorders = results.into_iter().map(|(_, recorder)| recorder).collect();
        Ok((Runs { policies, plan: plan.clone(), columns, values }, recorders))
    }
}

/// Places of the columns to keep.
fn kept(all: &[Column], wanted: Option<&[String]>) -> Result<Vec<usize>, Error> {
    let Some(wanted) = wanted else { return Ok((0..all.len()).collect()) };
    if wanted.is_empty() {
        return Err(Error::invalid("columns", "[]", "at least one"));
    }
    let find = |name: &String| {
        all.iter().position(|column| column.name == *name).ok_or_else(|| unknown_metric(name, all))
    };
    wanted.iter().map(find).collect()
}

fn unknown_metric(name: &str, columns: &[Column]) -> Error {
    let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    Error::Unknown { kind: "metric", name: name.to_owned(), known: known.join(", ") }
}

/// Room for every value, or an error before memory is taken.
fn reserve(plan: &Plan, policies: usize, width: usize) -> Result<Vec<f64>, Error> {
    if plan.is_empty() {
        return Err(Error::invalid("runs", 0, "1 or more"));
    }
    let values = plan.len() as u128 * policies as u128 * width as u128;
    if values > u128::from(MAX_VALUES) {
        let most = MAX_VALUES / (policies * width).max(1) as u64;
        return Err(Error::invalid(
            "runs",
            plan.len(),
            format!("at most {most} for {policies} policies and {width} columns"),
        ));
    }
    let values = usize::try_from(values).unwrap_or(usize::MAX);
    let mut room = Vec::new();
    room.try_reserve_exact(values)
        .map_err(|_| Error::invalid("runs", plan.len(), "what fits into memory"))?;
    room.resize(values, f64::NAN);
    Ok(room)
}
