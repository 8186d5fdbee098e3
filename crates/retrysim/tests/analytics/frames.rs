//! The schemas are what is promised, and the rows add up.

use retrysim::{
    Record, RunConfig, Span, bundled, experiment,
    frame::{ATTEMPTS, COMPARISON, Field, RUNS, SUMMARY, TIMELINE, VERDICTS, empty, verdicts},
    polars::prelude::DataFrame,
    published::reproduce,
    simulate,
};

/// The frame begins with the columns of the schema, in order and type.
fn assert_schema(frame: &DataFrame, schema: &[Field]) {
    let found: Vec<_> = frame
        .columns()
        .iter()
        .take(schema.len())
        .map(|c| (c.name().to_string(), c.dtype().clone()))
        .collect();
    let promised: Vec<_> = schema.iter().map(|field| (field.name.to_owned(), field.kind.dtype())).collect();
    assert_eq!(found, promised);
    assert!(empty(schema).columns().len() == schema.len());
}

fn sum(frame: &DataFrame, column: &str) -> f64 {
    frame.column(column).unwrap().as_materialized_series().sum::<f64>().unwrap()
}

#[test]
fn runs_have_keys_and_metrics() {
    let scenario = bundled::scenario("overload").unwrap();
    let frame = simulate(&scenario, &RunConfig::runs(50)).unwrap().runs_frame().unwrap();
    assert_schema(&frame, RUNS);
    assert_eq!(frame.height(), 3 * 50);
    let names: Vec<&str> = frame.columns()[4..].iter().map(|column| column.name().as_str()).collect();
    let golden = [
        "attempts",
        "successes",
        "gave_up",
        "finish_s",
        "crashes",
        "peak_arrivals",
        "calls",
        "amplification",
        "t50_s",
        "t90_s",
        "t99_s",
        "last_success_s",
        "first_success_attempt",
        "most_attempts",
    ];
    assert_eq!(names, golden);
    assert_eq!(frame.column("crashes").unwrap().null_count(), frame.height(), "this service can't crash");
}

#[test]
fn only_wanted_metrics_are_kept() {
    let scenario = bundled::scenario("herd").unwrap();
    let config = RunConfig::runs(3).policies(["full"]).metrics(["finish_s", "attempts"]);
    let frame = simulate(&scenario, &config).unwrap().runs_frame().unwrap();
    assert_eq!(frame.get_column_names(), ["scenario", "policy", "seed", "run", "finish_s", "attempts"]);
    let wrong = RunConfig::runs(3).metrics(["finish"]);
    let message = simulate(&scenario, &wrong).unwrap_err().to_string();
    assert!(message.contains("\"finish\"") && message.contains("finish_s"), "{message}");
}

#[test]
fn attempts_and_timeline_add_up_to_the_totals() {
    for (name, policy) in
        [("herd", "full"), ("overload", "full"), ("burst", "full"), ("budget", "grpc_throttling")]
    {
        let scenario = bundled::scenario(name).unwrap();
        let config = RunConfig::seeds([0, 1]).policies([policy]);
        let totals = simulate(&scenario, &config).unwrap().runs_frame().unwrap();
        let attempts = simulate(&scenario, &config.clone().record(Record::Attempts)).unwrap();
        let frame = attempts.attempts_frame().unwrap();
        assert_schema(&frame, ATTEMPTS);
        assert_eq!(frame.height() as f64, sum(&totals, "attempts"), "{name}");
        let line = simulate(&scenario, &config.record(Record::Timeline(Span::from_millis(100)))).unwrap();
        let line = line.timeline_frame().unwrap();
        assert_schema(&line, TIMELINE);
        assert_eq!(sum(&line, "arrivals"), sum(&totals, "attempts"), "{name}");
        assert_eq!(sum(&line, "successes"), sum(&totals, "successes"), "{name}");
        assert_eq!(sum(&line, "retries"), sum(&totals, "attempts") - sum(&totals, "calls"), "{name}");
        assert!(attempts.timeline_frame().is_err(), "what was not recorded is said to be so");
    }
}

#[test]
fn a_frame_too_large_is_refused_before_it_is_made() {
    let scenario = bundled::scenario("herd").unwrap();
    let config = RunConfig::seeds(0..20).policies(["immediate"]).record(Record::Attempts);
    let message = simulate(&scenario, &config).unwrap_err().to_string();
    assert!(message.contains("240000000 attempts"), "{message}");
}

#[test]
fn summaries_and_comparisons() {
    let scenario = bundled::scenario("overload").unwrap();
    let simulation = simulate(&scenario, &RunConfig::runs(500)).unwrap();
    assert_schema(&simulation.summary_frame(0.95).unwrap(), SUMMARY);
    let comparison = simulation.compare_frame("exponential", 0.95).unwrap();
    assert_schema(&comparison, COMPARISON);
    assert!(simulation.compare_frame("nobody", 0.95).is_err());
    assert!(simulation.summary_frame(1.0).is_err());
    // Exponential makes 30 attempts in every run, immediate 120: differences and ratios without any spread.
    let row = (0..comparison.height()).find(|i| {
        let text = |name| comparison.column(name).unwrap().get(*i).unwrap().to_string();
        text("policy").contains("immediate")
            && text("metric").contains("attempts")
            && text("statistic").contains("ratio")
    });
    let value = comparison.column("value").unwrap().f64().unwrap().get(row.unwrap());
    assert_eq!(value, Some(4.0));
}

#[test]
fn verdicts_are_a_frame_too() {
    let rows = reproduce(|entry| entry.document == "overload").unwrap();
    let frame = verdicts(&rows).unwrap();
    assert_schema(&frame, VERDICTS);
    assert_eq!(frame.height(), 15);
}

/// Published: 19 for 20,000 runs; independent programs give P(all six) = 0.99759.
#[test]
fn experiments() {
    let six = experiment::median_of_runs(20_000).unwrap();
    assert_eq!(six.median.value, 19.0);
    assert!(six.all_six.low <= 0.99759 && 0.99759 <= six.all_six.high);
    assert_eq!(sum(&six.pmf().unwrap(), "runs"), 20_000.0);
    let (published, keyed) = experiment::herd_seed_sweep(100).unwrap();
    assert_eq!((published.runs.plan.len(), keyed.runs.plan.len()), (20, 100));
    let (totals, line) = experiment::budget_experiment().unwrap();
    assert_eq!(totals.runs.policies.len(), line.timelines.len());
    let devices = experiment::retry_after_devices().unwrap();
    let t99 = |policy| retrysim::stats::mean_sd(&devices.metric(policy, "t99_s").unwrap()).0;
    // Obeying costs nothing if the jitter before the recovery is the same (independently: 74.5 against 73.4 s).
    assert!(
        (t99("retry_after_obeyed_with_jitter") - 74.5).abs() < 0.05,
        "{}",
        t99("retry_after_obeyed_with_jitter")
    );
}
