//! What can be done in a notebook.

use retrysim::frame;

use crate::display::EvcxrDisplay;

/// Shown, a list of what can be done.
#[derive(Clone, Copy, Debug)]
pub struct Help;

/// What can be done in a notebook.
#[must_use]
pub const fn help() -> Help {
    Help
}

const LINES: [(&str, &str); 22] = [
    (
        "bundled::scenario(\"herd\")?",
        "a published experiment: herd, burst, devices, overload, contention, budget, ...",
    ),
    ("Scenario::from_toml(text)?", "your own: clients, service, outage, policies"),
    (
        "Policy::exponential(base, 2.0).cap(..).jitter(0.0, 1.0)",
        "a policy; scenario.policy.insert(name, policy) adds it",
    ),
    (
        "RunConfig::runs(20_000).policies([\"full\"])",
        "many runs under one seed; RunConfig::published(&scenario): as printed",
    ),
    (
        ".record(Record::Timeline(\"100ms\".parse()?))",
        "keep counts by bin as well (Record::Attempts: every attempt)",
    ),
    ("simulate(&scenario, &config)?", "runs it; an interrupt stops it and nothing else is lost"),
    ("runs.overview_frame(&[(\"finish_s\", \"mean\")], 0.95)?", "a row a policy, with intervals"),
    ("runs.summary_frame(0.95)?", "every metric and statistic with its interval"),
    ("runs.compare_frame(\"full\", 0.95)?", "differences and ratios on common random numbers"),
    ("runs.runs_frame()?", "a row a run; attempts_frame(), timeline_frame() where recorded"),
    (
        "sweep(&Design::new(\"contention\", 100).vary(\"workload.clients\", [10, 20]))?",
        "one parameter against another",
    ),
    (
        "farm(&Farm { crew: Crew::Local(2), ..Farm::new(design, out(\"parts\")) })?",
        "the same on many workers; what is finished is kept",
    ),
    ("published::reproduce(|entry| entry.id.starts_with(\"herd.\"))?", "printed numbers, run again"),
    ("frame::side_by_side(&rows)?", "what was printed beside what came out"),
    (
        "picture::arrivals(&runs, None, \"title\")?",
        "figures: also waits, levels, ecdf, dots, bars, curves, heat_map",
    ),
    (
        "picture::fingerprint(&scenario, &[\"full\".into()], 8, \"title\")?",
        "where the delays of a policy lie, retry by retry",
    ),
    (
        "Catalogue::bundled().policy(\"stripe\")?",
        "a policy of a real library; catalogue::frame(&entries)? lists them",
    ),
    (
        "checks::findings(&[(\"mine\".into(), lint(&policy))])?",
        "what its author may not have meant, with a cure",
    ),
    ("frame.lazy().filter(col(\"policy\").eq(lit(\"full\"))).collect()?", "a frame is a polars DataFrame"),
    (
        "Files::of(\"folder\").table(\"name\", &frame)?.figure(\"name\", &figure)?",
        "CSV and PNG under out/folder",
    ),
    ("let x: DataFrame = ...;", "write the type of what you keep; the last expression of a cell is shown"),
    ("expression?", "an error is shown as one line"),
];

impl EvcxrDisplay for Help {
    fn evcxr_display(&self) {
        frame::texts(["write", "get"], LINES.map(|(write, get)| [write, get])).evcxr_display();
    }
}
