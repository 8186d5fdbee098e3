//! A request is all that a result depends on: what is run, and what is made of it. It is what a manifest
//! holds, so that a file can be made again from what lies beside it.

use polars::prelude::DataFrame;
use retrysim_core::{
    Error as CoreError, Generator, Plan, Policy, Scenario, Span,
    measure::{Measured, measure_policy},
};
use serde::{Deserialize, Serialize};

use crate::{
    checks,
    delays::Delays,
    error::Error,
    figure::{Figure, Theme},
    frame,
    matrix::{self, Matrix},
    picture, published,
    shard::{self, Shard},
    simulation::{Progress, Record, RunConfig, Simulation, simulate_with},
    sweep::{Design, Ready, Sweep, sweep_with},
};

/// What is run, and what is made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What is run.
    pub job: Job,
    /// What is made of it.
    pub product: Product,
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// A scenario.
    Run(Box<RunJob>),
    /// A scenario at many points.
    Sweep(Box<SweepJob>),
    /// A slice of a sweep.
    Shard(Box<ShardJob>),
    /// The delays of a policy by itself.
    Delays(Box<Delays>),
    /// Measured delays of a policy by itself.
    Measure(Box<Measurement>),
    /// Policies in situations.
    Matrix(Box<Matrix>),
    /// Published numbers and claims, by document and id.
    Reproduce {
        /// Names of entries; all if empty.
        ids: Vec<String>,
    },
}

/// A scenario and its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunJob {
    /// The scenario, whole.
    pub scenario: Scenario,
    /// Policies, in order.
    pub policies: Vec<String>,
    /// Which runs.
    pub plan: Plan,
    /// The generator.
    pub generator: Generator,
    /// Metrics kept; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Vec<String>>,
}

/// A policy whose delays are measured, without its stop rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// The policy.
    pub policy: Policy,
    /// How many retries.
    pub retries: u32,
    /// Independent sequences.
    pub clients: u32,
    /// Their seed.
    pub seed: u64,
}

impl Measurement {
    /// Measures.
    ///
    /// # Errors
    /// As [`measure_policy`].
    pub fn measure(&self, name: &str) -> Result<Measured, Error> {
        Ok(measure_policy(name, &self.policy, self.clients, self.seed, self.retries)?)
    }
}

/// A design and what is kept of its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepJob {
    /// The design, with its scenario as a table.
    pub design: Design,
    /// Metrics kept; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Vec<String>>,
}

/// A slice of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardJob {
    /// The whole sweep.
    pub sweep: SweepJob,
    /// Which slice of it.
    pub shard: Shard,
}

impl ShardJob {
    /// Makes the runs of the slice; points without any are left out.
    ///
    /// ```
    /// use retrysim::{Design, request::{ShardJob, SweepJob}, unwatched};
    ///
    /// let design = Design::new("contention", 10).policies(["full"]).vary("workload.clients", [5, 10, 15]);
    /// let job = ShardJob { sweep: SweepJob { design, metrics: None }, shard: "1/4".parse()? };
    /// assert_eq!(job.simulate(None, &unwatched)?.runs_frame()?.height(), 8); // of 30
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`crate::sweep_with`], and [`Error::Core`] for more shards than pairs of a point and a run, or points whose
    /// runs have different columns.
    pub fn simulate(&self, threads: Option<usize>, progress: &Progress<'_>) -> Result<Sweep, Error> {
        shard::run(&self.sweep.ready(self.shard.n)?, self.shard, threads, progress)
    }
}

impl SweepJob {
    /// The design read through, for `n` shards.
    pub(crate) fn ready(&self, n: u32) -> Result<Ready, Error> {
        shard::ready(&self.design, self.metrics.as_deref(), n)
    }

    /// Refuses what would be refused when a shard is made: a design that isn't valid, more shards than pairs of a point
    /// and a run, points of different columns, a shard that can't be held.
    ///
    /// # Errors
    /// [`Error::Core`] in these cases.
    pub fn check_shards(&self, n: u32) -> Result<(), Error> {
        self.ready(n).map(drop)
    }

    /// Into how many shards a sweep can be cut, up to `most`: a shard has one run of one point at least.
    ///
    /// # Errors
    /// [`Error::Core`] for a design that isn't valid.
    pub fn shards(&self, most: u32) -> Result<u32, Error> {
        shard::shards(&self.design, most)
    }
}

/// What is made of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Product {
    /// [`frame::RUNS`].
    Runs,
    /// [`frame::ATTEMPTS`].
    Attempts,
    /// [`frame::TIMELINE`].
    Timeline {
        /// Length of a bin.
        bin: Span,
    },
    /// [`frame::SUMMARY`].
    Summary {
        /// Level of the intervals.
        confidence: f64,
    },
    /// [`frame::COMPARISON`].
    Comparison {
        /// The policy compared with.
        baseline: String,
        /// Level of the intervals.
        confidence: f64,
    },
    /// [`frame::VERDICTS`].
    Verdicts,
    /// A row a retry.
    Delays,
    /// A row a retry.
    Measured,
    /// A row a bin of the density of each retry.
    Density,
    /// A row a situation and policy.
    Matrix,
    /// A figure.
    Figure(FigureSpec),
}

/// Which figure, and how it looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Which figure.
    pub figure: FigureKind,
    /// Its title.
    pub title: String,
    /// The metric, where one is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Length of a bin, where time is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bin: Option<Span>,
    /// End of the time that is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
    /// Retries in a fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Dark on light or light on dark.
    pub dark: bool,
    /// Pixels a logical pixel.
    pub scale: u32,
}

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureKind {
    /// Arrivals over time by policy.
    Arrivals,
    /// Waits by number of the retry.
    Waits,
    /// Distribution of a metric.
    Ecdf,
    /// Distribution of a metric as dots.
    Dots,
    /// Mean of a metric by policy.
    Bars,
    /// Tokens of one client over time.
    Levels,
    /// Densities of delays by retry.
    Fingerprint,
    /// A metric against one parameter of a sweep.
    Curves,
    /// A metric over two parameters of a sweep.
    HeatMap,
}

/// What comes of a request.
#[derive(Debug)]
pub enum Output {
    /// A frame.
    Frame(DataFrame),
    /// A figure.
    Figure(Box<Figure>),
}

impl FigureSpec {
    /// Light or dark.
    #[must_use]
    pub const fn theme(&self) -> Theme {
        if self.dark { Theme::Dark } else { Theme::Light }
    }
}

impl Request {
    /// Makes the product. Threads and progress do not change it.
    ///
    /// # Errors
    /// Whatever running says, and [`Error::Core`] for a product that the job doesn't give.
    pub fn make(&self, threads: Option<usize>, progress: &Progress<'_>) -> Result<Output, Error> {
        match &self.job {
            Job::Run(job) => self.of_run(&job.simulate(&self.product, threads, progress)?),
            Job::Sweep(job) => {
                self.of_sweep(&sweep_with(&job.design, job.metrics.clone(), threads, progress)?)
            }
            Job::Shard(job) if self.product == Product::Runs => {
                Ok(Output::Frame(job.simulate(threads, progress)?.runs_frame()?))
            }
            Job::Shard(_) => Err(mismatch("this product", "a whole sweep")),
            Job::Delays(delays) if self.product == Product::Delays => Ok(Output::Frame(delays.frame()?)),
            Job::Measure(measurement) if self.product == Product::Measured => {
                Ok(Output::Frame(checks::measured(&measurement.measure("")?)?))
            }
            Job::Measure(measurement) if self.product == Product::Density => {
                Ok(Output::Frame(checks::density(&measurement.measure("")?)?))
            }
            Job::Matrix(matrix) if self.product == Product::Matrix => {
                Ok(Output::Frame(matrix::frame(&matrix.cells(threads, progress)?)?))
            }
            Job::Delays(_) | Job::Measure(_) | Job::Matrix(_) => Err(mismatch("this product", "a scenario")),
            Job::Reproduce { ids } => {
                let wanted =
                    |entry: published::Listed<'_>| ids.is_empty() || ids.iter().any(|id| id == entry.id);
                Ok(Output::Frame(frame::verdicts(&published::reproduce(wanted)?)?))
            }
        }
    }

    /// Makes the product of runs that have been made already, by [`RunJob::simulate`] for this product.
    ///
    /// # Errors
    /// [`Error::Core`] for a product that runs don't give, [`Error::NotRecorded`] for runs made for another one.
    pub fn of_run(&self, simulation: &Simulation) -> Result<Output, Error> {
        Ok(Output::Frame(match &self.product {
            Product::Runs => simulation.runs_frame()?,
            Product::Attempts => simulation.attempts_frame()?,
            Product::Timeline { .. } => simulation.timeline_frame()?,
            Product::Summary { confidence } => simulation.summary_frame(*confidence)?,
            Product::Comparison { baseline, confidence } => {
                simulation.compare_frame(baseline, *confidence)?
            }
            Product::Verdicts => return Err(mismatch("verdicts", "a reproduction")),
            Product::Delays | Product::Measured | Product::Density => {
                return Err(mismatch("delays", "a policy by itself"));
            }
            Product::Matrix => return Err(mismatch("a matrix", "situations")),
            Product::Figure(spec) => {
                return spec.of_run(simulation).map(|figure| Output::Figure(Box::new(figure)));
            }
        }))
    }

    /// Makes the product of a sweep that has been made already, whole.
    ///
    /// # Errors
    /// [`Error::Core`] for a product that a sweep doesn't give, and whatever making it says.
    pub fn of_sweep(&self, sweep: &Sweep) -> Result<Output, Error> {
        match &self.product {
            Product::Runs => Ok(Output::Frame(sweep.runs_frame()?)),
            Product::Summary { confidence } => Ok(Output::Frame(sweep.summary_frame(*confidence)?)),
            Product::Figure(spec) => spec.of_sweep(sweep).map(|figure| Output::Figure(Box::new(figure))),
            _ => Err(mismatch("this product", "a single scenario")),
        }
    }
}

impl RunJob {
    /// Makes the runs, and keeps of them what the product needs.
    ///
    /// # Errors
    /// As [`crate::simulate`].
    pub fn simulate(
        &self,
        product: &Product,
        threads: Option<usize>,
        progress: &Progress<'_>,
    ) -> Result<Simulation, Error> {
        let config = RunConfig {
            policies: self.policies.clone(),
            plan: self.plan.clone(),
            generator: Some(self.generator),
            threads,
            metrics: self.metrics.clone(),
            record: product.record(),
        };
        simulate_with(&self.scenario, &config, progress)
    }
}

impl Product {
    /// What has to be kept of runs.
    fn record(&self) -> Record {
        let default = Span::from_millis(100);
        match self {
            Self::Attempts => Record::Attempts,
            Self::Timeline { bin } => Record::Timeline(*bin),
            Self::Figure(spec) => match spec.figure {
                FigureKind::Arrivals | FigureKind::Levels => Record::Timeline(spec.bin.unwrap_or(default)),
                FigureKind::Waits => Record::Attempts,
                _ => Record::Totals,
            },
            _ => Record::Totals,
        }
    }
}

impl FigureSpec {
    fn metric(&self) -> Result<&str, Error> {
        let missing = || CoreError::invalid("metric", "nothing", "the name of a metric, for this figure");
        self.metric.as_deref().ok_or_else(|| missing().into())
    }

    fn of_run(&self, simulation: &Simulation) -> Result<Figure, Error> {
        let title = &self.title;
        match self.figure {
            FigureKind::Arrivals => picture::arrivals(simulation, self.until, title),
            FigureKind::Waits => picture::waits(simulation, title),
            FigureKind::Ecdf => picture::ecdf(simulation, self.metric()?, title),
            FigureKind::Dots => picture::dots(simulation, self.metric()?, title),
            FigureKind::Bars => picture::bars(simulation, self.metric()?, title),
            FigureKind::Levels => picture::levels(simulation, title),
            FigureKind::Fingerprint => {
                let retries = self.retries.unwrap_or(8);
                picture::fingerprint(&simulation.scenario, &simulation.runs.policies, retries, title)
            }
            FigureKind::Curves | FigureKind::HeatMap => Err(mismatch("this figure", "a sweep")),
        }
    }

    fn of_sweep(&self, sweep: &Sweep) -> Result<Figure, Error> {
        match self.figure {
            FigureKind::Curves => picture::curves(sweep, self.metric()?, &self.title),
            FigureKind::HeatMap => {
                let policy = &sweep.points[0].simulation.runs.policies[0];
                picture::heat_map(sweep, self.metric()?, policy, &self.title)
            }
            _ => Err(mismatch("this figure", "a single scenario")),
        }
    }
}

fn mismatch(product: &str, job: &str) -> Error {
    CoreError::invalid("product", product, format!("only of {job}")).into()
}
