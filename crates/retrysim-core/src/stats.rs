//! Statistics of runs: quantiles with order-statistic intervals, means with Student's t, shares with Wilson.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The values that exist (NaN marks one that doesn't), in ascending order.
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Linear quantile (type 7) of sorted values; NaN if there are none.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index"
)]
pub fn quantile_linear(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    if part == 0.0 { sorted[below] } else { sorted[below] + (sorted[above] - sorted[below]) * part }
}

/// The smallest value `x` with `share(values <= x) >= p`: the quantile for counts. NaN if there are none.
#[must_use]
pub fn quantile_lower(sorted: &[f64], p: f64) -> f64 {
    sorted.get(lower(sorted.len(), p)).copied().unwrap_or(f64::NAN)
}

/// [`quantile_lower`] of values in any order, which changes.
pub fn select_lower(values: &mut [f64], p: f64) -> f64 {
    match lower(values.len(), p) {
        place if place < values.len() => *values.select_nth_unstable_by(place, f64::total_cmp).1,
        _ => f64::NAN,
    }
}

/// The place of the lower quantile among so many sorted values.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index"
)]
fn lower(values: usize, p: f64) -> usize {
    // Half an ulp of slack: 0.9 of 10 is 9, not 9.000000000000002.
    let rank = (p.clamp(0.0, 1.0) * values as f64 * (1.0 - 1e-15)).ceil() as usize;
    rank.clamp(1, values.max(1)) - 1
}

/// Order-statistic interval of the `p`-quantile: `P(B < l) <= a/2` and `P(B >= u) <= a/2` for
/// `B ~ Binomial(n, p)`, `a = 1 - confidence`. The ends are values of the sample; an end that would lie
/// beyond the sample, because it is too small for such a quantile, is NaN.
#[must_use]
pub fn quantile_interval(sorted: &[f64], p: f64, confidence: f64) -> (f64, f64) {
    let Ok(binomial) = Binomial::new(p, sorted.len() as u64) else { return (f64::NAN, f64::NAN) };
    if sorted.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    let tail = (1.0 - confidence) / 2.0;
    let at = |rank: u64| {
        let index = usize::try_from(rank).ok().and_then(|rank| rank.checked_sub(1));
        index.and_then(|index| sorted.get(index)).copied().unwrap_or(f64::NAN)
    };
    let low = binomial.inverse_cdf(tail);
    let high = binomial.inverse_cdf(1.0 - tail).saturating_add(1);
    (at(low), at(high))
}

/// Median as the lower quantile, with its order-statistic interval.
#[must_use]
pub fn median(values: &[f64], confidence: f64) -> Estimate {
    let sorted = sorted(values);
    let (low, high) = quantile_interval(&sorted, 0.5, confidence);
    Estimate { value: quantile_lower(&sorted, 0.5), low, high }
}

/// Mean and standard deviation (n - 1) of the values that exist.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts")]
pub fn mean_sd(values: &[f64]) -> (f64, f64, usize) {
    let existing: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let n = existing.len();
    if n == 0 {
        return (f64::NAN, f64::NAN, 0);
    }
    let mean = existing.iter().sum::<f64>() / n as f64;
    let squares: f64 = existing.iter().map(|value| (value - mean) * (value - mean)).sum();
    let sd = if n > 1 { (squares / (n - 1) as f64).sqrt() } else { f64::NAN };
    (mean, sd, n)
}

/// Mean with Student's t interval; no interval for fewer than two values.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts")]
pub fn mean(values: &[f64], confidence: f64) -> Estimate {
    let (value, sd, n) = mean_sd(values);
    let half = match StudentsT::new(0.0, 1.0, n.saturating_sub(1) as f64) {
        Ok(t) if n > 1 => t.inverse_cdf(0.5 + confidence / 2.0) * sd / (n as f64).sqrt(),
        _ => f64::NAN,
    };
    Estimate { value, low: value - half, high: value + half }
}

/// Share of successes with Wilson's interval; NaN for no trials.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts")]
pub fn share(successes: u64, trials: u64, confidence: f64) -> Estimate {
    let n = trials as f64;
    let p = successes as f64 / n;
    let z = Normal::standard().inverse_cdf(0.5 + confidence / 2.0);
    let scale = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / scale;
    let half = z / scale * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let low = if successes == 0 { 0.0 } else { centre - half };
    let high = if successes == trials { 1.0 } else { centre + half };
    Estimate { value: p, low, high }
}
