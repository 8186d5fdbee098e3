//! A sweep in shards, so that any scheduler can make it: a shard is a pure function of the sweep, `k` and `n`.
//!
//! All pairs of a point and a run are counted, point by point; shard `k` of `n` has those whose number leaves `k`
//! when it is divided by `n`. So shards differ by one pair at the most, each has a share of every point (points may
//! take different times), and any `n` gives the same rows. The runs of a shard are a file, `part-00003.parquet`
//! ([`Parts`] makes them, [`Survey`] looks at what is there and gathers it).

mod gather;
mod part;
mod parts;
mod survey;

use std::{fmt, str::FromStr};

use retrysim_core::{Error as CoreError, Plan};
use serde::{Deserialize, Serialize};

pub(crate) use self::part::KEYWORD;
pub use self::{
    part::{Stamp, part_name},
    parts::{Made, Parts},
    survey::{Survey, ranges},
};
use crate::{
    error::Error,
    request::SweepJob,
    simulation::Progress,
    sweep::{Ready, Sweep},
};

/// Shards of a sweep at the most.
pub const MAX_SHARDS: u32 = 100_000;

/// Which slice: number `k` of `n`, counted from 0.
///
/// ```
/// use retrysim::shard::Shard;
///
/// let last: Shard = "23/24".parse()?;
/// assert_eq!((last.k, last.n), (23, 24));
/// assert!("24/24".parse::<Shard>().is_err());
/// # Ok::<(), retrysim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Its number, from 0.
    pub k: u32,
    /// How many there are.
    pub n: u32,
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((k, n)) if k < n && n <= MAX_SHARDS => Ok(Self { k, n }),
            _ => {
                let allowed = format!("K/N with K from 0 to N - 1, and N up to {MAX_SHARDS}");
                Err(CoreError::invalid("shard", text, allowed).into())
            }
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

impl Shard {
    /// Its runs at a point, of which there are `runs`: every `n`-th from the first whose number leaves `k`.
    #[must_use]
    pub fn plan(self, point: usize, seed: u64, runs: u64) -> Plan {
        let (k, n) = (u64::from(self.k), u64::from(self.n));
        let before = (point as u64 % n) * (runs % n) % n;
        let first = (k + n - before) % n;
        Plan::Every { seed, first, step: n, runs: runs.saturating_sub(first).div_ceil(n) }
    }
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
    /// use retrysim::{Design, request::SweepJob, shard::ShardJob, unwatched};
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
        let ready = self.sweep.ready(self.shard.n)?;
        run(&ready, self.shard, threads, progress)
    }
}

impl SweepJob {
    /// Reads the design through, and refuses to cut it into `n` shards where that can't be done.
    fn ready(&self, n: u32) -> Result<Ready, Error> {
        let ready = Ready::new(&self.design, self.metrics.clone())?;
        ready.check_columns()?;
        let most = self.design.runs.saturating_mul(ready.points.len() as u64).min(u64::from(MAX_SHARDS));
        if n == 0 || u64::from(n) > most {
            let allowed = format!("1 to {most}, so that each has a run");
            return Err(CoreError::invalid("shards", n, allowed).into());
        }
        Ok(ready)
    }

    /// Refuses what would be refused when a shard is made: a design that isn't valid, more shards than pairs of a point
    /// and a run, points of different columns, a shard that can't be held.
    ///
    /// # Errors
    /// [`Error::Core`] in these cases.
    pub fn check_shards(&self, n: u32) -> Result<(), Error> {
        let ready = self.ready(n)?;
        let first = Shard { k: 0, n };
        let plans = (0..ready.points.len()).map(|i| first.plan(i, self.design.seed, self.design.runs));
        ready.check_size(&plans.collect::<Vec<_>>()).map(drop)
    }

    /// Into how many shards a sweep is cut when nobody says: as many as it has pairs of a point and a run, up to
    /// `most`.
    ///
    /// # Errors
    /// [`Error::Core`] for a design that isn't valid.
    pub fn shards(&self, most: u32) -> Result<u32, Error> {
        let pairs = self.design.runs.saturating_mul(self.design.points()?.len() as u64);
        Ok(u32::try_from(pairs).unwrap_or(most).min(most).min(MAX_SHARDS))
    }
}

fn run(ready: &Ready, shard: Shard, threads: Option<usize>, progress: &Progress<'_>) -> Result<Sweep, Error> {
    let (seed, runs) = (ready.design.seed, ready.design.runs);
    ready.run(|point| shard.plan(point, seed, runs), threads, progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever `n`, every pair is in one shard, and shards differ by one pair at the most.
    #[test]
    fn every_run_once() {
        for (points, runs, n) in
            [(1, 1, 1), (3, 10, 4), (7, 1, 5), (2, 40, 7), (5, 8, 40), (4, 25, 24), (11, 3, 33)]
        {
            let mut seen = vec![0; points * runs];
            let mut sizes = Vec::new();
            for k in 0..n {
                let before: u32 = seen.iter().sum();
                for point in 0..points {
                    let plan = Shard { k, n }.plan(point, 0, runs as u64);
                    (0..plan.len()).for_each(|i| {
                        let run = usize::try_from(plan.key(i).1).unwrap();
                        seen[point * runs + run] += 1;
                    });
                }
                sizes.push(seen.iter().sum::<u32>() - before);
            }
            assert!(seen.iter().all(|times| *times == 1), "{points} points, {runs} runs, {n} shards");
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }
}
