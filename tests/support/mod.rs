//! What both test binaries share: the stored targets, the bundled scenarios with fields changed, and one
//! run of a kernel with a recorder and a generator of the test's own.

use retrysim::{bundled, draw::Draws, record::Recorder, service::Kernel, service::Service, text};
use retrysim_core::{Scenario, record::Column};
use serde_json::Value;

/// A file of targets that programs independent of the engine have made.
pub fn vectors(name: &str) -> Value {
    let path = format!("{}/data/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A number of the targets; `null` reads as NaN, the engine's own mark of a value that doesn't exist.
pub fn number(value: &Value) -> f64 {
    if value.is_null() { f64::NAN } else { value.as_f64().unwrap_or_else(|| panic!("no number: {value}")) }
}

/// A list of the targets.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// A list of numbers of the targets.
pub fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// The entry with this `id` in a list of the targets.
pub fn entry<'v>(entries: &'v Value, id: &str) -> &'v Value {
    list(entries).iter().find(|entry| entry["id"] == id).unwrap_or_else(|| panic!("no entry {id}"))
}

/// A bundled scenario with fields set: dotted path and TOML value.
pub fn scenario(name: &str, set: &[(&str, &str)]) -> Scenario {
    let mut table = text::parse(bundled::scenario_text(name).unwrap()).unwrap();
    for (path, value) in set {
        text::set(&mut table, path, text::value(value).unwrap()).unwrap();
    }
    Scenario::from_table(table).unwrap_or_else(|error| panic!("{name} with {set:?}: {error}"))
}

/// Totals of one run.
#[derive(Debug)]
pub struct Totals {
    columns: Vec<Column>,
    row: Vec<f64>,
}

impl Totals {
    /// The total named `name`.
    pub fn get(&self, name: &str) -> f64 {
        let place = self.columns.iter().position(|column| column.name == name);
        self.row[place.unwrap_or_else(|| panic!("no column {name}"))]
    }
}

/// One run of a policy. The generator and the recorder stay with the test, which may ask them afterwards.
pub fn run<D: Draws, R: Recorder>(
    scenario: &Scenario,
    policy: &str,
    draws: &mut D,
    recorder: &mut R,
) -> Totals {
    match &scenario.service {
        Service::TickCapacity(service) => {
            run_on(&service.prepare(scenario), scenario, policy, draws, recorder)
        }
        Service::WindowCapacity(service) => {
            run_on(&service.prepare(scenario), scenario, policy, draws, recorder)
        }
        Service::Overload(service) => run_on(&service.prepare(scenario), scenario, policy, draws, recorder),
        Service::Contention(service) => run_on(&service.prepare(scenario), scenario, policy, draws, recorder),
        Service::Failures(service) => run_on(&service.prepare(scenario), scenario, policy, draws, recorder),
        Service::Layers(service) => run_on(&service.prepare(scenario), scenario, policy, draws, recorder),
        Service::Workers(service) => run_on(&service.prepare(scenario), scenario, policy, draws, recorder),
    }
}

fn run_on<K: Kernel, D: Draws, R: Recorder>(
    kernel: &K,
    scenario: &Scenario,
    policy: &str,
    draws: &mut D,
    recorder: &mut R,
) -> Totals {
    let columns = kernel.columns();
    let mut row = vec![f64::NAN; columns.len()];
    let policy = scenario.policy(policy).unwrap().compile(scenario.unit);
    assert!(kernel.run(&policy, draws, recorder, &mut K::Scratch::default(), &mut row), "endless");
    Totals { columns, row }
}
