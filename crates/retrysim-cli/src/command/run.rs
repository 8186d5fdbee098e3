//! `retrysim run`

use anyhow::Result;
use retrysim::{Plan, RunConfig, Runs, Scenario, record::Kind, simulate, stats};
use serde_json::Value;

use crate::{
    Answer,
    cli::{Format, Run},
    grid::{Grid, number},
    load,
};

/// A table shows every run up to this many rows; beyond, it sums up.
const ROWS: usize = 40;

/// Confidence of the intervals in a summary.
const CONFIDENCE: f64 = 0.95;

pub fn run(args: &Run) -> Result<Answer> {
    let scenario = load::scenario(&args.scenario, &args.set)?;
    let policies = if args.policies.is_empty() {
        scenario.policy.keys().cloned().collect()
    } else {
        args.policies.clone()
    };
    let config = RunConfig { plan: plan(args, &scenario), generator: args.generator, threads: args.threads };
    let runs = simulate(&scenario, &policies, &config)?;
    let sums_up = args.format == Format::Table && runs.policies.len() * runs.plan.len() > ROWS;
    let grid = if sums_up { summary(&runs) } else { all_runs(&runs) };
    let head = if sums_up { headline(&runs) } else { String::new() };
    Ok(Answer { text: head + &grid.print(args.format)?, passed: true })
}

fn plan(args: &Run, scenario: &Scenario) -> Plan {
    match (&args.seeds, args.runs, args.seed) {
        (Some(seeds), _, _) => Plan::Seeds(seeds.0.clone()),
        (None, Some(runs), seed) => Plan::Runs { seed: seed.unwrap_or(0), runs },
        (None, None, Some(seed)) => Plan::Seeds(vec![seed]),
        (None, None, None) => Plan::Seeds(scenario.seeds.0.clone()),
    }
}

fn all_runs(runs: &Runs) -> Grid {
    let names =
        ["policy", "seed", "run"].into_iter().chain(runs.columns.iter().map(|column| column.name.as_str()));
    let mut grid = Grid::new(names);
    for (policy, seed, run, values) in runs.rows() {
        let mut row = vec![Value::from(policy), Value::from(seed), Value::from(run)];
        let cells = values.iter().zip(&runs.columns);
        row.extend(cells.map(|(value, column)| number(*value, column.kind == Kind::Count)));
        grid.push(row);
    }
    grid
}

fn headline(runs: &Runs) -> String {
    let plan = match &runs.plan {
        Plan::Seeds(seeds) => format!("{} runs, one a seed", seeds.len()),
        Plan::Runs { seed, runs } => format!("{runs} runs under seed {seed}"),
    };
    format!(
        "{plan}; intervals at {:.0} %: order statistics for the median, Student's t for the mean\n\n",
        100.0 * CONFIDENCE
    )
}

/// A row a policy and metric.
fn summary(runs: &Runs) -> Grid {
    let mut grid =
        Grid::new(["policy", "metric", "median", "interval", "mean", "interval ", "min", "max", "missing"]);
    let rows = runs.plan.len();
    for (block, policy) in runs.policies.iter().enumerate() {
        for (place, column) in runs.columns.iter().enumerate() {
            let values: Vec<f64> = runs
                .values
                .chunks(runs.columns.len())
                .skip(block * rows)
                .take(rows)
                .map(|row| row[place])
                .collect();
            let sorted = stats::sorted(&values);
            let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else { continue };
            let whole = column.kind == Kind::Count;
            let (median, mean) = (stats::median(&values, CONFIDENCE), stats::mean(&values, CONFIDENCE));
            grid.push(vec![
                Value::from(policy.as_str()),
                Value::from(column.name.as_str()),
                number(median.value, whole),
                interval(median.low, median.high, if whole { 0 } else { 4 }),
                number(mean.value, false),
                interval(mean.low, mean.high, 4),
                number(*min, whole),
                number(*max, whole),
                Value::from(rows - sorted.len()),
            ]);
        }
    }
    grid
}

fn interval(low: f64, high: f64, digits: usize) -> Value {
    if low.is_nan() || high.is_nan() {
        Value::Null
    } else {
        Value::from(format!("{low:.digits$} to {high:.digits$}"))
    }
}
