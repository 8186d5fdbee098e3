//! Shards: a sweep in slices of which each is a pure function of the sweep, `k` and `n`.
//!
//! All pairs of a point and a run are counted, point by point; shard `k` of `n` has those whose number leaves `k`
//! when it is divided by `n`. So shards differ by one pair at the most, each has a share of every point (points may
//! take different times), and any `n` gives the same rows.

use std::{fmt, str::FromStr};

use retrysim_core::{Error as CoreError, Plan};
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    simulation::Progress,
    sweep::{Design, Ready, Sweep},
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

/// A design that can be cut into `n` shards, read through.
pub(crate) fn ready(design: &Design, metrics: Option<&[String]>, n: u32) -> Result<Ready, Error> {
    let ready = Ready::new(design, metrics.map(<[String]>::to_vec))?;
    ready.check_columns()?;
    let most = shards(design, MAX_SHARDS)?;
    if n == 0 || n > most {
        return Err(CoreError::invalid("shards", n, format!("1 to {most}, so that each has a run")).into());
    }
    ready.check_size(&plans(&ready, Shard { k: 0, n }))?;
    Ok(ready)
}

/// As many shards as there are pairs of a point and a run, up to `most`.
pub(crate) fn shards(design: &Design, most: u32) -> Result<u32, Error> {
    let pairs = design.runs.saturating_mul(design.points()?.len() as u64);
    Ok(u32::try_from(pairs).unwrap_or(u32::MAX).min(most).min(MAX_SHARDS))
}

/// The runs of a shard at every point.
pub(crate) fn plans(ready: &Ready, shard: Shard) -> Vec<Plan> {
    (0..ready.points.len()).map(|i| shard.plan(i, ready.design.seed, ready.design.runs)).collect()
}

/// Makes the runs of a shard; points without any are left out.
pub(crate) fn run(
    ready: &Ready,
    shard: Shard,
    threads: Option<usize>,
    progress: &Progress<'_>,
) -> Result<Sweep, Error> {
    ready.run(&plans(ready, shard), threads, progress)
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
