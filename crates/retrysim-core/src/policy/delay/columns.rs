//! Delays of many retries at once: a stage at a time, each over a column of values, in loops without branches.
//!
//! For stages whose formula is one line and delays that draw once at most; the others go one by one. Values
//! are the same to the last bit.

use super::{Delay, Op};

/// What delays are computed from, and the delays: a place each for every retry.
#[derive(Clone, Debug, Default)]
pub struct Retries {
    /// Delays that were returned last, if a stage looks back.
    pub previous: Vec<f64>,
    /// First uniform numbers of the streams, if the delay draws.
    pub units: Vec<f64>,
    /// The delays.
    pub delays: Vec<f64>,
}

impl Delay {
    /// Whether [`Delay::before_retries`] can be used.
    #[must_use]
    pub fn is_columnar(&self) -> bool {
        self.rest.iter().filter(|op| op.draws()).count() <= 1 && self.rest.iter().all(Op::is_columnar)
    }

    /// Whether a stage looks at the delay that was returned last.
    #[must_use]
    pub fn looks_back(&self) -> bool {
        !self.rest.iter().all(|op| op.is_columnar() && !matches!(op, Op::Prev { .. } | Op::Uniform { .. }))
    }

    /// Fills `delays` with what [`Delay::before_retry`] gives for each retry `n` (1 = the first).
    #[inline(always)]
    pub fn before_retries(&self, n: &[u32], previous: &[f64], units: &[f64], delays: &mut [f64]) {
        debug_assert!(self.is_columnar(), "a stage without columns");
        for (delay, n) in delays.iter_mut().zip(n) {
            *delay = self.known(*n);
        }
        for op in &self.rest {
            op.apply_all(previous, units, n, delays);
        }
        delays.iter_mut().for_each(|delay| *delay = self.bounded(*delay));
    }
}

impl Op {
    const fn is_columnar(&self) -> bool {
        matches!(
            self,
            Self::Prev { pow_n: false, .. }
                | Self::Cap(_)
                | Self::Floor(_)
                | Self::Scale(_)
                | Self::Jitter { .. }
                | Self::Add { .. }
                | Self::Uniform { .. }
        )
    }

    #[inline(always)]
    fn apply_all(&self, previous: &[f64], units: &[f64], n: &[u32], values: &mut [f64]) {
        let each = values.iter_mut();
        match self {
            Self::Cap(cap) => each.for_each(|v| *v = v.min(*cap)),
            Self::Floor(floor) => each.for_each(|v| *v = v.max(*floor)),
            Self::Scale(factor) => each.for_each(|v| *v = finite(*v * factor)),
            Self::Jitter { lo, width } => {
                each.zip(units).for_each(|(v, u)| *v = finite(*v * (lo + width * u)));
            }
            Self::Add { lo, width } => {
                each.zip(units).for_each(|(v, u)| *v = finite(*v + (lo + width * u)));
            }
            Self::Prev { first, factor, .. } => {
                for ((v, previous), n) in each.zip(previous).zip(n) {
                    *v = if *n == 1 { *first } else { finite(factor * previous) };
                }
            }
            Self::Uniform { lo, hi } => {
                for (((v, previous), n), u) in each.zip(previous).zip(n).zip(units) {
                    let (lo, hi) = (lo.at(*v, *previous, *n), hi.at(*v, *previous, *n));
                    *v = finite(lo + (hi - lo) * u);
                }
            }
            _ => {}
        }
    }
}

/// Kept finite, as between any two stages.
#[inline]
fn finite(value: f64) -> f64 {
    value.clamp(f64::MIN, f64::MAX)
}
