//! Summaries with intervals, and comparisons on common random numbers.
//!
//! Quantiles: the smallest value x with share(values <= x) >= p, with order-statistic (binomial) intervals.
//! Means: Student's t. Shares: Wilson. Differences: Student's t on the paired differences. Ratios of means:
//! the delta method on the pairs.

use polars::prelude::DataFrame;
use retrysim_core::{Error as CoreError, stats};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{
    error::Error,
    frame::{Cells, column, estimates, of_columns},
    simulation::Simulation,
};

/// Quantiles in a summary.
pub const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// A statistic of one metric of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// Its name.
    pub name: &'static str,
    /// The estimate with its interval; NaN ends where there is none.
    pub estimate: stats::Estimate,
    /// How the interval was made.
    pub method: &'static str,
}

/// All statistics of a metric, and the number of runs in which it exists.
///
/// `missing_share` is the share of runs in which it doesn't: of `finish_s`, the probability of collapse, in
/// which not every call succeeded.
///
/// ```
/// let (all, n) = retrysim::statistics(&[3.0, 5.0, f64::NAN, 4.0], 0.95);
/// assert_eq!((all[0].name, all[0].estimate.value, n), ("mean", 4.0, 3));
/// assert_eq!(all.last().map(|last| last.estimate.value), Some(0.25));
/// ```
#[must_use]
pub fn statistics(values: &[f64], confidence: f64) -> (Vec<Statistic>, usize) {
    let sorted = stats::sorted(values);
    let bare = |value| stats::Estimate { value, low: f64::NAN, high: f64::NAN };
    let mut all = vec![
        Statistic { name: "mean", estimate: stats::mean(values, confidence), method: "Student t" },
        Statistic { name: "sd", estimate: bare(stats::mean_sd(values).1), method: "" },
        Statistic { name: "min", estimate: bare(sorted.first().copied().unwrap_or(f64::NAN)), method: "" },
    ];
    all.extend(QUANTILES.map(|(name, p)| {
        let (low, high) = stats::quantile_interval(&sorted, p, confidence);
        let estimate = stats::Estimate { value: stats::quantile_lower(&sorted, p), low, high };
        Statistic { name, estimate, method: "order statistics" }
    }));
    let max = bare(sorted.last().copied().unwrap_or(f64::NAN));
    all.push(Statistic { name: "max", estimate: max, method: "" });
    let missing = (values.len() - sorted.len()) as u64;
    let share = stats::share(missing, values.len() as u64, confidence);
    all.push(Statistic { name: "missing_share", estimate: share, method: "Wilson" });
    (all, sorted.len())
}

/// Columns of an estimate, built row by row.
#[derive(Default)]
pub(crate) struct Estimates {
    value: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    n: Vec<i64>,
    method: Vec<String>,
}

impl Estimates {
    pub fn push(&mut self, estimate: stats::Estimate, n: usize, method: &str) {
        self.value.push(estimate.value);
        self.low.push(estimate.low);
        self.high.push(estimate.high);
        self.n.push(i64::try_from(n).unwrap_or(i64::MAX));
        self.method.push(method.to_owned());
    }

    pub fn columns(self, confidence: f64) -> [polars::prelude::Column; 6] {
        let level = vec![confidence; self.value.len()];
        [
            column("value", Cells::Number(self.value)),
            column("ci_low", Cells::Number(self.low)),
            column("ci_high", Cells::Number(self.high)),
            column("confidence", Cells::Number(level)),
            column("n", Cells::Whole(self.n)),
            column("method", Cells::Text(self.method)),
        ]
    }
}

impl Simulation {
    /// A row a policy, metric and statistic ([`crate::frame::SUMMARY`]).
    ///
    /// ```
    /// use retrysim::{RunConfig, bundled, simulate};
    ///
    /// let runs = simulate(&bundled::scenario("overload")?, &RunConfig::runs(100).policies(["full", "exponential"]))?;
    /// assert!(runs.summary_frame(0.95)?.column("ci_low").is_ok());
    /// assert!(runs.compare_frame("full", 0.95)?.column("baseline").is_ok());
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Core`] for a confidence outside (0, 1).
    pub fn summary_frame(&self, confidence: f64) -> Result<DataFrame, Error> {
        check_confidence(confidence)?;
        let mut keys: [Vec<String>; 4] = Default::default();
        let mut estimates = Estimates::default();
        for policy in &self.runs.policies {
            for metric in &self.runs.columns {
                let values = self.metric(policy, &metric.name)?;
                let (all, n) = statistics(&values, confidence);
                for statistic in all {
                    let row = [&self.scenario.name, policy, &metric.name, statistic.name];
                    keys.iter_mut().zip(row).for_each(|(key, text)| key.push(text.to_owned()));
                    estimates.push(statistic.estimate, n, statistic.method);
                }
            }
        }
        keyed(["scenario", "policy", "metric", "statistic"], keys, estimates, confidence)
    }

    /// A row a policy with the wanted statistics of metrics side by side, each followed by the ends of its
    /// interval: `mean_finish_s`, `mean_finish_s_low`, `mean_finish_s_high`. For reading; what can be asked for
    /// is in [`Simulation::summary_frame`].
    ///
    /// ```
    /// use retrysim::{RunConfig, bundled, simulate, table::Table};
    ///
    /// let runs = simulate(&bundled::scenario("overload")?, &RunConfig::runs(1_000).policies(["full", "exponential"]))?;
    /// let overview = runs.overview_frame(&[("attempts", "p50"), ("successes", "mean")], 0.95)?;
    /// assert!(Table::of(&overview, 10).markdown().starts_with("| policy | p50 attempts, 95 % interval |"));
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Core`] for a metric or statistic that isn't there, or a confidence outside (0, 1).
    pub fn overview_frame(&self, wanted: &[(&str, &str)], confidence: f64) -> Result<DataFrame, Error> {
        check_confidence(confidence)?;
        let mut columns = vec![column("policy", Cells::Text(self.runs.policies.clone()))];
        for (metric, statistic) in wanted {
            let estimate = |policy: &String| {
                let (all, _) = statistics(&self.metric(policy, metric)?, confidence);
                let names = || all.iter().map(|statistic| statistic.name).collect::<Vec<_>>().join(", ");
                let found = all.iter().find(|known| known.name == *statistic).ok_or_else(|| {
                    CoreError::Unknown { kind: "statistic", name: (*statistic).to_owned(), known: names() }
                })?;
                Ok(found.estimate)
            };
            let all = self.runs.policies.iter().map(estimate).collect::<Result<Vec<_>, Error>>()?;
            columns.extend(estimates(&format!("{statistic}_{metric}"), &all));
        }
        of_columns(columns)
    }

    /// Every policy against `baseline`, run by run on common random numbers ([`crate::frame::COMPARISON`]).
    ///
    /// # Errors
    /// [`Error::Core`] for a policy that wasn't run, or a confidence outside (0, 1).
    pub fn compare_frame(&self, baseline: &str, confidence: f64) -> Result<DataFrame, Error> {
        check_confidence(confidence)?;
        let mut keys: [Vec<String>; 5] = Default::default();
        let mut estimates = Estimates::default();
        for metric in &self.runs.columns {
            let base = self.metric(baseline, &metric.name)?;
            for policy in self.runs.policies.iter().filter(|policy| *policy != baseline) {
                let values = self.metric(policy, &metric.name)?;
                let pairs: Vec<(f64, f64)> = values
                    .into_iter()
                    .zip(&base)
                    .filter(|(a, b)| !a.is_nan() && !b.is_nan())
                    .map(|(a, b)| (a, *b))
                    .collect();
                let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
                let both = [
                    ("difference", stats::mean(&differences, confidence), "paired Student t"),
                    ("ratio", ratio(&pairs, confidence), "paired delta method"),
                ];
                for (statistic, estimate, method) in both {
                    let row = [&self.scenario.name, policy, baseline, &metric.name, statistic];
                    keys.iter_mut().zip(row).for_each(|(key, text)| key.push(text.to_owned()));
                    estimates.push(estimate, pairs.len(), method);
                }
            }
        }
        keyed(["scenario", "policy", "baseline", "metric", "statistic"], keys, estimates, confidence)
    }
}

/// Ratio of the means of pairs, with an interval by the delta method: the residuals `a - r b` have the
/// variance of the ratio times the squared mean of `b`.
fn ratio(pairs: &[(f64, f64)], confidence: f64) -> stats::Estimate {
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let n = pairs.len() as f64;
    let (sum_a, sum_b) = pairs.iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
    let value = sum_a / sum_b;
    let residuals: Vec<f64> = pairs.iter().map(|(a, b)| a - value * b).collect();
    let (_, sd, _) = stats::mean_sd(&residuals);
    let half = match StudentsT::new(0.0, 1.0, n - 1.0) {
        Ok(t) if n > 1.0 => t.inverse_cdf(0.5 + confidence / 2.0) * sd / n.sqrt() / (sum_b / n).abs(),
        _ => f64::NAN,
    };
    let value = if value.is_finite() { value } else { f64::NAN };
    stats::Estimate { value, low: value - half, high: value + half }
}

/// A frame of text keys and estimates.
pub(crate) fn keyed<const N: usize>(
    names: [&str; N],
    keys: [Vec<String>; N],
    estimates: Estimates,
    confidence: f64,
) -> Result<DataFrame, Error> {
    let mut columns: Vec<_> =
        names.iter().zip(keys).map(|(name, key)| column(name, Cells::Text(key))).collect();
    columns.extend(estimates.columns(confidence));
    DataFrame::new_infer_height(columns).map_err(Error::Frame)
}

/// Refuses a confidence outside (0, 1).
pub(crate) fn check_confidence(confidence: f64) -> Result<(), Error> {
    if confidence > 0.0 && confidence < 1.0 {
        Ok(())
    } else {
        Err(CoreError::invalid("confidence", confidence, "a number between 0 and 1").into())
    }
}
