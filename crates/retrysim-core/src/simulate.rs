//! Runs a scenario: policies times runs, spread over threads, gathered in order.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    callers::MAX_ATTEMPTS,
    draw::{CPython, Draws, Generator, Mulberry32, Philox, Purpose},
    error::Error,
    limits::{MAX_STEPS, MAX_UNDER_WAY, on_threads},
    policy::Compiled,
    record::{Column, Recorder, Totals},
    scenario::Scenario,
    service::{Kernel, Service},
};

mod probe;
mod room;

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

        let generator = self.config.generator.unwrap_or(scenario.generator);
        let keyed = !matches!(plan, Plan::Seeds(_));
        let per_policy = plan.len();
        let stopped = AtomicBool::new(false);
        let one = |(scratch, row): &mut (K::Scratch, Vec<f64>), i: usize, keep: &mut [f64]| {
            row.clear();
            row.resize(all.len(), f64::NAN);
            let source = Source { generator, key: plan.key(i % per_policy), keyed };
            let mut recorder = (self.make)();
            if stopped.load(Ordering::Relaxed) {
                return (true, recorder);
            }
            let fine =
                one_run(kernel, scenario, &compiled[i / per_policy], source, scratch, row, &mut recorder);
            for (place, column) in keep.iter_mut().zip(&kept) {
                *place = row[*column];
            }
            if (self.tick)().is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
            (fine, recorder)
        };
        // Where nobody looks on, runs may be made in any order.
        let may_be_together =
            generator == Generator::Philox && !R::WATCHES && scenario.probe.is_none() && K::TOGETHER > 1;
        let several = |room: &mut (K::Scratch, Vec<f64>), i: usize, rows: &mut [f64]| -> Vec<(bool, R)> {
            let policy = &compiled[i / per_policy];
            let runs = rows.len() / kept.len();
            if may_be_together && !stopped.load(Ordering::Relaxed) {
                let draws: Vec<Philox> =
                    (i..i + runs).map(|i| Philox::of(plan.key(i % per_policy))).collect();
                let mut done = |run: usize, row: &[f64]| {
                    for (place, column) in rows[run * kept.len()..].iter_mut().zip(&kept) {
                        *place = row[*column];
                    }
                    if (self.tick)().is_break() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                };
                if kernel.run_together(policy, &draws, &mut room.0, &mut done) {
                    return (0..runs).map(|_| (true, (self.make)())).collect();
                }
            }
            let rows = rows.chunks_mut(kept.len());
            rows.zip(i..).map(|(keep, i)| one(room, i, keep)).collect()
        };
        let room = || (K::Scratch::default(), Vec::new());
        let block = if may_be_together { K::TOGETHER } else { 1 };
        let simulate = || -> Vec<(bool, R)> {
            let blocks =
                values.par_chunks_mut(per_policy * kept.len()).enumerate().flat_map(|(policy, rows)| {
                    let blocks = rows.par_chunks_mut(block * kept.len()).enumerate();
                    blocks.map(move |(i, rows)| (policy * per_policy + i * block, rows))
                });
            blocks.map_init(room, |room, (i, rows)| several(room, i, rows)).flatten_iter().collect()
        };
        let results = on_threads(self.config.threads, simulate)?;
        if stopped.into_inner() {
            return Err(Error::Interrupted);
        }
        if let Some(i) = results.iter().position(|(fine, _)| !fine) {
            let policy = policies[i / per_policy].clone();
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

/// Where a run's random numbers come from.
#[derive(Clone, Copy)]
struct Source {
    generator: Generator,
    key: (u64, u64),
    /// Whether the run is one of many under one seed.
    keyed: bool,
}

impl Source {
    /// The words from which a sequential generator starts a keyed run: a Philox block of (seed, run).
    fn words(self) -> [u32; 4] {
        Philox::new(self.key.0, self.key.1).block(Purpose::Statistics, 0, 0)
    }
}

/// One run: `row` has the kernel's columns, then the probe's.
#[expect(clippy::cast_possible_truncation, reason = "mulberry32 has a seed of 32 bits")]
fn one_run<K: Kernel, R: Recorder>(
    kernel: &K,
    scenario: &Scenario,
    policy: &Compiled,
    source: Source,
    scratch: &mut K::Scratch,
    row: &mut [f64],
    recorder: &mut R,
) -> bool {
    let (seed, _) = source.key;
    let mut recorded = Recorded { kernel, scenario, policy, scratch, row, recorder };
    match source.generator {
        Generator::Philox => recorded.run(&mut Philox::of(source.key)),
        Generator::CPython if source.keyed => recorded.run(&mut CPython::from_words(&source.words())),
        Generator::CPython => recorded.run(&mut CPython::new(seed)),
        Generator::Mulberry32 if source.keyed => recorded.run(&mut Mulberry32::new(source.words()[0])),
        Generator::Mulberry32 => recorded.run(&mut Mulberry32::new(seed as u32)),
    }
}

struct Recorded<'a, K: Kernel, R> {
    kernel: &'a K,
    scenario: &'a Scenario,
    policy: &'a Compiled,
    scratch: &'a mut K::Scratch,
    row: &'a mut [f64],
    recorder: &'a mut R,
}

impl<K: Kernel, R: Recorder> Recorded<'_, K, R> {
    fn run<D: Draws>(&mut self, draws: &mut D) -> bool {
        let Some(watched) = &self.scenario.probe else {
            return self.kernel.run(self.policy, draws, self.recorder, self.scratch, self.row);
        };
        let (row, probed) = self.row.split_at_mut(self.row.len() - probe::columns().len());
        let mut both = (probe::Probe::new(watched.client, self.scenario), &mut *self.recorder);
        let fine = self.kernel.run(self.policy, draws, &mut both, self.scratch, row);
        both.0.write(probed);
        fine
    }
}
