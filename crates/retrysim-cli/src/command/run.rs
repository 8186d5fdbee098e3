//! `retrysim run`

use anyhow::Result;
use retrysim::{
    Plan, Simulation,
    frame::{Cells, column, of_columns},
    polars::prelude::DataFrame,
    record::Kind,
    request::{Job, Product, Request},
    stats,
};

use crate::{
    Answer,
    cli::{Format, Run, RunFrame},
    command::assert,
    load, show,
};

/// A table shows every run up to this many rows; beyond, it sums up.
const ROWS: usize = 40;

/// Level of the intervals in a summary.
const CONFIDENCE: f64 = 0.95;

pub fn run(args: &Run) -> Result<Answer> {
    let asserts = args.asserts.iter().map(|text| assert::parse(text)).collect::<Result<Vec<_>>>()?;
    let job = load::job(&args.what)?;
    let product = match args.frame {
        RunFrame::Runs => Product::Runs,
        RunFrame::Attempts => Product::Attempts,
        RunFrame::Timeline => Product::Timeline { bin: args.bin },
    };
    let out = &args.out;
    show::check_output(out.output.as_deref())?;
    let many = job.policies.len().saturating_mul(job.plan.len()) > ROWS;
    let sums_up = product == Product::Runs && many && out.format == Format::Table && out.output.is_none();

    let progress = show::Progress::new(out.quiet);
    let simulation = job.simulate(&product, args.what.threads, &|done, total| progress.at(done, total))?;
    drop(progress);
    let text = if sums_up {
        headline(&simulation) + &show::table(&overview(&simulation)?)
    } else {
        let request = Request { job: Job::Run(Box::new(job)), product };
        let output = request.of_run(&simulation)?;
        show::deliver(request, &output, out)?.text
    };
    let failures = assert::failures(&asserts, &simulation)?;
    failures.iter().for_each(|failure| eprintln!("retrysim: {failure}"));
    Ok(Answer { text, passed: failures.is_empty() })
}

fn headline(simulation: &Simulation) -> String {
    let plan = match &simulation.runs.plan {
        Plan::Seeds(seeds) => format!("{} runs, one a seed", seeds.len()),
        Plan::Runs { seed, runs } | Plan::Every { seed, runs, .. } => {
            format!("{runs} runs under seed {seed}")
        }
    };
    let level = 100.0 * CONFIDENCE;
    format!(
        "{plan}; intervals at {level:.0} %: order statistics for the median, Student's t for the mean\n\n"
    )
}

/// A row a policy and metric.
fn overview(simulation: &Simulation) -> Result<DataFrame> {
    let mut names: [Vec<String>; 4] = Default::default();
    let mut numbers: [Vec<f64>; 4] = Default::default();
    let mut missing = Vec::new();
    for policy in &simulation.runs.policies {
        for metric in simulation.metrics() {
            let values = simulation.metric(policy, &metric.name)?;
            let sorted = stats::sorted(&values);
            let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else { continue };
            let digits = if metric.kind == Kind::Count { 0 } else { 4 };
            let (median, mean) = (stats::median(&values, CONFIDENCE), stats::mean(&values, CONFIDENCE));
            let texts = [policy.clone(), metric.name.clone(), interval(median, digits), interval(mean, 4)];
            names.iter_mut().zip(texts).for_each(|(column, text)| column.push(text));
            let row = [median.value, mean.value, *min, *max];
            numbers.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
            missing.push(i64::try_from(values.len() - sorted.len())?);
        }
    }
    let ([policy, metric, of_median, of_mean], [median, mean, min, max]) = (names, numbers);
    Ok(of_columns(vec![
        column("policy", Cells::Text(policy)),
        column("metric", Cells::Text(metric)),
        column("median", Cells::Number(median)),
        column("median, 95 %", Cells::Text(of_median)),
        column("mean", Cells::Number(mean)),
        column("mean, 95 %", Cells::Text(of_mean)),
        column("min", Cells::Number(min)),
        column("max", Cells::Number(max)),
        column("missing", Cells::Whole(missing)),
    ])?)
}

fn interval(estimate: stats::Estimate, digits: usize) -> String {
    let stats::Estimate { low, high, .. } = estimate;
    if low.is_nan() || high.is_nan() { "-".into() } else { format!("{low:.digits$} to {high:.digits$}") }
}
