//! A Poisson distribution, drawn by the inverse of its distribution function.

/// A Poisson distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poisson {
    mean: f64,
    /// The probability of 0.
    none: f64,
}

impl Poisson {
    /// The distribution with this mean.
    pub fn new(mean: f64) -> Self {
        Self { mean, none: libm::exp(-mean) }
    }

    /// The smallest `k` with `P(X <= k) >= u`, by summation.
    #[inline]
    pub fn at(&self, u: f64) -> u32 {
        let mut k = 0;
        let (mut p, mut sum) = (self.none, self.none);
        while u > sum && p > 0.0 {
            k += 1;
            p *= self.mean / f64::from(k);
            sum += p;
        }
        k
    }
}
