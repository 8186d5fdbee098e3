//! A 95 % interval covers the known truth in about 95 % of repetitions.
//!
//! 2,000 repetitions a check, fixed seed. A nominal interval covers 0.95 with a standard error of 0.0049, so
//! that [0.935, 0.965] is 3.1 standard errors to either side: a false alarm in 1 of 500 a check for a new seed.
//! Intervals from order statistics and for shares are conservative in small samples, because their ends are
//! discrete; the sample sizes are chosen large enough for that not to show.

use retrysim::{
    draw::{Draws, Philox, Purpose, Stream},
    stats::{self, Estimate},
};

const REPETITIONS: u64 = 2_000;

/// The share of repetitions in which `estimate` of `n` exponential numbers of mean 1 covers `truth`.
fn coverage(n: u32, truth: f64, estimate: impl Fn(&[f64]) -> Estimate) -> f64 {
    let covers = |repetition: &u64| {
        let mut draws = Philox::new(11, *repetition);
        let number = |i| -(1.0 - draws.at(Purpose::Statistics, 7, i).unit()).ln();
        let estimate = estimate(&(0..n).map(number).collect::<Vec<_>>());
        estimate.low <= truth && truth <= estimate.high
    };
    (0..REPETITIONS).filter(covers).count() as f64 / REPETITIONS as f64
}

fn assert_nominal(name: &str, coverage: f64) {
    assert!((0.935..=0.965).contains(&coverage), "{name}: {coverage}");
}

/// Quantile `p` of the exponential distribution: `-ln(1 - p)`.
#[test]
fn order_statistics_cover_quantiles() {
    for (p, n) in [(0.5, 1_001), (0.9, 1_500), (0.99, 6_000)] {
        let interval = |values: &[f64]| {
            let sorted = stats::sorted(values);
            let (low, high) = stats::quantile_interval(&sorted, p, 0.95);
            Estimate { value: stats::quantile_lower(&sorted, p), low, high }
        };
        assert_nominal(&format!("quantile {p}"), coverage(n, -(1.0 - p).ln(), interval));
    }
}

#[test]
fn student_t_covers_the_mean() {
    assert_nominal("mean", coverage(400, 1.0, |values| stats::mean(values, 0.95)));
}

/// P(X <= 0.5) = 1 - exp(-0.5).
#[test]
fn wilson_covers_a_share() {
    let truth = 1.0 - (-0.5_f64).exp();
    let share = |values: &[f64]| {
        let successes = values.iter().filter(|x| **x <= 0.5).count() as u64;
        stats::share(successes, values.len() as u64, 0.95)
    };
    assert_nominal("share", coverage(1_000, truth, share));
}

#[test]
fn a_sample_too_small_for_a_quantile_says_so() {
    let sorted: Vec<f64> = (1..=20).map(f64::from).collect();
    let (low, high) = stats::quantile_interval(&sorted, 0.999, 0.95);
    assert!(!low.is_nan() && high.is_nan(), "20 values do not bound their 99.9 % quantile from above");
    let (low, high) = stats::quantile_interval(&sorted, 0.5, 0.95);
    // The textbook's ranks for n = 20: the 6th and the 15th value.
    assert_eq!((low, high), (6.0, 15.0));
}
