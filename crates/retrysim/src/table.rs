//! Frames for reading: units in the header, an estimate and its interval in one column, digits that mean
//! something.

use polars::prelude::DataFrame;
use serde_json::Value;

use crate::{
    export::{markdown_table, values},
    figure::group_digits,
};

/// A frame as a reader wants it. Files hold frames; this is for screens.
///
/// - A column `x_s` is headed `x (s)`, `peak_qps` is `peak (per s)`; other underscores become spaces.
/// - `x`, `x_low`, `x_high` (or `value`, `ci_low`, `ci_high`) become one column, `12.03 (11.95 to 12.11)`, with
///   as many decimals as the interval bears: two significant digits of its half-width, or one from 3 up.
/// - Columns without any value are left out, and so are `confidence` and `method`, which the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    head: Vec<Head>,
    rows: Vec<Vec<String>>,
    /// Rows that are not shown.
    left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    text: String,
    number: bool,
}

/// A shown column: one of the frame, or an estimate with its interval.
enum Shown {
    Plain(usize),
    Estimate { value: usize, low: usize, high: usize },
}

impl Table {
    /// The first `rows` rows of a frame.
    ///
    /// ```
    /// use retrysim::{frame::{Cells, column, of_columns}, table::Table};
    ///
    /// let frame = of_columns(vec![
    ///     column("policy", Cells::Text(vec!["full".into()])),
    ///     column("finish_s", Cells::Number(vec![12.0312])),
    ///     column("finish_s_low", Cells::Number(vec![11.951])),
    ///     column("finish_s_high", Cells::Number(vec![12.111])),
    /// ])?;
    /// let table = Table::of(&frame, 10);
    /// assert_eq!(table.markdown(), "\
    /// | policy | finish (s), 95 % interval |
    /// | --- | ---: |
    /// | full | 12.03 (11.95 to 12.11) |
    /// ");
    /// assert!(table.html().contains("<td style=\"text-align: right\">12.03 (11.95 to 12.11)</td>"));
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    #[must_use]
    pub fn of(frame: &DataFrame, rows: usize) -> Self {
        let names: Vec<&str> = frame.columns().iter().map(|column| column.name().as_str()).collect();
        let level = level(frame);
        let shown = shown(frame, &names);
        let head = shown.iter().map(|shown| match shown {
            Shown::Plain(i) => {
                Head { text: title(names[*i]), number: frame.columns()[*i].dtype().is_numeric() }
            }
            Shown::Estimate { value, .. } => {
                Head { text: format!("{}, {level} interval", title(names[*value])), number: true }
            }
        });
        let metric = names.iter().position(|name| *name == "metric");
        let cells = values(&frame.head(Some(rows)));
        let rows = cells.iter().map(|row| {
            let cell = |shown: &Shown| match shown {
                Shown::Plain(i) if Some(*i) == metric => title(&plain(&row[*i])),
                Shown::Plain(i) => plain(&row[*i]),
                Shown::Estimate { value, low, high } => estimate(&row[*value], &row[*low], &row[*high]),
            };
            shown.iter().map(cell).collect()
        });
        let left_out = frame.height() - cells.len();
        Self { head: head.collect(), rows: rows.collect(), left_out }
    }

    /// As Markdown; also good to read as it is.
    #[must_use]
    pub fn markdown(&self) -> String {
        let head = self.head.iter().map(|head| (head.text.clone(), head.number));
        let text = markdown_table(head, self.rows.iter().cloned());
        text + &self.rest().map(|rest| rest + "\n").unwrap_or_default()
    }

    /// As an HTML table, styled by whatever page it stands in.
    #[must_use]
    pub fn html(&self) -> String {
        let line = |tag: &str, cells: &mut dyn Iterator<Item = &String>| {
            let cell = |(head, text): (&Head, &String)| {
                let side = if head.number { "right" } else { "left" };
                format!("<{tag} style=\"text-align: {side}\">{}</{tag}>", escape_html(text))
            };
            format!("<tr>{}</tr>", self.head.iter().zip(cells).map(cell).collect::<String>())
        };
        let head = line("th", &mut self.head.iter().map(|head| &head.text));
        let rows: String = self.rows.iter().map(|row| line("td", &mut row.iter()) + "\n").collect();
        let rest = self.rest().map(|rest| format!("<p>{rest}</p>")).unwrap_or_default();
        format!("<table>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table>{rest}")
    }

    fn rest(&self) -> Option<String> {
        (self.left_out > 0).then(|| format!("… and {} more rows", grouped(&self.left_out.to_string())))
    }
}

/// Which columns are shown, in order.
fn shown(frame: &DataFrame, names: &[&str]) -> Vec<Shown> {
    let empty = |i: usize| frame.height() > 0 && frame.columns()[i].null_count() == frame.height();
    let place = |name: &str| names.iter().position(|known| *known == name);
    let ends = |name: &str| {
        let prefix = if ["value", "share"].contains(&name) { "ci" } else { name };
        Some((place(&format!("{prefix}_low"))?, place(&format!("{prefix}_high"))?))
    };
    let mut said: Vec<usize> =
        names.iter().filter_map(|name| ends(name)).flat_map(<[usize; 2]>::from).collect();
    if place("ci_low").is_some() {
        said.extend(place("confidence").into_iter().chain(place("method")));
    }
    let columns = (0..names.len()).filter(|i| !said.contains(i) && !empty(*i));
    let shown = columns.map(|i| match ends(names[i]) {
        Some((low, high)) if !empty(low) => Shown::Estimate { value: i, low, high },
        _ => Shown::Plain(i),
    });
    shown.collect()
}

/// The level of the intervals: that of the column `confidence`, or 95 %.
fn level(frame: &DataFrame) -> String {
    let first = frame.column("confidence").ok().and_then(|column| column.get(0).ok()?.extract::<f64>());
    format!("{} %", crate::export::pretty(&Value::from(first.unwrap_or(0.95) * 100.0)))
}

/// Endings of names that say a unit.
const UNITS: [(&str, &str); 3] = [("_s", "s"), ("_ms", "ms"), ("_qps", "per s")];

/// A column's heading, or a metric's name for reading.
fn title(name: &str) -> String {
    let unit = UNITS.iter().find_map(|(ending, unit)| Some((name.strip_suffix(ending)?, unit)));
    match unit {
        Some((name, unit)) => format!("{} ({unit})", name.replace('_', " ")),
        None => name.replace('_', " "),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Number(number) => grouped(&match number.as_f64() {
            Some(x) if number.is_f64() && x.abs() >= 1000.0 => {
                format!("{x:.1}").trim_end_matches(".0").into()
            }
            _ => crate::export::pretty(value),
        }),
        other => crate::export::pretty(other),
    }
}

/// `12.03 (11.95 to 12.11)`.
fn estimate(value: &Value, low: &Value, high: &Value) -> String {
    let (Some(x), Some(a), Some(b)) = (value.as_f64(), low.as_f64(), high.as_f64()) else {
        return plain(value);
    };
    if a >= b || [x, a, b].iter().all(|x| x.fract() == 0.0) {
        return format!("{} ({} to {})", plain(value), plain(low), plain(high));
    }
    let decimals = decimals((b - a) / 2.0, x);
    let digits = |x: f64| {
        let text = format!("{x:.decimals$}");
        grouped(if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') {
            text.trim_start_matches('-')
        } else {
            &text
        })
    };
    format!("{} ({} to {})", digits(x), digits(a), digits(b))
}

/// Decimals that an interval of this half-width bears; the value keeps five significant digits at the most.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
fn decimals(half: f64, value: f64) -> usize {
    let place = |x: f64| libm::floor(libm::log10(x));
    let most = if value == 0.0 { 4.0 } else { 4.0 - place(value.abs()) };
    (-place(half / 3.0)).min(most).clamp(0.0, 9.0) as usize
}

/// Thousands from 10,000 on are set apart.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    if whole < 5 || digits.contains('e') {
        return number.to_owned();
    }
    let (whole, rest) = digits.split_at(whole);
    format!("{sign}{}{rest}", group_digits(whole))
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\n', "<br>")
}

#[cfg(test)]
mod tests {
    use super::{estimate, grouped, plain, title};

    #[test]
    fn digits_follow_the_interval() {
        let text = |x: f64, half: f64| estimate(&x.into(), &(x - half).into(), &(x + half).into());
        assert_eq!(text(12.0312, 0.08), "12.03 (11.95 to 12.11)");
        assert_eq!(text(12.0312, 0.02), "12.031 (12.011 to 12.051)");
        assert_eq!(text(11_990.4, 150.0), "11,990 (11,840 to 12,140)");
        assert_eq!(text(19.0, 1.0), "19 (18 to 20)");
        assert_eq!(text(-0.0001, 0.04), "0.00 (-0.04 to 0.04)");
        assert_eq!(text(1.0, 0.0), "1 (1 to 1)");
        assert_eq!(text(12.5, 0.0), "12.5 (12.5 to 12.5)");
        assert_eq!(text(423.2911, 0.016), "423.29 (423.28 to 423.31)");
    }

    #[test]
    fn numbers_are_grouped_from_ten_thousand() {
        assert_eq!(
            ["9999", "10000", "-1234567.5", "1.5e-10"].map(grouped),
            ["9999", "10,000", "-1,234,567.5", "1.5e-10"]
        );
        assert_eq!(plain(&11_990.0.into()), "11,990");
        assert_eq!(plain(&0.12345.into()), "0.1235");
    }

    #[test]
    fn units_stand_in_brackets() {
        let titles = ["finish_s", "peak_qps", "mean_finish_s", "gave_up", "missing_share"].map(title);
        assert_eq!(titles, ["finish (s)", "peak (per s)", "mean finish (s)", "gave up", "missing share"]);
    }
}
