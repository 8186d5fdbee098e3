//! Sweeps: a scenario run at many points of its parameters.

use std::sync::atomic::{AtomicU64, Ordering};

use indexmap::IndexMap;
use polars::prelude::{Column, DataFrame};
use rayon::prelude::*;
use retrysim_core::{
    Error as CoreError, Plan, Scenario, Span,
    limits::on_threads,
    simulate::{MAX_VALUES, columns},
    text,
};
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::{
    bundled,
    error::Error,
    frame::{Cells, below_each_other, column, of_columns},
    simulation::{Progress, RunConfig, Simulation, simulate_with, unwatched},
};

/// Points of a sweep at the most.
pub const MAX_POINTS: usize = 100_000;

/// Bytes of all points with their scenarios, as text.
const MAX_DESIGN: usize = 1 << 30;

/// What to run: a scenario, and the values that its fields take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// The scenario: the name of a bundled one, or a table.
    pub scenario: Value,
    /// Policies by name; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<String>,
    /// Runs at every point.
    pub runs: u64,
    /// Their seed: the same at every point (common random numbers).
    #[serde(default)]
    pub seed: u64,
    /// A grid: every combination of the values of these dotted paths; the last one varies fastest.
    /// A text `"10..190:10"` stands for a range of whole numbers with a step.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub vary: IndexMap<String, Value>,
    /// Or a list: points with their own values, all of the same paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub point: Vec<Table>,
}

/// A point of a sweep with its runs.
#[derive(Clone, Debug)]
pub struct Point {
    /// Dotted paths and their values here.
    pub values: IndexMap<String, Value>,
    /// The runs.
    pub simulation: Simulation,
}

/// All points of a sweep, in order.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What was asked for.
    pub design: Design,
    /// The points.
    pub points: Vec<Point>,
}

impl Design {
    /// A sweep of a bundled scenario.
    #[must_use]
    pub fn new(scenario: &str, runs: u64) -> Self {
        let scenario = Value::String(scenario.to_owned());
        Self { scenario, policies: Vec::new(), runs, seed: 0, vary: IndexMap::new(), point: Vec::new() }
    }

    /// Adds a dotted path with its values.
    #[must_use]
    pub fn vary<V: Into<Value>>(mut self, path: &str, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.vary.insert(path.to_owned(), Value::Array(values));
        self
    }

    /// Sets the policies.
    #[must_use]
    pub fn policies<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.policies = names.into_iter().map(Into::into).collect();
        self
    }

    /// The scenario's table.
    ///
    /// # Errors
    /// [`Error::Core`] for a name that isn't bundled or a value that is neither name nor table.
    pub fn table(&self) -> Result<Table, Error> {
        match &self.scenario {
            Value::String(name) => Ok(text::parse(bundled::scenario_text(name)?)?),
            Value::Table(table) => Ok(table.clone()),
            other => {
                Err(CoreError::invalid("scenario", other, "the name of a bundled scenario, or a table")
                    .into())
            }
        }
    }

    /// The values of every point.
    ///
    /// # Errors
    /// [`Error::Core`] for no points, too many, or points of different paths.
    pub fn points(&self) -> Result<Vec<IndexMap<String, Value>>, Error> {
        match (self.vary.is_empty(), self.point.is_empty()) {
            (false, true) => self.grid(),
            (true, false) => self.list(),
            (true, true) => {
                Err(CoreError::invalid("vary", "nothing", "at least one dotted path with its values").into())
            }
            (false, false) => {
                Err(CoreError::invalid("point", "set", "either vary (a grid) or point (a list), not both")
                    .into())
            }
        }
    }

    fn grid(&self) -> Result<Vec<IndexMap<String, Value>>, Error> {
        let mut points = vec![IndexMap::new()];
        let mut bytes = 0_usize;
        for (path, values) in &self.vary {
            let values = expand(path, values)?;
            bytes += path.len() + values.iter().map(|value| value.to_string().len()).max().unwrap_or(0);
            if points.len().saturating_mul(values.len()) > MAX_POINTS {
                let allowed = format!("at most {MAX_POINTS} points in all");
                return Err(CoreError::invalid(format!("vary.{path}"), values.len(), allowed).into());
            }
            check_room(points.len() * values.len(), bytes)?;
            points = points
                .iter()
                .flat_map(|point: &IndexMap<String, Value>| {
                    values.iter().map(move |value| {
                        let mut point = point.clone();
                        point.insert(path.clone(), value.clone());
                        point
                    })
                })
                .collect();
        }
        Ok(points)
    }

    fn list(&self) -> Result<Vec<IndexMap<String, Value>>, Error> {
        let paths: Vec<&String> = self.point[0].keys().collect();
        for (i, point) in self.point.iter().enumerate() {
            if point.len() != paths.len() || !paths.iter().all(|path| point.contains_key(*path)) {
                let given = point.keys().cloned().collect::<Vec<_>>().join(", ");
                let allowed = format!("the paths of the first point: {paths:?}");
                return Err(CoreError::invalid(format!("point[{i}]"), given, allowed).into());
            }
        }
        Ok(self
            .point
            .iter()
            .map(|point| point.iter().map(|(k, v)| (k.clone(), v.clone())).collect())
            .collect())
    }
}

/// Values of a path: a list, or a range `"from..to:step"`.
fn expand(path: &str, values: &Value) -> Result<Vec<Value>, Error> {
    let refuse = || {
        let allowed =
            "a list of values, or a range \"from..to:step\" of whole numbers with both ends included";
        Error::from(CoreError::invalid(format!("vary.{path}"), values, allowed))
    };
    match values {
        Value::Array(list) if !list.is_empty() => Ok(list.clone()),
        Value::String(range) => {
            let (from, rest) = range.split_once("..").ok_or_else(refuse)?;
            let (to, step) = rest.split_once(':').unwrap_or((rest, "1"));
            let number = |text: &str| text.trim().parse::<i64>().map_err(|_| refuse());
            let (from, to, step) = (number(from)?, number(to)?, number(step)?);
            let points = to
                .checked_sub(from)
                .filter(|length| step > 0 && (0..step.saturating_mul(MAX_POINTS as i64)).contains(length));
            points.ok_or_else(refuse)?;
            let step = usize::try_from(step).map_err(|_| refuse())?;
            Ok((from..=to).step_by(step).map(Value::Integer).collect())
        }
        _ => Err(refuse()),
    }
}

/// Runs a design.
///
/// ```
/// use retrysim::{Design, sweep};
///
/// let design = Design::new("overload", 200).policies(["full"]).vary("service.capacity", [3, 4, 5]);
/// let frame = sweep(&design)?.summary_frame(0.95)?;
/// assert!(frame.column("service.capacity").is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a design or a scenario that isn't valid (the point is named), or one that can't be held.
pub fn sweep(design: &Design) -> Result<Sweep, Error> {
    sweep_with(design, None, None, &unwatched)
}

/// Runs a design on so many threads, keeping `metrics` only, and reports progress: `progress(done, total)` once a run.
///
/// ```
/// use retrysim::{Design, sweep_with, unwatched};
///
/// let design = Design::new("contention", 20).vary("workload.clients", [5, 10]);
/// let sweep = sweep_with(&design, Some(vec!["attempts".into()]), None, &unwatched)?;
/// assert_eq!(sweep.points[0].simulation.metrics().len(), 1);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// As [`sweep`].
pub fn sweep_with(
    design: &Design,
    metrics: Option<Vec<String>>,
    threads: Option<usize>,
    progress: &Progress<'_>,
) -> Result<Sweep, Error> {
    let ready = Ready::new(design, metrics)?;
    let plan = Plan::Runs { seed: design.seed, runs: design.runs };
    ready.run(&vec![plan; ready.points.len()], threads, progress)
}

/// A design that has been read through: its points with their scenarios, of which none has been run.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    /// What was asked for.
    pub design: Design,
    /// Metrics to keep; all if `None`.
    pub metrics: Option<Vec<String>>,
    /// Values and scenario of every point.
    pub points: Vec<(IndexMap<String, Value>, Scenario)>,
}

impl Ready {
    pub fn new(design: &Design, metrics: Option<Vec<String>>) -> Result<Self, Error> {
        let table = design.table()?;
        let at = |values| at_point(&table, &values).map(|scenario| (values, scenario));
        let points = design.points()?;
        check_room(points.len(), text::write(&table)?.len())?;
        let points = points.into_iter().map(at).collect::<Result<_, _>>()?;
        Ok(Self { design: design.clone(), metrics, points })
    }

    /// The policies that are run at a point.
    pub fn policies(&self, scenario: &Scenario) -> Vec<String> {
        match self.design.policies.as_slice() {
            [] => scenario.policy.keys().cloned().collect(),
            names => names.to_vec(),
        }
    }

    /// Runs every point by its plan; points with an empty plan are left out. Points are run side by side, so that
    /// threads are busy even where a point has few runs.
    pub fn run(
        &self,
        plans: &[Plan],
        threads: Option<usize>,
        progress: &Progress<'_>,
    ) -> Result<Sweep, Error> {
        let total = self.check_size(plans)?;
        let done = AtomicU64::new(0);
        let report = |_: u64, _: u64| progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        let one = |((values, scenario), plan): (&(IndexMap<String, Value>, Scenario), &Plan)| {
            let config = RunConfig { metrics: self.metrics.clone(), ..RunConfig::plan(plan.clone()) }
                .policies(self.design.policies.clone());
            let simulation = simulate_with(scenario, &config, &report)?;
            Ok(Point { values: values.clone(), simulation })
        };
        let all = || {
            let points = self.points.par_iter().zip(plans).filter(|(_, plan)| !plan.is_empty());
            points.map(one).collect::<Result<Vec<Point>, Error>>()
        };
        let points = on_threads(threads, all)??;
        Ok(Sweep { design: self.design.clone(), points })
    }

    /// Refuses what can't be held, and designs of no runs, before anything is run; gives the number of runs, each
    /// policy counted.
    pub fn check_size(&self, plans: &[Plan]) -> Result<u64, Error> {
        let runs = self.design.runs;
        if runs == 0 {
            return Err(CoreError::invalid("runs", 0, "1 or more").into());
        }
        let (mut total, mut numbers) = (0_u64, 0_u128);
        for ((_, scenario), plan) in self.points.iter().zip(plans) {
            let made = (plan.len() as u64).saturating_mul(self.policies(scenario).len() as u64);
            let kept = columns(scenario, self.metrics.as_deref())?.len();
            total = total.saturating_add(made);
            numbers += u128::from(made) * kept as u128;
        }
        if numbers > u128::from(MAX_VALUES) {
            let points = plans.iter().filter(|plan| !plan.is_empty()).count();
            let allowed = format!(
                "at most {MAX_VALUES} numbers at once, and {points} points with their runs, policies and metrics \
                 have {numbers}: fewer metrics, or more shards"
            );
            return Err(CoreError::invalid("runs", runs, allowed).into());
        }
        Ok(total)
    }

    /// Refuses points whose runs have other columns than the first one's, so that they don't fit below each other.
    pub fn check_columns(&self) -> Result<(), Error> {
        let columns_at = |(values, scenario): &(IndexMap<String, Value>, Scenario)| {
            let parameters = values.iter().map(|(path, value)| parameter(path, value, 0));
            let mut all: Vec<String> =
                parameters.map(|column| format!("{} ({})", column.name(), column.dtype())).collect();
            let metrics = columns(scenario, self.metrics.as_deref())?;
            all.extend(metrics.into_iter().map(|metric| metric.name));
            Ok::<_, Error>(all)
        };
        let mut first = None;
        for (i, point) in self.points.iter().enumerate() {
            let here = columns_at(point)?;
            let first = first.get_or_insert_with(|| here.clone());
            if *first != here {
                let other = here.iter().find(|column| !first.contains(column)).or(first.last()).cloned();
                let allowed = "the same columns at every point: parameters of one type, and --metric where \
                               points have different metrics";
                let column = other.unwrap_or_default();
                return Err(CoreError::invalid(format!("point {i}"), column, allowed).into());
            }
        }
        Ok(())
    }
}

/// Refuses points of so many bytes each that all of them have more than [`MAX_DESIGN`].
fn check_room(points: usize, bytes: usize) -> Result<(), Error> {
    if points.saturating_mul(bytes) <= MAX_DESIGN {
        return Ok(());
    }
    let value = format!("{points} points of {bytes} bytes");
    Err(CoreError::invalid("vary", value, format!("at most {MAX_DESIGN} bytes in all")).into())
}

fn at_point(table: &Table, values: &IndexMap<String, Value>) -> Result<Scenario, Error> {
    let mut table = table.clone();
    for (path, value) in values {
        text::set(&mut table, path, value.clone())?;
    }
    let describe =
        || values.iter().map(|(path, value)| format!("{path} = {value}")).collect::<Vec<_>>().join(", ");
    Scenario::from_table(table)
        .map_err(|source| Error::Expression { expression: describe(), message: source.to_string() })
}

impl Sweep {
    /// The runs of all points: [`crate::frame::RUNS`] with the parameters behind `scenario`.
    ///
    /// # Errors
    /// [`Error::Frame`] if points have different metrics.
    pub fn runs_frame(&self) -> Result<DataFrame, Error> {
        self.stack(|point| point.simulation.runs_frame())
    }

    /// Summaries of all points: [`crate::frame::SUMMARY`] with the parameters behind `scenario`.
    ///
    /// # Errors
    /// As [`Sweep::runs_frame`], and [`Error::Core`] for a confidence outside (0, 1).
    pub fn summary_frame(&self, confidence: f64) -> Result<DataFrame, Error> {
        self.stack(|point| point.simulation.summary_frame(confidence))
    }

    fn stack(&self, frame: impl Fn(&Point) -> Result<DataFrame, Error>) -> Result<DataFrame, Error> {
        below_each_other(self.points.iter().map(|point| {
            let frame = frame(point)?;
            let mut columns = frame.columns().to_vec();
            for (place, (path, value)) in point.values.iter().enumerate() {
                columns.insert(1 + place, parameter(path, value, frame.height()));
            }
            of_columns(columns)
        }))
    }
}

/// A parameter as a column: durations as seconds (its name gains `_s`), numbers as they are, the rest as text.
fn parameter(path: &str, value: &Value, height: usize) -> Column {
    match value {
        Value::Integer(n) => column(path, Cells::Whole(vec![*n; height])),
        Value::Float(x) => column(path, Cells::Number(vec![*x; height])),
        Value::Boolean(b) => column(path, Cells::Bool(vec![*b; height])),
        Value::String(text) => match text.parse::<Span>() {
            Ok(span) => column(&format!("{path}_s"), Cells::Number(vec![span.secs(); height])),
            Err(_) => column(path, Cells::Text(vec![text.clone(); height])),
        },
        other => column(path, Cells::Text(vec![other.to_string(); height])),
    }
}

/// A sweep's parameter as a number: durations in seconds.
pub(crate) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(n) => n.to_string().parse().ok(),
        Value::Float(x) => Some(*x),
        Value::String(text) => text.parse::<Span>().ok().map(Span::secs),
        _ => None,
    }
}
