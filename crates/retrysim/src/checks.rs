//! What can be said of a policy by itself, as frames: findings of the linter, and measured delays.

use polars::prelude::DataFrame;
use retrysim_core::{
    lint::Finding,
    measure::{Measured, Retry},
};

use crate::{
    error::Error,
    frame::{Cells, column, of_columns},
};

/// Findings by policy: a row a finding.
///
/// ```
/// use retrysim::{Policy, Span, checks, lint};
///
/// let policy = Policy::exponential(Span::from_secs(1), 2.0).attempts(5);
/// let findings = checks::findings(&[("mine".to_owned(), lint::lint(&policy))])?;
/// assert_eq!(findings.height(), 1);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Frame`] if polars refuses the columns.
pub fn findings(by_policy: &[(String, Vec<Finding>)]) -> Result<DataFrame, Error> {
    let rows: Vec<(&String, &Finding)> = by_policy
        .iter()
        .flat_map(|(name, findings)| findings.iter().map(move |finding| (name, finding)))
        .collect();
    let text =
        |of: &dyn Fn(&Finding) -> String| Cells::Text(rows.iter().map(|(_, finding)| of(finding)).collect());
    let number = rows.iter().map(|(_, finding)| finding.number);
    of_columns(vec![
        column("policy", Cells::Text(rows.iter().map(|(name, _)| (*name).clone()).collect())),
        column("field", text(&|finding| finding.field.clone())),
        column("lint", text(&|finding| finding.lint.name().to_owned())),
        column("number", Cells::Number(number.map(|x| if x.is_finite() { x } else { f64::NAN }).collect())),
        column("unit", text(&|finding| finding.unit.to_owned())),
        column("message", text(&|finding| finding.message.clone())),
        column("cure", text(&|finding| finding.cure.clone())),
    ])
}

/// Measured delays: a row a retry.
///
/// `common_s` is the commonest delay and `common_share` the share of clients that have it; `jitter` is half of the
/// 5 % to 95 % spread over the mean; `correlation` is that with the delay before.
///
/// # Errors
/// [`Error::Frame`] if polars refuses the columns.
pub fn measured(measured: &Measured) -> Result<DataFrame, Error> {
    let rows = &measured.retries;
    let number = |of: &dyn Fn(&Retry) -> f64| Cells::Number(rows.iter().map(of).collect());
    let count = |of: &dyn Fn(&Retry) -> usize| {
        Cells::Whole(rows.iter().map(|row| i64::try_from(of(row)).unwrap_or(i64::MAX)).collect())
    };
    of_columns(vec![
        column("retry", count(&|row| row.retry)),
        column("clients", count(&|row| row.count)),
        column("mean_s", number(&|row| row.mean_s)),
        column("mean_se_s", number(&|row| row.mean_se_s)),
        column("min_s", number(&|row| row.min_s)),
        column("p05_s", number(&|row| row.p05_s)),
        column("p25_s", number(&|row| row.p25_s)),
        column("p50_s", number(&|row| row.p50_s)),
        column("p75_s", number(&|row| row.p75_s)),
        column("p95_s", number(&|row| row.p95_s)),
        column("max_s", number(&|row| row.max_s)),
        column("jitter", number(&|row| row.jitter)),
        column("distinct", count(&|row| row.distinct)),
        column("common_s", number(&|row| row.common_s)),
        column("common_share", number(&|row| row.common_share)),
        column("correlation", number(&|row| row.correlation)),
    ])
}

/// One number by policy and retry, such as `|retry| retry.jitter`: a row a policy, a column a retry. A retry that
/// nobody makes is null.
///
/// ```
/// use retrysim::{Policy, Span, checks, measure::measure_policy};
///
/// let full = Policy::exponential(Span::from_secs(1), 2.0).jitter(0.0, 1.0);
/// let measured = [measure_policy("full", &full, 1_000, 0, 3)?];
/// assert_eq!(checks::by_retry(&measured, |retry| retry.jitter)?.shape(), (1, 4));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Frame`] if polars refuses the columns.
pub fn by_retry(measured: &[Measured], of: impl Fn(&Retry) -> f64) -> Result<DataFrame, Error> {
    let names = measured.iter().map(|measured| measured.name.clone()).collect();
    let most = measured.iter().map(|measured| measured.retries.len()).max().unwrap_or(0);
    let mut columns = vec![column("policy", Cells::Text(names))];
    columns.extend((0..most).map(|n| {
        let cells = measured.iter().map(|measured| measured.retries.get(n).map_or(f64::NAN, &of)).collect();
        column(&format!("retry {}", n + 1), Cells::Number(cells))
    }));
    of_columns(columns)
}

/// Densities of measured delays: a row a bin, `[from_s, to_s)` of a retry with its count.
///
/// # Errors
/// [`Error::Frame`] if polars refuses the columns.
#[expect(clippy::cast_precision_loss, reason = "a handful of bins")]
pub fn density(measured: &Measured) -> Result<DataFrame, Error> {
    let (mut retries, mut ends, mut counts) = (Vec::new(), [Vec::new(), Vec::new()], Vec::new());
    for row in &measured.retries {
        let width = (row.density.to_s - row.density.from_s) / row.density.counts.len() as f64;
        for (bin, count) in row.density.counts.iter().enumerate() {
            retries.push(i64::try_from(row.retry).unwrap_or(i64::MAX));
            ends[0].push(row.density.from_s + width * bin as f64);
            ends[1].push(row.density.from_s + width * (bin + 1) as f64);
            counts.push(i64::try_from(*count).unwrap_or(i64::MAX));
        }
    }
    let [from, to] = ends;
    of_columns(vec![
        column("retry", Cells::Whole(retries)),
        column("from_s", Cells::Number(from)),
        column("to_s", Cells::Number(to)),
        column("clients", Cells::Whole(counts)),
    ])
}
