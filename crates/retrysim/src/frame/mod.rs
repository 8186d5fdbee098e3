//! Frames: the stable interface. Schemas are constants; every column says what it is.
//!
//! Seconds end in `_s`; ratios are 0..1 and end in `_ratio` or `_share`; a value that doesn't exist is null.

mod build;
mod schema;

use indexmap::{IndexMap, IndexSet};
use polars::prelude::{DataFrame, IntoColumn, NamedFrom, Series, UInt64Chunked};
use retrysim_core::{
    callers::Decision,
    record::{Column as Metric, Kind, Outcome},
};

pub(crate) use self::build::below_each_other;
pub use self::build::{Cells, column, estimates, facts, of_columns, stack, texts};
use self::build::{counts, floats, names, of_columns as frame, stretches};
pub use self::schema::{ATTEMPTS, COMPARISON, Field, RUNS, SUMMARY, TIMELINE, Type, VERDICTS, empty};
use crate::{error::Error, published::Row, simulation::Simulation};

impl Simulation {
    /// A row a run: scenario, policy, seed, run, then the metrics that were kept ([`RUNS`]).
    ///
    /// # Errors
    /// [`Error::Frame`] if a metric's name collides with a key.
    pub fn runs_frame(&self) -> Result<DataFrame, Error> {
        let (runs, policies) = (self.runs.plan.len(), &self.runs.policies);
        let mut columns = vec![
            stretches("scenario", std::iter::once(self.scenario.name.as_str()), policies.len() * runs)?,
            stretches("policy", policies.iter().map(String::as_str), runs)?,
            UInt64Chunked::from_vec("seed".into(), self.keys().map(|(_, seed, _)| seed).collect())
                .into_column(),
            UInt64Chunked::from_vec("run".into(), self.keys().map(|(_, _, run)| run).collect()).into_column(),
        ];
        let metrics = self.runs.columns.iter().zip(columns_of(&self.runs.values, self.runs.columns.len()));
        columns.extend(metrics.map(|(metric, values)| metric_column(metric, values)));
        frame(columns)
    }

    /// A row an attempt ([`ATTEMPTS`]), in the order of answers within a run.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] unless the simulation was made with [`crate::Record::Attempts`].
    pub fn attempts_frame(&self) -> Result<DataFrame, Error> {
        if self.attempts.is_empty() {
            return Err(Error::NotRecorded { frame: "attempts", record: "Record::Attempts" });
        }
        let unit = self.scenario.unit;
        let rows =
            || self.keys().zip(&self.attempts).flat_map(|(key, log)| log.0.iter().map(move |row| (key, row)));
        let delay = |decision: &Option<Decision>| match decision {
            Some(Decision::Retry(delay)) => unit.to_secs(*delay),
            _ => f64::NAN,
        };
        frame(vec![
            names("scenario", rows().map(|_| self.scenario.name.as_str())),
            names("policy", rows().map(|((policy, _, _), _)| policy)),
            Series::new("run".into(), rows().map(|((_, _, run), _)| run).collect::<Vec<u64>>()).into(),
            Series::new("seed".into(), rows().map(|((_, seed, _), _)| seed).collect::<Vec<u64>>()).into(),
            Series::new("client".into(), rows().map(|(_, row)| row.client).collect::<Vec<u32>>()).into(),
            Series::new("call".into(), rows().map(|(_, row)| row.call).collect::<Vec<u32>>()).into(),
            Series::new("attempt".into(), rows().map(|(_, row)| row.attempt).collect::<Vec<u32>>()).into(),
            floats("start_s", rows().map(|(_, row)| unit.to_secs(row.start)).collect()),
            floats("end_s", rows().map(|(_, row)| unit.to_secs(row.end)).collect()),
            floats("delay_s", rows().map(|(_, row)| delay(&row.decision)).collect()),
            names("outcome", rows().map(|(_, row)| outcome_name(row.outcome))),
            names("decision", rows().map(|(_, row)| decision_name(row.outcome, row.decision))),
        ])
    }

    /// A row a bin ([`TIMELINE`]); a run's bins end with its last event.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] unless the simulation was made with [`crate::Record::Timeline`].
    pub fn timeline_frame(&self) -> Result<DataFrame, Error> {
        let Some(first) = self.timelines.first() else {
            return Err(Error::NotRecorded { frame: "timeline", record: "Record::Timeline" });
        };
        let bin_s = first.bin_s(self.scenario.unit);
        let rows = || {
            let runs = self.keys().zip(&self.timelines);
            runs.flat_map(|(key, line)| line.bins.iter().enumerate().map(move |(i, bin)| (key, i, bin)))
        };
        #[expect(clippy::cast_precision_loss, reason = "a bin's number")]
        let start = |i: usize| i as f64 * bin_s;
        frame(vec![
            names("scenario", rows().map(|_| self.scenario.name.as_str())),
            names("policy", rows().map(|((policy, _, _), _, _)| policy)),
            Series::new("run".into(), rows().map(|((_, _, run), _, _)| run).collect::<Vec<u64>>()).into(),
            Series::new("seed".into(), rows().map(|((_, seed, _), _, _)| seed).collect::<Vec<u64>>()).into(),
            floats("bin_start_s", rows().map(|(_, i, _)| start(i)).collect()),
            Series::new("arrivals".into(), rows().map(|(_, _, bin)| bin.arrivals).collect::<Vec<u64>>())
                .into(),
            Series::new("retries".into(), rows().map(|(_, _, bin)| bin.retries).collect::<Vec<u64>>()).into(),
            Series::new("in_flight".into(), rows().map(|(_, _, bin)| bin.in_flight).collect::<Vec<i64>>())
                .into(),
            Series::new("successes".into(), rows().map(|(_, _, bin)| bin.successes).collect::<Vec<u64>>())
                .into(),
            floats("tokens", rows().map(|(_, _, bin)| bin.tokens).collect()),
        ])
    }
}

/// What was printed and what came out ([`VERDICTS`]).
///
/// ```
/// let rows = retrysim::published::reproduce(|entry| entry.id == "layers.3x3.db")?;
/// assert_eq!(retrysim::frame::verdicts(&rows)?.height(), 1);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never; the columns are of one length.
pub fn verdicts(rows: &[Row]) -> Result<DataFrame, Error> {
    let text = |name, get: fn(&Row) -> &str| names(name, rows.iter().map(get));
    frame(vec![
        text("id", |row| &row.id),
        text("source", |row| &row.source),
        text("published", |row| &row.published),
        text("reproduced", |row| &row.reproduced),
        text("kind", |row| row.kind.name()),
        text("verdict", |row| row.verdict.name()),
        text("note", |row| &row.note),
    ])
}

/// What was printed beside what came out: a row a policy, a column a quantity with `published | reproduced`,
/// and how many of them have which verdict. Entries whose id isn't `experiment.policy.quantity` are left out.
///
/// ```
/// let rows = retrysim::published::reproduce(|entry| entry.id.starts_with("herd.full."))?;
/// let beside = retrysim::frame::side_by_side(&rows)?;
/// assert!(retrysim::export::csv(&beside)?.contains("12.03 | 12.03"));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never; the columns are of one length.
pub fn side_by_side(rows: &[Row]) -> Result<DataFrame, Error> {
    let parts = |row: &Row| match *row.id.split('.').collect::<Vec<_>>() {
        [_, policy, quantity] => Some((policy.to_owned(), quantity.to_owned())),
        _ => None,
    };
    let mut table: IndexMap<String, IndexMap<String, &Row>> = IndexMap::new();
    let mut quantities: IndexSet<String> = IndexSet::new();
    for (row, (policy, quantity)) in rows.iter().filter_map(|row| Some((row, parts(row)?))) {
        quantities.insert(quantity.clone());
        table.entry(policy).or_default().insert(quantity, row);
    }
    let mut columns = vec![column("policy", Cells::Text(table.keys().cloned().collect()))];
    for quantity in &quantities {
        let cell = |row: Option<&&Row>| {
            row.map_or_else(String::new, |row| format!("{} | {}", row.published, row.reproduced))
        };
        let unit = table.values().find_map(|row| row.get(quantity)).map_or("", |row| row.unit.as_str());
        let name = if ["s", "ms"].contains(&unit) { format!("{quantity}_{unit}") } else { quantity.clone() };
        columns.push(column(&name, Cells::Text(table.values().map(|row| cell(row.get(quantity))).collect())));
    }
    let verdicts = table.values().map(|row| {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        row.values().for_each(|row| *counts.entry(row.verdict.name()).or_default() += 1);
        counts.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect::<Vec<_>>().join(", ")
    });
    columns.push(column("verdict", Cells::Text(verdicts.collect())));
    frame(columns)
}

/// Rows of so many values as columns.
fn columns_of(values: &[f64], width: usize) -> Vec<Vec<f64>> {
    // So many that they stay in a near cache while they are gone through once a column.
    const ROWS: usize = 512;
    let mut columns: Vec<Vec<f64>> = (0..width).map(|_| Vec::with_capacity(values.len() / width)).collect();
    for rows in values.chunks(ROWS * width) {
        for (place, column) in columns.iter_mut().enumerate() {
            column.extend(rows.chunks_exact(width).map(|row| row[place]));
        }
    }
    columns
}

/// A column of one metric: whole numbers where it counts something.
fn metric_column(metric: &Metric, values: Vec<f64>) -> polars::prelude::Column {
    match metric.kind {
        Kind::Count => counts(&metric.name, values),
        Kind::Seconds | Kind::PerSecond | Kind::Ratio => floats(&metric.name, values),
    }
}

const fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Refused => "refused",
        Outcome::Timeout => "timeout",
        Outcome::Error => "error",
    }
}

const fn decision_name(outcome: Outcome, decision: Option<Decision>) -> &'static str {
    match decision {
        None if matches!(outcome, Outcome::Ok) => "done",
        None => "copies_under_way",
        Some(Decision::Retry(_)) => "retry",
        Some(Decision::Exhausted) => "exhausted",
        Some(Decision::BudgetDenied) => "budget_denied",
        Some(Decision::PastDeadline) => "past_deadline",
        Some(Decision::NotRetried) => "not_retried",
        Some(Decision::Refused) => "refused",
    }
}
