//! Sweeps, and runs until an interval is narrow enough.

use retrysim::{Design, Error, Precision, RunConfig, bundled, sweep, sweep_with, until_precise, unwatched};

#[test]
fn parameters_become_columns() {
    let design = Design::new("herd", 2)
        .policies(["full"])
        .vary("service.capacity", [4, 5])
        .vary("workload.spread", ["0s", "250ms", "1s"]);
    let frame = sweep(&design).unwrap().runs_frame().unwrap();
    assert_eq!(frame.height(), 2 * 3 * 2);
    assert_eq!(
        &frame.get_column_names()[..4],
        ["scenario", "service.capacity", "workload.spread_s", "policy"]
    );
    let spreads = frame.column("workload.spread_s").unwrap().f64().unwrap();
    assert_eq!((spreads.get(0), spreads.get(2), spreads.get(4)), (Some(0.0), Some(0.25), Some(1.0)));
}

/// A point of a sweep is the same simulation as the scenario with that field set.
#[test]
fn a_point_is_a_run_of_its_own() {
    let point = sweep(&Design::new("contention", 50).vary("workload.clients", [10, 20])).unwrap();
    let mut table = retrysim::text::parse(bundled::scenario_text("contention").unwrap()).unwrap();
    retrysim::text::set(&mut table, "workload.clients", 20.into()).unwrap();
    let scenario = retrysim::Scenario::from_table(table).unwrap();
    let alone = retrysim::simulate(&scenario, &RunConfig::runs(50)).unwrap();
    assert_eq!(
        point.points[1].simulation.metric("full", "attempts").unwrap(),
        alone.metric("full", "attempts").unwrap()
    );
}

#[test]
fn threads_do_not_matter() {
    let design = Design::new("contention", 20).vary("workload.clients", [5, 10]);
    let frame = |threads| sweep_with(&design, None, Some(threads), &unwatched).unwrap().runs_frame().unwrap();
    assert!(frame(1).equals_missing(&frame(3)));
}

#[test]
fn ranges_and_lists() {
    let mut design = Design::new("contention", 1);
    design.vary.insert("workload.clients".into(), "10..190:10".into());
    assert_eq!(design.points().unwrap().len(), 19);
    for (values, part) in [("10..5", "vary.workload.clients"), ("a..b", "range"), ("1..2000000000", "range")]
    {
        design.vary.insert("workload.clients".into(), values.into());
        let message = design.points().unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let wrong = sweep(&Design::new("contention", 1).vary("workload.clients", [0])).unwrap_err();
    assert!(
        matches!(&wrong, Error::Expression { expression, .. } if expression == "workload.clients = 0"),
        "{wrong}"
    );
}

#[test]
fn as_many_runs_as_an_interval_needs() {
    let scenario = bundled::scenario("herd").unwrap();
    let config = RunConfig::runs(1).generator(retrysim::Generator::Philox);
    let mut wanted = Precision {
        policy: "full".into(),
        metric: "finish_s".into(),
        statistic: "mean".into(),
        half_width: 0.1,
        confidence: 0.95,
        max_runs: 20_000,
    };
    let (simulation, estimate) = until_precise(&scenario, &config, &wanted).unwrap();
    assert!((estimate.high - estimate.low) / 2.0 <= 0.1, "{estimate:?}");
    let runs = simulation.runs.plan.len();
    assert!((256..20_000).contains(&runs), "{runs} runs");
    wanted.max_runs = 300;
    wanted.half_width = 1e-6;
    assert_eq!(until_precise(&scenario, &config, &wanted).unwrap().0.runs.plan.len(), 300);
    wanted.statistic = "max".into();
    assert!(until_precise(&scenario, &config, &wanted).is_err(), "a maximum has no interval");
}
