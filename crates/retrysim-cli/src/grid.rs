//! A grid of values, and the ways to print it.

use anyhow::Result;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::{Map, Value};

use crate::cli::Format;

/// Width of a table when stdout is no terminal.
const WIDTH: u16 = 140;

/// Named columns and rows of JSON values; null where a value doesn't exist.
pub struct Grid {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Grid {
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub fn push(&mut self, row: Vec<Value>) {
        self.rows.push(row);
    }

    pub fn print(&self, format: Format) -> Result<String> {
        match format {
            Format::Table => Ok(self.table()),
            Format::Json => self.json(),
            Format::Csv => self.csv(),
            Format::Md => Ok(self.markdown()),
        }
    }

    fn json(&self) -> Result<String> {
        let object = |row: &Vec<Value>| {
            Value::Object(self.columns.iter().cloned().zip(row.iter().cloned()).collect::<Map<_, _>>())
        };
        let rows: Vec<Value> = self.rows.iter().map(object).collect();
        Ok(serde_json::to_string_pretty(&rows)? + "\n")
    }

    fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(plain))?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let escape = |text: String| text.replace('|', "\\|").replace('\n', " ");
        let rule =
            (0..self.columns.len()).map(|i| if self.is_numeric(i) { "---:" } else { "---" }.to_owned());
        let mut text = line(self.columns.clone()) + &line(rule.collect());
        for row in &self.rows {
            text += &line(row.iter().map(|value| escape(pretty(value))).collect());
        }
        text
    }

    /// For reading: columns without any value are left out.
    fn table(&self) -> String {
        let shown: Vec<usize> = (0..self.columns.len())
            .filter(|i| self.rows.is_empty() || self.rows.iter().any(|row| !row[*i].is_null()))
            .collect();
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        if !table.is_tty() {
            table.set_width(WIDTH.max(u16::try_from(shown.len() * 14).unwrap_or(u16::MAX)));
        }
        table.set_header(shown.iter().map(|i| self.columns[*i].as_str()));
        for row in &self.rows {
            table.add_row(shown.iter().map(|i| pretty(&row[*i])));
        }
        for (place, i) in shown.iter().enumerate() {
            if let Some(column) = table.column_mut(place)
                && self.is_numeric(*i)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt() + "\n"
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.rows.iter().all(|row| row[column].is_number() || row[column].is_null())
    }
}

/// A value for machines: all digits.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value for reading: at most four decimals, "-" where it doesn't exist.
fn pretty(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let x = number.as_f64().unwrap_or(f64::NAN);
            let text = if x != 0.0 && x.abs() < 0.001 { format!("{x:.2e}") } else { format!("{x:.4}") };
            if text.contains('e') {
                text
            } else {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        }
        other => other.to_string(),
    }
}

/// A number as JSON: whole if it counts something, null if it doesn't exist.
#[expect(clippy::cast_possible_truncation, reason = "counts are whole and below 2^53")]
pub fn number(x: f64, whole: bool) -> Value {
    if !x.is_finite() {
        Value::Null
    } else if whole && x.fract() == 0.0 {
        Value::from(x as i64)
    } else {
        Value::from(x)
    }
}
