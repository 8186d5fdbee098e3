//! The schemas. A frame may have more columns than its schema where the doc says so.

use polars::prelude::{Column, DataFrame, DataType};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Text.
    Text,
    /// A whole number, not negative, up to 2^64.
    Id,
    /// A whole number, not negative, up to 2^32.
    Number,
    /// A whole number.
    Count,
    /// A number.
    Float,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// Its unit; empty for a name or a pure number.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
}

const fn field(name: &'static str, kind: Type, unit: &'static str, about: &'static str) -> Field {
    Field { name, kind, unit, about }
}

const SCENARIO: Field = field("scenario", Type::Text, "", "name of the scenario");
const POLICY: Field = field("policy", Type::Text, "", "name of the policy");
const RUN: Field = field("run", Type::Id, "", "number of the run under its seed");
const SEED: Field = field("seed", Type::Id, "", "the seed");

/// A row a run. The metrics of the service follow, each by its own name: `attempts`, `successes`, `gave_up`,
/// `finish_s`, `crashes`, `peak_arrivals`, `calls`, `amplification`, and more by service. Counts are whole
/// numbers, everything else is a float; parameters of a sweep stand between `scenario` and `policy`.
pub const RUNS: &[Field] = &[SCENARIO, POLICY, SEED, RUN];

/// A row an attempt.
pub const ATTEMPTS: &[Field] = &[
    SCENARIO,
    POLICY,
    RUN,
    SEED,
    field("client", Type::Number, "", "number of the client"),
    field("call", Type::Number, "", "number of the call in its run"),
    field("attempt", Type::Number, "", "1 for the first attempt of the call; retries are 2 and up"),
    field("start_s", Type::Float, "s", "when the attempt was sent (its tick, where the model has ticks)"),
    field("end_s", Type::Float, "s", "when its answer arrived"),
    field("delay_s", Type::Float, "s", "the delay that follows it; null unless a retry follows"),
    field("outcome", Type::Text, "", "ok, refused, timeout or error"),
    field(
        "decision",
        Type::Text,
        "",
        "done, retry, exhausted, budget_denied, past_deadline, not_retried, refused or copies_under_way",
    ),
];

/// A row a bin of a run, up to the run's last event.
pub const TIMELINE: &[Field] = &[
    SCENARIO,
    POLICY,
    RUN,
    SEED,
    field("bin_start_s", Type::Float, "s", "when the bin begins; it is as long as the recorder was told"),
    field("arrivals", Type::Id, "", "attempts that arrived"),
    field("retries", Type::Id, "", "of those, attempts after the first of their call"),
    field("in_flight", Type::Count, "", "attempts sent by the end of the bin and answered in a later one"),
    field("successes", Type::Id, "", "attempts that were answered successfully"),
    field(
        "tokens",
        Type::Float,
        "",
        "tokens of the watched client at the end of the bin; null if nobody is watched",
    ),
];

/// A row a scenario, policy, metric and statistic. Parameters of a sweep stand behind `scenario`.
pub const SUMMARY: &[Field] = &[
    SCENARIO,
    POLICY,
    field("metric", Type::Text, "", "the column of the runs"),
    field("statistic", Type::Text, "", "mean, sd, min, p50, p90, p95, p99, p99.9, max or missing_share"),
    field("value", Type::Float, "the metric's", "the estimate"),
    field("ci_low", Type::Float, "the metric's", "lower end of the interval; null where there is none"),
    field("ci_high", Type::Float, "the metric's", "upper end"),
    field("confidence", Type::Float, "", "level of the interval"),
    field("n", Type::Count, "", "runs in which the metric exists"),
    field("method", Type::Text, "", "how the interval was made"),
];

/// A row a policy, metric and statistic, against a baseline on common random numbers.
pub const COMPARISON: &[Field] = &[
    SCENARIO,
    POLICY,
    field("baseline", Type::Text, "", "the policy compared with"),
    field("metric", Type::Text, "", "the column of the runs"),
    field("statistic", Type::Text, "", "difference (policy - baseline, mean over runs) or ratio (of means)"),
    field("value", Type::Float, "the metric's", "the estimate; a ratio has no unit"),
    field("ci_low", Type::Float, "the metric's", "lower end of the interval"),
    field("ci_high", Type::Float, "the metric's", "upper end"),
    field("confidence", Type::Float, "", "level of the interval"),
    field("n", Type::Count, "", "runs in which both policies have the metric"),
    field("method", Type::Text, "", "how the interval was made"),
];

/// A row a published number or claim.
pub const VERDICTS: &[Field] = &[
    field("id", Type::Text, "", "experiment, policy, quantity"),
    field("source", Type::Text, "", "identifier of the document"),
    field("published", Type::Text, "", "as printed"),
    field("reproduced", Type::Text, "", "what came out, formatted alike"),
    field("kind", Type::Text, "", "exact, consistent or claim: what it takes to hold"),
    field("verdict", Type::Text, "", "exact, consistent or contradicted"),
    field("note", Type::Text, "", "why the interval, or what contradicts"),
];

impl Type {
    /// The polars type.
    #[must_use]
    pub const fn dtype(self) -> DataType {
        match self {
            Self::Text => DataType::String,
            Self::Id => DataType::UInt64,
            Self::Number => DataType::UInt32,
            Self::Count => DataType::Int64,
            Self::Float => DataType::Float64,
        }
    }
}

/// A frame of a schema without rows.
///
/// ```
/// assert_eq!(retrysim::frame::empty(retrysim::frame::RUNS).width(), 4);
/// ```
#[must_use]
pub fn empty(schema: &[Field]) -> DataFrame {
    let columns = schema.iter().map(|field| Column::new_empty(field.name.into(), &field.kind.dtype()));
    DataFrame::new_infer_height(columns.collect()).unwrap_or_default()
}
