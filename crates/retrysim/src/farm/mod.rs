//! Farms: the shards of a sweep on many workers, by Dask distributed.
//!
//! Dask is Python, and so is the process that hands it shard numbers (`python/retrysim_farm.py`, which this crate
//! carries along). A worker runs the program: `retrysim sweep DESIGN --shard K/N --output PARTS`. What a farm leaves are
//! [parts](crate::parts), whoever made them; they are gathered here.

mod driver;
mod python;

use std::{
    env,
    path::{Path, PathBuf},
};

use retrysim_core::{Error as CoreError, text};
use toml::Value;

use self::driver::{Driver, End, Job};
use crate::{
    catalogue::Catalogue,
    error::Error,
    export,
    parts::{Parts, Survey, shards_for},
    request::SweepJob,
    simulation::Progress,
    sweep::{Design, Sweep},
};

/// Names the program that workers run.
pub const PROGRAM: &str = "RETRYSIM_PROGRAM";

/// Local workers and Slurm jobs at the most.
pub const MAX_WORKERS: u32 = 10_000;

/// The design as workers read it: in the folder of the parts, since that is what all of them see.
const DESIGN: &str = "farm.toml";

/// Who makes the shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crew {
    /// So many processes on this machine, which listen on loopback alone.
    Local(u32),
    /// The workers of a Dask scheduler that runs, by its address, such as `tcp://127.0.0.1:8786`.
    Scheduler(String),
    /// Slurm jobs, each a worker.
    Slurm {
        /// How many.
        jobs: u32,
        /// Options of `sbatch`, such as `--time=4:00:00`.
        options: Vec<String>,
        /// The network interface by which jobs reach this machine, such as `ib0`; that of its host name unless given.
        interface: Option<String>,
    },
}

/// Processors of this machine, and workers if nobody says how many.
#[must_use]
pub fn processors() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(processors).unwrap_or(MAX_WORKERS).min(MAX_WORKERS)
}

/// A sweep, and who makes its shards where.
#[derive(Clone, Debug)]
pub struct Farm {
    /// The sweep.
    pub sweep: SweepJob,
    /// The folder for the parts, which every worker sees under this name. Parts that are there are not made again.
    pub parts: PathBuf,
    /// Into how many shards; as the parts that are there, or else [`crate::parts::SHARDS`], unless given.
    pub shards: Option<u32>,
    /// Who makes them.
    pub crew: Crew,
    /// Threads of a shard.
    pub threads: usize,
    /// The program `retrysim` as workers find it: a path, or a name on their `PATH`. Its version must be this one's.
    pub program: PathBuf,
    /// A Python with `distributed`. Unless given, `.lab/venv` here or in a folder above, or `python3`.
    pub python: Option<PathBuf>,
}

impl Farm {
    /// A farm on this machine, a worker a processor, that runs what [`PROGRAM`] names, or `retrysim`.
    #[must_use]
    pub fn new(design: Design, parts: impl Into<PathBuf>) -> Self {
        Self {
            sweep: SweepJob { design, metrics: None },
            parts: parts.into(),
            shards: None,
            crew: Crew::Local(processors()),
            threads: 1,
            program: env::var_os(PROGRAM).unwrap_or_else(|| "retrysim".into()).into(),
            python: None,
        }
    }

    /// Makes what is missing and gathers everything: the sweep that one process would have made. `progress(done, all)`
    /// counts the shards that were missing, and may stop the farm.
    ///
    /// ```no_run
    /// use retrysim::{Design, farm::{Crew, Farm}, unwatched};
    ///
    /// let design = Design::new("contention", 10_000).policies(["full"]).vary("workload.clients", [50, 100]);
    /// let farm = Farm { crew: Crew::Local(2), ..Farm::new(design, "parts") };
    /// let frame = farm.run(&unwatched)?.runs_frame()?;
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Parts::open`]; [`Error::Core`] for workers that can't be; [`Error::Farm`] for what Python, a scheduler or a
    /// worker says; [`Error::Stopped`]. Parts that were finished are kept.
    pub fn run(&self, progress: &Progress<'_>) -> Result<Sweep, Error> {
        self.crew.check()?;
        let sweep = self.resolved()?;
        let n = match self.shards {
            Some(n) => n,
            None => shards_for(&self.parts, &sweep)?,
        };
        let parts = Parts::open(&self.parts, &sweep, n)?;
        let missing = parts.unfinished()?;
        if !missing.is_empty() {
            self.make(&sweep, n, &missing, progress)?;
        }
        let mut survey = Survey::of(&self.parts)?;
        let whole = survey.gather()?;
        whole.ok_or_else(|| Error::Farm(survey.lines().join("; ")))
    }

    fn make(&self, sweep: &SweepJob, n: u32, missing: &[u32], progress: &Progress<'_>) -> Result<(), Error> {
        let python = python::find(self.python.as_deref(), &self.crew)?;
        // Workers stand in folders of their own; a name without a folder is one on their PATH.
        let folder = absolute(&self.parts)?;
        let is_name = self.program.components().count() == 1;
        let program = if is_name { self.program.clone() } else { absolute(&self.program)? };
        let design = folder.join(DESIGN);
        export::write(&design, text::write(&sweep.design)?.as_bytes())?;
        let metrics = sweep.metrics.iter().flatten().flat_map(|name| ["--metric".to_owned(), name.clone()]);
        let job = Job {
            design: utf8("parts", &design)?,
            parts: utf8("parts", &folder)?,
            numbers: missing,
            shards: n,
            program: utf8("program", &program)?,
            version: env!("CARGO_PKG_VERSION"),
            options: ["--threads".to_owned(), self.threads.to_string()].into_iter().chain(metrics).collect(),
            crew: (&self.crew).into(),
        };
        let end = Driver::start(&python, &job)?.watch(missing.len() as u64, progress)?;
        let finished = || {
            let left = Parts::open(&self.parts, sweep, n)?.unfinished()?.len();
            Ok::<_, Error>(n - u32::try_from(left).unwrap_or(n))
        };
        let folder = self.parts.clone();
        match end {
            End::Made => Ok(()),
            End::Stopped => Err(Error::Stopped { finished: finished()?, n, folder }),
            End::Trouble(what) => match finished()? {
                0 => Err(Error::Farm(what)),
                finished => {
                    Err(Error::Farm(format!("{what}; {finished} of {n} parts are in {}", folder.display())))
                }
            },
        }
    }

    /// The sweep as a worker reads it from a file: the scenario as a table, names of policies resolved.
    fn resolved(&self) -> Result<SweepJob, Error> {
        let mut scenario = self.sweep.design.table()?;
        Catalogue::bundled().resolve_scenario(&mut scenario)?;
        let design = Design { scenario: Value::Table(scenario), ..self.sweep.design.clone() };
        Ok(SweepJob { design, metrics: self.sweep.metrics.clone() })
    }
}

impl Crew {
    /// Refuses what could not work anywhere.
    fn check(&self) -> Result<(), Error> {
        let (Self::Local(workers) | Self::Slurm { jobs: workers, .. }) = self else {
            let Self::Scheduler(address) = self else { return Ok(()) };
            let known = ["tcp://", "tls://"].iter().any(|protocol| address.starts_with(protocol));
            let allowed = "an address such as tcp://127.0.0.1:8786, or one that begins with tls://";
            return if known {
                Ok(())
            } else {
                Err(CoreError::invalid("scheduler", address, allowed).into())
            };
        };
        if (1..=MAX_WORKERS).contains(workers) {
            return Ok(());
        }
        Err(CoreError::invalid("workers", workers, format!("1 to {MAX_WORKERS}")).into())
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|reason| Error::File { path: path.to_owned(), reason })
}

fn utf8<'a>(field: &str, path: &'a Path) -> Result<&'a str, Error> {
    let refuse = || CoreError::invalid(field, path.display(), "a path of UTF-8 text");
    path.to_str().ok_or_else(|| refuse().into())
}
