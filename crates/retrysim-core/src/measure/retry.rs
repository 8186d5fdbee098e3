//! The delays of all clients before one retry.

use serde::Serialize;

use crate::stats;

/// Bins of a density.
const BINS: u8 = 40;

/// Delays before one retry over clients, in seconds.
///
/// What doesn't exist, such as a deviation of one delay, is NaN (null in files). Quantiles are linear.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retry {
    /// Its number; 1 is the first.
    pub retry: usize,
    /// Clients that make it.
    pub count: usize,
    /// Mean delay.
    pub mean_s: f64,
    /// Standard error of the mean.
    pub mean_se_s: f64,
    /// Standard deviation (n - 1).
    pub sd_s: f64,
    /// Smallest.
    pub min_s: f64,
    /// 5 % quantile.
    pub p05_s: f64,
    /// Lower quartile.
    pub p25_s: f64,
    /// Median.
    pub p50_s: f64,
    /// Upper quartile.
    pub p75_s: f64,
    /// 95 % quantile.
    pub p95_s: f64,
    /// Largest.
    pub max_s: f64,
    /// Different delays, to the nanosecond.
    pub distinct: usize,
    /// The commonest delay; the shortest of them if there are several.
    pub common_s: f64,
    /// Share of the clients that wait exactly that.
    pub common_share: f64,
    /// The jitter that is left: `(p95 - p05) / 2 / mean`; 0 if all delays are 0.
    pub jitter: f64,
    /// Pearson's correlation with the delay before, over clients with both.
    pub correlation: f64,
    /// How the delays lie between the smallest and the largest.
    pub density: Density,
}

/// Counts of delays in bins of equal width.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Density {
    /// Lower end of the first bin, in seconds: the smallest delay.
    pub from_s: f64,
    /// Upper end of the last bin, in seconds: the largest delay, which the bin includes.
    pub to_s: f64,
    /// Delays in each bin; a single bin if all delays are the same.
    pub counts: Vec<usize>,
}

impl Retry {
    /// Measures one column of delays in nanoseconds.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub(super) fn of(retry: usize, mut nanos: Vec<u64>, correlation: f64) -> Self {
        nanos.sort_unstable();
        let lumps = Lumps::of(&nanos);
        let secs: Vec<f64> = nanos.into_iter().map(from_nanos).collect();
        let (mean_s, sd_s, count) = stats::mean_sd(&secs);
        let at = |p| stats::quantile_linear(&secs, p);
        let half_spread = spread(&secs) / 2.0;
        Self {
            retry,
            count,
            mean_s,
            mean_se_s: sd_s / (count as f64).sqrt(),
            sd_s,
            min_s: at(0.0),
            p05_s: at(0.05),
            p25_s: at(0.25),
            p50_s: at(0.5),
            p75_s: at(0.75),
            p95_s: at(0.95),
            max_s: at(1.0),
            distinct: lumps.distinct,
            common_s: from_nanos(lumps.commonest),
            common_share: lumps.share,
            jitter: if half_spread > 0.0 { half_spread / mean_s } else { 0.0 },
            correlation,
            density: Density::of(&secs),
        }
    }

    /// Whether at least half of the clients wait exactly the same time.
    pub(super) fn is_lumped(&self) -> bool {
        self.common_share >= 0.5
    }
}

impl Density {
    fn of(sorted: &[f64]) -> Self {
        let (from_s, to_s) = (stats::quantile_linear(sorted, 0.0), stats::quantile_linear(sorted, 1.0));
        let bins = if to_s > from_s { BINS } else { 1 };
        let width = (to_s - from_s) / f64::from(bins);
        let mut below = 0;
        let counts = (1..=bins)
            .map(|bin| {
                let end = from_s + width * f64::from(bin);
                let up_to = if bin == bins { sorted.len() } else { sorted.partition_point(|x| *x < end) };
                let count = up_to - below;
                below = up_to;
                count
            })
            .collect();
        Self { from_s, to_s, counts }
    }
}

/// The width of sorted delays: from the 5 % to the 95 % quantile.
pub fn spread(sorted: &[f64]) -> f64 {
    stats::quantile_linear(sorted, 0.95) - stats::quantile_linear(sorted, 0.05)
}

/// Delays that are the same to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lumps {
    /// How many different delays there are.
    pub distinct: usize,
    /// The commonest one in nanoseconds; the shortest if there are several.
    pub commonest: u64,
    /// The share of all delays that it is; 0 if there are none.
    pub share: f64,
}

impl Lumps {
    /// Counts sorted delays.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub fn of(sorted: &[u64]) -> Self {
        let lumps = || sorted.chunk_by(PartialEq::eq);
        let Some(largest) = lumps().rev().max_by_key(|lump| lump.len()) else {
            return Self { distinct: 0, commonest: 0, share: 0.0 };
        };
        let share = largest.len() as f64 / sorted.len() as f64;
        Self { distinct: lumps().count(), commonest: largest[0], share }
    }
}

/// Whole nanoseconds in seconds.
#[expect(clippy::cast_precision_loss, reason = "delays above 104 days lose nanoseconds, not meaning")]
pub fn from_nanos(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// Seconds in whole nanoseconds; saturates at 584 years.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturation is what is wanted")]
pub fn to_nanos(secs: f64) -> u64 {
    (secs * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_the_same() {
        assert_eq!(Lumps::of(&[1, 2, 2, 3, 3, 9]), Lumps { distinct: 4, commonest: 2, share: 1.0 / 3.0 });
        assert_eq!(Lumps::of(&[]), Lumps { distinct: 0, commonest: 0, share: 0.0 });
    }

    #[test]
    fn a_density_counts_every_delay_once() {
        let secs: Vec<f64> = (0..=400).map(f64::from).collect();
        let density = Density::of(&secs);
        assert_eq!((density.from_s, density.to_s), (0.0, 400.0));
        assert_eq!(density.counts.len(), 40);
        assert_eq!(density.counts[..39], [10; 39]);
        assert_eq!(density.counts[39], 11);
        assert_eq!(Density::of(&[2.0, 2.0]), Density { from_s: 2.0, to_s: 2.0, counts: vec![2] });
    }

    #[test]
    fn nanoseconds_saturate() {
        assert_eq!(to_nanos(0.1), 100_000_000);
        assert_eq!(to_nanos(1e18), u64::MAX);
        assert_eq!(to_nanos(-1.0), 0);
    }
}
