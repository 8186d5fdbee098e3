//! Random lengths of time, such as network delays.

use fearless_simd::{Simd, SimdBase, SimdMask, f64x8, mask64x8, u64x8};
use rand_distr::{Distribution, Exp1, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::{
    draw::{Stream, normals},
    error::{Error, in_range},
    span::{Span, Unit},
};

/// A distribution of a length of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Latency {
    /// Always the same.
    Constant(Span),
    /// Uniform between two ends.
    Uniform([Span; 2]),
    /// Normal, its absolute value taken.
    Normal {
        /// Mean.
        mean: Span,
        /// Standard deviation.
        sd: Span,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean: Span,
    },
    /// Log-normal.
    LogNormal {
        /// Median.
        median: Span,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
}

impl Latency {
    /// Refuses lengths below zero.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's name.
    pub fn validate(&self) -> Result<(), Error> {
        let zero = Span::ZERO;
        match self {
            Self::Constant(span) => span.at_least("constant", zero),
            Self::Uniform([lo, hi]) => {
                lo.at_least("uniform[0]", zero)?;
                hi.at_least("uniform[1]", *lo)
            }
            Self::Normal { mean, sd } => {
                mean.at_least("normal.mean", zero)?;
                sd.at_least("normal.sd", zero)
            }
            Self::Exponential { mean } => mean.at_least("exponential.mean", zero),
            Self::LogNormal { median, sigma } => {
                median.at_least("log_normal.median", zero)?;
                in_range("log_normal.sigma", *sigma, 0.0, 20.0)
            }
        }
    }

    /// Whether every length is 0.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        let zero = Span::ZERO;
        match self {
            Self::Constant(mean) | Self::Exponential { mean } | Self::LogNormal { median: mean, .. } => {
                *mean == zero
            }
            Self::Uniform(ends) => *ends == [zero; 2],
            Self::Normal { mean, sd } => [*mean, *sd] == [zero; 2],
        }
    }

    /// The mean, in seconds.
    ///
    /// ```
    /// use retrysim_core::{Span, latency::Latency};
    ///
    /// assert_eq!(Latency::Uniform([Span::ZERO, Span::from_secs(3)]).mean_s(), 1.5);
    /// ```
    #[must_use]
    pub fn mean_s(&self) -> f64 {
        match self {
            Self::Constant(span) => span.secs(),
            Self::Uniform([lo, hi]) => (lo.secs() + hi.secs()) / 2.0,
            Self::Normal { mean, sd } if *sd == Span::ZERO => mean.secs(),
            Self::Normal { mean, sd } => {
                // Of the absolute value.
                let (sd, z) = (sd.secs(), mean.secs() / sd.secs());
                let half = std::f64::consts::FRAC_1_SQRT_2 * z;
                sd * (std::f64::consts::FRAC_2_PI.sqrt() * libm::exp(-half * half) + z * libm::erf(half))
            }
            Self::Exponential { mean } => mean.secs(),
            Self::LogNormal { median, sigma } => median.secs() * libm::exp(sigma * sigma / 2.0),
        }
    }

    /// The distribution in `unit`.
    #[must_use]
    pub fn compile(&self, unit: Unit) -> Sampler {
        match self {
            Self::Constant(span) => Sampler::Constant(span.in_unit(unit)),
            Self::Uniform([lo, hi]) => {
                Sampler::Uniform { lo: lo.in_unit(unit), width: hi.in_unit(unit) - lo.in_unit(unit) }
            }
            Self::Normal { mean, sd } => Sampler::Normal { mean: mean.in_unit(unit), sd: sd.in_unit(unit) },
            Self::Exponential { mean } => Sampler::Exponential(mean.in_unit(unit)),
            Self::LogNormal { median, sigma } => {
                Sampler::LogNormal { median: median.in_unit(unit), sigma: *sigma }
            }
        }
    }
}

/// A [`Latency`] in the scenario's unit.
#[derive(Clone, Copy, Debug)]
pub enum Sampler {
    /// Always the same.
    Constant(f64),
    /// Uniform from `lo` on.
    Uniform {
        /// Lower end.
        lo: f64,
        /// Upper end minus lower end.
        width: f64,
    },
    /// Absolute value of a normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        sd: f64,
    },
    /// Exponential with this mean.
    Exponential(f64),
    /// Log-normal.
    LogNormal {
        /// Median.
        median: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
}

impl Sampler {
    /// Lengths, one after the other, none negative.
    #[inline(always)]
    pub fn samples<const N: usize, S: Stream>(&self, stream: &mut S) -> [f64; N] {
        let mut lengths = [0.0; N];
        match self {
            // In a loop of its own, so that what a number takes is set up once.
            Self::Normal { mean, sd } => {
                lengths.fill_with(|| normal(*mean, *sd, stream));
            }
            _ => lengths.fill_with(|| self.sample(stream)),
        }
        lengths
    }

    /// The length that each random number gives as the first one of a stream, and whether it takes no more than that.
    #[inline(always)]
    pub(crate) fn at_once<S: Simd>(&self, simd: S, numbers: u64x8<S>) -> (f64x8<S>, mask64x8<S>) {
        let Self::Normal { mean, sd } = self else {
            return (f64x8::splat(simd, 0.0), mask64x8::splat(simd, false));
        };
        let (z, decided) = normals(simd, numbers);
        ((f64x8::splat(simd, *mean) + f64x8::splat(simd, *sd) * z).abs(), decided)
    }

    /// One length, not negative.
    #[inline]
    pub fn sample<S: Stream>(&self, stream: &mut S) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Uniform { lo, width } => lo + width * stream.unit(),
            Self::Normal { mean, sd } => normal(*mean, *sd, stream),
            Self::Exponential(mean) => {
                let e: f64 = Exp1.sample(stream);
                mean * e
            }
            Self::LogNormal { median, sigma } => {
                let z: f64 = StandardNormal.sample(stream);
                median * libm::exp(sigma * z)
            }
        }
    }
}

/// The absolute value of a normal number.
#[inline]
fn normal<S: Stream>(mean: f64, sd: f64, stream: &mut S) -> f64 {
    let z: f64 = StandardNormal.sample(stream);
    (mean + sd * z).abs()
}
