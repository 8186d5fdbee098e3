//! Delays of some retries at once: a stage at a time, each over a vector of values, without branches.
//!
//! For stages whose formula is one line and delays that draw once at most; the others go one by one. Values
//! are the same to the last bit.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdInt, SimdMask, f64x8, u64x8};

use super::{Delay, End, Op, TABLE};

/// What delays are computed from: a place each for every retry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retries<S: Simd> {
    /// Which retry it is of its call, 1 = the first.
    pub n: u64x8<S>,
    /// Delays that were returned last, if a stage looks back.
    pub previous: f64x8<S>,
    /// First uniform numbers of the streams, if the delay draws.
    pub units: f64x8<S>,
}

impl Delay {
    /// Whether [`Delay::before_retries`] can be used.
    pub(crate) fn is_columnar(&self) -> bool {
        self.rest.iter().filter(|op| op.draws()).count() <= 1 && self.rest.iter().all(Op::is_columnar)
    }

    /// Whether a stage looks at the delay that was returned last.
    pub(crate) fn looks_back(&self) -> bool {
        !self.rest.iter().all(|op| op.is_columnar() && !matches!(op, Op::Prev { .. } | Op::Uniform { .. }))
    }

    /// What [`Delay::before_retry`] gives for each retry.
    #[inline(always)]
    pub(crate) fn before_retries<S: Simd>(&self, simd: S, retries: &Retries<S>) -> f64x8<S> {
        debug_assert!(self.is_columnar(), "a stage without columns");
        let mut delays = self.all_known(simd, retries.n);
        for op in &self.rest {
            delays = op.apply_all(simd, retries, delays);
        }
        let longest = f64x8::splat(simd, self.longest);
        let bounded = delays.max(f64x8::splat(simd, 0.0)).min(longest);
        delays.is_nan().select(longest, bounded)
    }

    /// The values of the deterministic stages.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "places in a table")]
    fn all_known<S: Simd>(&self, simd: S, n: u64x8<S>) -> f64x8<S> {
        let last = u64x8::splat(simd, u64::from(TABLE));
        if self.settled.is_none() && n.simd_gt(last).any_true() {
            return f64x8::load_array(simd, self.beyond_table(&n.to_array()));
        }
        // Beyond the table stands its last value, if it no longer changes there.
        let places = (n.min(last) - u64x8::splat(simd, 1)).to_array();
        let mut known = [0.0; 8];
        for i in 0..8 {
            known[i] = self.table[places[i] as usize % TABLE as usize];
        }
        f64x8::load_array(simd, known)
    }

    #[cold]
    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "numbers of retries")]
    fn beyond_table(&self, n: &[u64; 8]) -> [f64; 8] {
        n.map(|n| self.known(n.max(1) as u32))
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
    fn apply_all<S: Simd>(&self, simd: S, retries: &Retries<S>, v: f64x8<S>) -> f64x8<S> {
        let all = |x: f64| f64x8::splat(simd, x);
        let Retries { n, previous, units } = *retries;
        match self {
            Self::Cap(cap) => v.min_precise(all(*cap)),
            Self::Floor(floor) => v.max_precise(all(*floor)),
            Self::Scale(factor) => finite(simd, v * all(*factor)),
            Self::Jitter { lo, width } => finite(simd, v * (all(*lo) + all(*width) * units)),
            Self::Add { lo, width } => finite(simd, v + (all(*lo) + all(*width) * units)),
            Self::Prev { first, factor, .. } => {
                let is_first = n.simd_eq(u64x8::splat(simd, 1));
                is_first.select(all(*first), finite(simd, all(*factor) * previous))
            }
            Self::Uniform { lo, hi } => {
                let (lo, hi) = (lo.at_all(simd, retries, v), hi.at_all(simd, retries, v));
                finite(simd, lo + (hi - lo) * units)
            }
            _ => v,
        }
    }
}

impl End {
    /// What [`End::at`] gives for each value.
    #[inline(always)]
    fn at_all<S: Simd>(&self, simd: S, retries: &Retries<S>, v: f64x8<S>) -> f64x8<S> {
        let all = |x: f64| f64x8::splat(simd, x);
        let n: f64x8<S> = retries.n.to_float();
        let sum = all(self.abs) + all(self.v) * v + all(self.prev) * retries.previous + all(self.n) * n;
        sum.min_precise(all(self.max))
    }
}

/// Kept finite, as between any two stages; what is no number stays none.
#[inline(always)]
fn finite<S: Simd>(simd: S, v: f64x8<S>) -> f64x8<S> {
    let clamped = v.max(f64x8::splat(simd, f64::MIN)).min(f64x8::splat(simd, f64::MAX));
    v.is_nan().select(v, clamped)
}
