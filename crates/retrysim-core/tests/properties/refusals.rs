//! What is no scenario is refused, in the name of the field that is wrong.

use proptest::prelude::*;
use retrysim_core::Scenario;
use toml::{Table, Value};

use crate::{cases, generate};

/// A place in a TOML document: keys and indices.
type Path = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// The dotted path that messages use.
fn dotted(path: &[Step]) -> String {
    path.iter().fold(String::new(), |text, step| match step {
        Step::Key(key) if text.is_empty() => key.clone(),
        Step::Key(key) => format!("{text}.{key}"),
        Step::Index(index) => format!("{text}[{index}]"),
    })
}

/// Paths of all values that `wanted` picks.
fn paths(value: &Value, wanted: fn(&Value) -> bool, at: &Path, found: &mut Vec<Path>) {
    if wanted(value) {
        found.push(at.clone());
    }
    let mut down = |value: &Value, step: Step| {
        let mut path = at.clone();
        path.push(step);
        paths(value, wanted, &path, found);
    };
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| down(value, Step::Key(key.clone()))),
        Value::Array(values) => values.iter().enumerate().for_each(|(i, value)| down(value, Step::Index(i))),
        _ => {}
    }
}

fn find(document: &Value, wanted: fn(&Value) -> bool) -> Vec<Path> {
    let mut found = Vec::new();
    paths(document, wanted, &Vec::new(), &mut found);
    found
}

fn at<'v>(document: &'v mut Value, path: &[Step]) -> &'v mut Value {
    path.iter().fold(document, |value, step| match step {
        Step::Key(key) => &mut value[key.as_str()],
        Step::Index(index) => &mut value[*index],
    })
}

fn read(document: Value) -> Result<Scenario, String> {
    let Value::Table(table) = document else { unreachable!("a scenario is a table") };
    Scenario::from_table(table).map_err(|error| error.to_string())
}

fn is_length(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.parse::<retrysim_core::Span>().is_ok())
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn numbers_that_are_none(scenario in generate::scenario()) {
        let document = Value::try_from(&scenario).unwrap();
        for path in find(&document, Value::is_float) {
            let field = dotted(&path);
            for (number, text) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf"), (-1e9, "-1000000000")] {
                let mut document = document.clone();
                *at(&mut document, &path) = Value::Float(number);
                let message = read(document).expect_err(&field);
                prop_assert!(message.contains(&field), "{} without {}", message, field);
                prop_assert!(message.contains(text), "{} without {}", message, text);
                prop_assert!(message.contains("allowed: "), "{}", message);
            }
        }
    }

    #[test]
    fn lengths_below_zero(scenario in generate::scenario()) {
        let document = Value::try_from(&scenario).unwrap();
        for path in find(&document, is_length) {
            let field = dotted(&path);
            // An offset may be negative.
            if field.ends_with(".offset") {
                continue;
            }
            let mut document = document.clone();
            *at(&mut document, &path) = Value::String("-3s".into());
            let message = read(document).expect_err(&field);
            prop_assert!(message.contains(&field), "{} without {}", message, field);
            prop_assert!(message.contains("allowed: "), "{}", message);
        }
    }

    #[test]
    fn values_of_another_type(scenario in generate::scenario()) {
        let document = Value::try_from(&scenario).unwrap();
        for path in find(&document, |value| value.is_float() || is_length(value)) {
            let field = dotted(&path);
            let mut document = document.clone();
            *at(&mut document, &path) = Value::Boolean(true);
            let message = read(document).expect_err(&field);
            let named = path.iter().any(|step| matches!(step, Step::Key(key) if message.contains(key.as_str())));
            prop_assert!(named, "{} names no part of {}", message, field);
        }
    }

    #[test]
    fn unknown_keys(scenario in generate::scenario()) {
        let document = Value::try_from(&scenario).unwrap();
        for path in find(&document, Value::is_table) {
            let mut document = document.clone();
            let table = at(&mut document, &path).as_table_mut().unwrap();
            table.insert("surprise".into(), Value::Table(Table::from_iter([("x".into(), Value::Integer(1))])));
            let message = read(document).expect_err(&dotted(&path));
            prop_assert!(!message.is_empty());
        }
    }

    #[test]
    fn a_scenario_survives_toml(scenario in generate::scenario()) {
        let text = toml::to_string(&scenario).unwrap();
        prop_assert_eq!(Scenario::from_toml(&text).unwrap(), scenario, "{}", text);
    }
}

#[test]
fn bundled_scenarios_survive_toml() {
    for scenario in crate::all_bundled() {
        let text = toml::to_string(&scenario).unwrap();
        assert_eq!(Scenario::from_toml(&text).unwrap(), scenario, "{text}");
    }
}
