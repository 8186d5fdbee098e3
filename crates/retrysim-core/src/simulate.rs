//! Runs a scenario: policies times runs, spread over threads, gathered in order.

use rayon::prelude::*;

use crate::{
    draw::{CPython, Generator, Mulberry32, Philox, Purpose},
    error::Error,
    policy::Compiled,
    record::{Column, Totals},
    scenario::Scenario,
    service::{Kernel, Service},
};

mod probe;

/// Numbers in a result at the most: 4 GB.
const MAX_VALUES: u64 = 500_000_000;

/// Which runs to make.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

impl Plan {
    /// Number of runs.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Seeds(seeds) => seeds.len(),
            Self::Runs { runs, .. } => usize::try_from(*runs).unwrap_or(usize::MAX),
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
}

impl RunConfig {
    /// A plan with the scenario's generator on all cores.
    #[must_use]
    pub const fn new(plan: Plan) -> Self {
        Self { plan, generator: None, threads: None }
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
        let place = self.columns.iter().position(|column| column.name == name).ok_or_else(|| {
            unknown("metric", name, self.columns.iter().map(|column| column.name.as_str()).collect())
        })?;
        let rows = self.values.chunks(self.columns.len()).skip(block * self.plan.len());
        Ok(rows.take(self.plan.len()).map(|row| row[place]).collect())
    }
}

/// Runs `policies` of a scenario.
///
/// The same scenario, plan and generator give the same values, whatever the threads.
///
/// # Errors
/// [`Error::Unknown`] for a policy that isn't there, [`Error::Invalid`] for a size that can't be held,
/// [`Error::Endless`] for a policy that never stops.
pub fn simulate<P: AsRef<str>>(
    scenario: &Scenario,
    policies: &[P],
    config: &RunConfig,
) -> Result<Runs, Error> {
    match &scenario.service {
        Service::TickCapacity(service) => run_all(&service.prepare(scenario), scenario, policies, config),
        Service::WindowCapacity(service) => run_all(&service.prepare(scenario), scenario, policies, config),
        Service::Overload(service) => run_all(&service.prepare(scenario), scenario, policies, config),
        Service::Contention(service) => run_all(&service.prepare(scenario), scenario, policies, config),
        Service::Failures(service) => run_all(&service.prepare(scenario), scenario, policies, config),
        Service::Layers(service) => run_all(&service.prepare(scenario), scenario, policies, config),
    }
}

fn run_all<K: Kernel, P: AsRef<str>>(
    kernel: &K,
    scenario: &Scenario,
    policies: &[P],
    config: &RunConfig,
) -> Result<Runs, Error> {
    let names: Vec<String> = policies.iter().map(|name| name.as_ref().to_owned()).collect();
    let compiled: Vec<Compiled> = names
        .iter()
        .map(|name| Ok(scenario.policy(name)?.compile(scenario.unit)))
        .collect::<Result<_, Error>>()?;
    let mut columns = kernel.columns();
    let kernel_width = columns.len();
    columns.extend(scenario.probe.iter().flat_map(|_| probe::columns()));
    let mut values = reserve(&config.plan, names.len(), columns.len())?;

    let generator = config.generator.unwrap_or(scenario.generator);
    let per_policy = config.plan.len();
    let width = columns.len();
    let row = |scratch: &mut K::Scratch, i: usize, row: &mut [f64]| -> bool {
        let (policy, key) = (&compiled[i / per_policy], config.plan.key(i % per_policy));
        let keyed = matches!(config.plan, Plan::Runs { .. });
        let (totals, probed) = row.split_at_mut(kernel_width);
        one_run(kernel, scenario, policy, Source { generator, key, keyed }, scratch, totals, probed)
    };
    let mut simulate =
        || {
            values
                .par_chunks_mut(width)
                .enumerate()
                .map_init(K::Scratch::default, |scratch, (i, values)| {
                    if row(scratch, i, values) { None } else { Some(i / per_policy) }
                })
                .min_by_key(|endless| endless.unwrap_or(usize::MAX))
                .flatten()
        };
    let endless = match config.threads {
        None => simulate(),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::invalid("threads", threads, error.to_string()))?
            .install(simulate),
    };
    if let Some(policy) = endless {
        return Err(Error::Endless { policy: names[policy].clone(), attempts: crate::callers::MAX_ATTEMPTS });
    }
    Ok(Runs { policies: names, plan: config.plan.clone(), columns, values })
}

/// Room for every value, or an error before memory is taken.
fn reserve(plan: &Plan, policies: usize, width: usize) -> Result<Vec<f64>, Error> {
    if plan.is_empty() {
        return Err(Error::invalid("runs", 0, "1 or more"));
    }
    let rows = plan.len() as u128 * policies as u128;
    let values = rows * width as u128;
    if values > u128::from(MAX_VALUES) {
        let allowed =
            format!("at most {} for {policies} policies", MAX_VALUES / (policies * width).max(1) as u64);
        return Err(Error::invalid("runs", plan.len(), allowed));
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

#[expect(clippy::cast_possible_truncation, reason = "mulberry32 has a seed of 32 bits")]
fn one_run<K: Kernel>(
    kernel: &K,
    scenario: &Scenario,
    policy: &Compiled,
    source: Source,
    scratch: &mut K::Scratch,
    totals: &mut [f64],
    probed: &mut [f64],
) -> bool {
    let (seed, run) = source.key;
    let mut run_with = Recorded { kernel, scenario, policy, scratch, totals, probed };
    match source.generator {
        Generator::Philox => run_with.run(&mut Philox::new(seed, run)),
        Generator::CPython if source.keyed => run_with.run(&mut CPython::from_words(&source.words())),
        Generator::CPython => run_with.run(&mut CPython::new(seed)),
        Generator::Mulberry32 if source.keyed => run_with.run(&mut Mulberry32::new(source.words()[0])),
        Generator::Mulberry32 => run_with.run(&mut Mulberry32::new(seed as u32)),
    }
}

struct Recorded<'a, K: Kernel> {
    kernel: &'a K,
    scenario: &'a Scenario,
    policy: &'a Compiled,
    scratch: &'a mut K::Scratch,
    totals: &'a mut [f64],
    probed: &'a mut [f64],
}

impl<K: Kernel> Recorded<'_, K> {
    fn run<D: crate::draw::Draws>(&mut self, draws: &mut D) -> bool {
        match &self.scenario.probe {
            None => self.kernel.run(self.policy, draws, &mut Totals, self.scratch, self.totals),
            Some(watched) => {
                let mut probe = probe::Probe::new(watched.client, self.scenario);
                let fine = self.kernel.run(self.policy, draws, &mut probe, self.scratch, self.totals);
                probe.write(self.probed);
                fine
            }
        }
    }
}
