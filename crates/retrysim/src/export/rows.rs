//! Frames as JSON and Markdown.

use polars::prelude::{AnyValue, DataFrame};
use serde_json::{Map, Value};

use crate::error::Error;

/// A frame's rows as JSON values, column by column; null where a value doesn't exist.
#[must_use]
pub fn values(frame: &DataFrame) -> Vec<Vec<Value>> {
    let columns = frame.columns();
    (0..frame.height())
        .map(|row| {
            columns.iter().map(|column| column.get(row).map_or(Value::Null, |value| of(&value))).collect()
        })
        .collect()
}

fn of(value: &AnyValue<'_>) -> Value {
    match value {
        AnyValue::Boolean(b) => Value::from(*b),
        AnyValue::String(text) => Value::from(*text),
        AnyValue::StringOwned(text) => Value::from(text.as_str()),
        AnyValue::UInt32(n) => Value::from(*n),
        AnyValue::UInt64(n) => Value::from(*n),
        AnyValue::Int64(n) => Value::from(*n),
        AnyValue::Float64(x) => Value::from(*x),
        _ => Value::Null,
    }
}

fn names(frame: &DataFrame) -> impl Iterator<Item = String> {
    frame.columns().iter().map(|column| column.name().to_string())
}

/// A frame as an array of objects.
///
/// ```
/// use retrysim::{RunConfig, bundled, export, simulate};
///
/// let frame = simulate(&bundled::scenario("layers")?, &RunConfig::runs(1))?.runs_frame()?;
/// assert!(export::json(&frame)?.contains("\"arrivals_db\": 27"));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never; every value has a JSON form.
pub fn json(frame: &DataFrame) -> Result<String, Error> {
    let names: Vec<String> = names(frame).collect();
    let object = |row: Vec<Value>| Value::Object(names.iter().cloned().zip(row).collect::<Map<_, _>>());
    let rows: Vec<Value> = values(frame).into_iter().map(object).collect();
    let text = serde_json::to_string_pretty(&rows).map_err(|error| Error::Manifest(error.to_string()))?;
    Ok(text + "\n")
}

/// A frame as a Markdown table: numbers to the right, at most four decimals, "-" where a value doesn't exist.
///
/// ```
/// use retrysim::{RunConfig, bundled, export, simulate};
///
/// let frame = simulate(&bundled::scenario("layers")?, &RunConfig::runs(1))?.runs_frame()?;
/// assert!(export::markdown(&frame).starts_with("| scenario | policy |"));
/// # Ok::<(), retrysim::Error>(())
/// ```
#[must_use]
pub fn markdown(frame: &DataFrame) -> String {
    let head = names(frame).zip(frame.columns().iter().map(|column| column.dtype().is_numeric()));
    let rows = values(frame).into_iter().map(|row| row.iter().map(pretty).collect());
    markdown_table(head, rows)
}

/// A Markdown table: headings, each with whether its column holds numbers, and rows.
pub(crate) fn markdown_table(
    head: impl Iterator<Item = (String, bool)>,
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let escape = |text: &String| text.replace('|', "\\|").replace('\n', " ");
    let (head, rules): (Vec<String>, Vec<String>) =
        head.map(|(text, number)| (escape(&text), if number { "---:" } else { "---" }.to_owned())).unzip();
    let rows = rows.map(|row| line(&row.iter().map(escape).collect::<Vec<_>>()));
    line(&head) + &line(&rules) + &rows.collect::<String>()
}

/// A value for reading.
#[must_use]
pub fn pretty(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let x = number.as_f64().unwrap_or(f64::NAN);
            if x != 0.0 && x.abs() < 0.001 {
                return format!("{x:.2e}");
            }
            let text = format!("{x:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        other => other.to_string(),
    }
}
