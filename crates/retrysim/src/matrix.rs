//! Situations that an on-call engineer would name, and what policies make of each.

use polars::prelude::DataFrame;
use retrysim_core::{
    Catalogue, Error as CoreError, Plan, Policy, RunConfig, Runs, scenario::Workload, stats,
};
use serde::{Deserialize, Serialize};

use crate::{
    bundled,
    error::Error,
    export::markdown_table,
    frame::{Cells, column, of_columns},
    simulation::Progress,
};

/// The policies of the matrix unless others are given: what people run, and what they would do better to.
pub const POLICIES: &[&str] = &[
    "sre-retry-ratio",
    "aws-standard-2.1",
    "aws-standard-2.0",
    "aws-legacy-botocore",
    "aws-adaptive",
    "grpc-retry-a6",
    "envoy",
    "istio",
    "linkerd-route",
    "finagle-budget",
    "google-api-core",
    "google-gax-node",
    "azure-core-python",
    "azure-core-js",
    "polly-v8-default",
    "polly-v2-decorrelated",
    "resilience4j",
    "kafka-java",
    "tenacity-random-exponential",
    "urllib3",
    "stamina",
    "openai-python",
    "anthropic-python",
    "stripe",
    "axios-retry",
    "got",
    "socket.io",
    "cenkalti",
    "retryablehttp",
    "temporal-activity",
    "backon",
    "object_store",
];

/// Situations and policies, and how often each pair is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Names of bundled situations, in order.
    pub situations: Vec<String>,
    /// Policies by name, in order.
    pub policies: Vec<(String, Policy)>,
    /// Runs of each pair.
    pub runs: u64,
    /// Their seed: every pair meets the same luck.
    pub seed: u64,
}

/// What one policy makes of one situation.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The situation.
    pub situation: String,
    /// The policy.
    pub policy: String,
    /// Calls that succeeded, of all calls of all runs.
    pub success: f64,
    /// Requests that reached the service, for each call.
    pub amplification: f64,
    /// Most requests in one second, median over runs; NaN where the service has no clock of seconds.
    pub peak_per_s: f64,
    /// From the end of the trouble until first attempts succeed again, or until everybody of a crowd is done, in
    /// seconds; median over runs; infinite if that was not seen in half of the runs.
    pub recovery_s: f64,
    /// 99 of 100 calls that succeeded took no longer than this, in seconds; median over runs.
    pub p99_s: f64,
    /// Why there are no numbers, where there are none.
    pub note: String,
}

/// What a column is called in the services that have it.
const PEAK: [&str; 2] = ["peak_per_s", "peak_qps"];
const P99: [&str; 2] = ["latency_p99_s", "t99_s"];

impl Matrix {
    /// All situations with [`POLICIES`].
    ///
    /// # Errors
    /// [`Error::Core`] for a policy that the catalogue does not have.
    pub fn bundled() -> Result<Self, Error> {
        let named = |name: &&str| Ok(((*name).to_owned(), Catalogue::bundled().policy(name)?.clone()));
        Ok(Self::of(POLICIES.iter().map(named).collect::<Result<_, CoreError>>()?))
    }

    /// All situations with `policies`, five runs of each pair.
    #[must_use]
    pub fn of(policies: Vec<(String, Policy)>) -> Self {
        let situations = bundled::SITUATIONS.iter().map(|(name, _)| (*name).to_owned()).collect();
        Self { situations, policies, runs: 5, seed: 0 }
    }

    /// Runs every pair, situation by situation. `progress` is told of every finished pair.
    ///
    /// # Errors
    /// [`Error::Core`] for a situation that isn't there or a number of runs that can't be made, and
    /// [`CoreError::Interrupted`] after a `Break`.
    pub fn cells(&self, threads: Option<usize>, progress: &Progress<'_>) -> Result<Vec<Cell>, Error> {
        let total = (self.situations.len() * self.policies.len()) as u64;
        let mut cells = Vec::new();
        for situation in &self.situations {
            for (name, policy) in &self.policies {
                cells.push(self.cell(situation, name, policy, threads)?);
                if progress(cells.len() as u64, total).is_break() {
                    return Err(CoreError::Interrupted.into());
                }
            }
        }
        Ok(cells)
    }

    fn cell(
        &self,
        situation: &str,
        name: &str,
        policy: &Policy,
        threads: Option<usize>,
    ) -> Result<Cell, Error> {
        let cell = Cell {
            situation: situation.into(),
            policy: name.into(),
            success: f64::NAN,
            amplification: f64::NAN,
            peak_per_s: f64::NAN,
            recovery_s: f64::NAN,
            p99_s: f64::NAN,
            note: String::new(),
        };
        let scenario = match bundled::situation(situation, name, policy) {
            Ok(scenario) => scenario,
            Err(CoreError::Invalid { field, value, .. }) if value == "set" => {
                return Ok(Cell { note: format!("no place for {field}"), ..cell });
            }
            Err(error) => return Err(error.into()),
        };
        let plan = Plan::Runs { seed: self.seed, runs: self.runs };
        let config = RunConfig { threads, ..RunConfig::new(plan) };
        let runs = match retrysim_core::simulate(&scenario, &[name], &config) {
            Ok(runs) => runs,
            Err(CoreError::Endless { .. }) => {
                return Ok(Cell { note: "retries at once, without end".into(), ..cell });
            }
            Err(error) => return Err(error.into()),
        };
        // A crowd that comes once has recovered when everybody is done.
        let recovery =
            if matches!(scenario.workload, Workload::Burst(_)) { "finish_s" } else { "recovered_s" };
        let sum = |name: &str| runs.column(&runs.policies[0], name).map(|values| values.iter().sum::<f64>());
        Ok(Cell {
            success: sum("successes")? / sum("calls")?,
            amplification: sum("attempts")? / sum("calls")?,
            peak_per_s: median(&runs, &PEAK),
            recovery_s: median(&runs, &[recovery]),
            p99_s: median(&runs, &P99),
            ..cell
        })
    }
}

/// The median over runs of the first of these columns that there is; a missing value counts as infinite, and NaN
/// says that there is no such column.
fn median(runs: &Runs, names: &[&str]) -> f64 {
    let Some(values) = names.iter().find_map(|name| runs.column(&runs.policies[0], name).ok()) else {
        return f64::NAN;
    };
    let mut values: Vec<f64> =
        values.iter().map(|value| if value.is_nan() { f64::INFINITY } else { *value }).collect();
    values.sort_by(f64::total_cmp);
    stats::quantile_lower(&values, 0.5)
}

/// Cells as a frame: a row a pair; what was not seen is null.
///
/// # Errors
/// [`Error::Frame`] if polars refuses the columns.
pub fn frame(cells: &[Cell]) -> Result<DataFrame, Error> {
    let text = |of: fn(&Cell) -> &String| Cells::Text(cells.iter().map(|cell| of(cell).clone()).collect());
    let number = |of: fn(&Cell) -> f64| {
        let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
        Cells::Number(cells.iter().map(|cell| finite(of(cell))).collect())
    };
    of_columns(vec![
        column("situation", text(|cell| &cell.situation)),
        column("policy", text(|cell| &cell.policy)),
        column("success", number(|cell| cell.success)),
        column("amplification", number(|cell| cell.amplification)),
        column("peak_per_s", number(|cell| cell.peak_per_s)),
        column("recovery_s", number(|cell| cell.recovery_s)),
        column("p99_s", number(|cell| cell.p99_s)),
        column("note", text(|cell| &cell.note)),
    ])
}

impl Matrix {
    /// All cells as a document.
    #[must_use]
    pub fn document(&self, cells: &[Cell]) -> String {
        format!(
            "# Policies in situations\n\n\
             Each line is {} runs (seed {}): calls that succeeded in the end, requests at the service for each call, \
             the fullest second, how long after the trouble first attempts succeed again (or until a crowd is done), \
             and the time in which 99 of 100 successful calls were answered. Made by `retrysim matrix`.\n{}",
            self.runs,
            self.seed,
            report(cells)
        )
    }
}

/// Cells as Markdown: a heading a situation, a line a policy.
#[must_use]
pub fn report(cells: &[Cell]) -> String {
    let mut text = String::new();
    for of_one in cells.chunk_by(|a, b| a.situation == b.situation) {
        let name = &of_one[0].situation;
        let about = bundled::situation_about(name).unwrap_or_default();
        text += &format!("\n## {name}\n\n{about}.\n\n");
        let head = ["policy", "success", "requests a call", "peak a second", "recovery", "p99"];
        let head = head.iter().enumerate().map(|(i, title)| ((*title).to_owned(), i > 0));
        text += &markdown_table(head, of_one.iter().map(row));
    }
    text
}

fn row(cell: &Cell) -> Vec<String> {
    let mut row = vec![cell.policy.clone()];
    if cell.note.is_empty() {
        row.extend([
            format!("{:.2} %", 100.0 * cell.success),
            format!("{:.3}", cell.amplification),
            number(cell.peak_per_s, 0, ""),
            number(cell.recovery_s, 1, " s"),
            number(cell.p99_s, 2, " s"),
        ]);
    } else {
        row.extend([cell.note.clone(), String::new(), String::new(), String::new(), String::new()]);
    }
    row
}

/// A number with its unit; what does not exist is a dash, and what was never seen says so.
fn number(value: f64, decimals: usize, unit: &str) -> String {
    match value {
        value if value.is_nan() => "–".into(),
        value if value.is_infinite() => "never".into(),
        value => format!("{value:.decimals$}{unit}"),
    }
}
