//! How the last expression of a cell is shown: tables as HTML and Markdown, figures as PNG, the rest as text.

use std::io::Write;

use base64::{Engine, prelude::BASE64_STANDARD};
use retrysim::{
    Error, Policy, Scenario, Simulation, Span, Sweep,
    experiment::SixClients,
    figure::{Figure, Theme},
    frame::{Cells, column, estimates, of_columns},
    polars::prelude::DataFrame,
    stats::{self, Estimate},
    table::Table,
    text,
};

use crate::session::complain;

/// Rows of a frame that are shown.
const ROWS: usize = 60;

/// Pixels a logical pixel, so that figures are sharp.
const SCALE: u32 = 2;

/// Shows a value as the result of a cell. The kernel calls this method on the last expression.
pub trait EvcxrDisplay {
    /// Shows it.
    fn evcxr_display(&self);
}

/// One value in several formats; a front end shows the best that it can.
fn show(contents: &[(&str, &str)]) {
    let mut out = std::io::stdout().lock();
    for (mime, content) in contents {
        // The kernel reads whole lines; nothing can be done if it went away.
        let _ = writeln!(out, "EVCXR_BEGIN_CONTENT {mime}\n{}\nEVCXR_END_CONTENT", content.trim_end());
    }
}

fn show_text(text: &str) {
    show(&[("text/plain", text)]);
}

fn show_error(error: &dyn std::fmt::Display) {
    complain(format_args!("{error}"));
}

fn show_table(frame: &DataFrame) {
    let table = Table::of(frame, ROWS);
    show(&[("text/html", &table.html()), ("text/plain", &table.markdown())]);
}

fn show_frame_or_error(frame: Result<DataFrame, Error>) {
    match frame {
        Ok(frame) => show_table(&frame),
        Err(error) => show_error(&error),
    }
}

impl EvcxrDisplay for DataFrame {
    fn evcxr_display(&self) {
        show_table(self);
    }
}

impl EvcxrDisplay for Figure {
    fn evcxr_display(&self) {
        match self.to_png(SCALE, Theme::Light, &[]) {
            Ok(png) => {
                let (alone, all) = (self.panels.len() == 1, self.panels.len());
                let panels = if alone { String::new() } else { format!(", {all} panels") };
                let text = format!("figure: {}{panels}", self.title);
                show(&[("image/png", &BASE64_STANDARD.encode(png)), ("text/plain", &text)]);
            }
            Err(error) => show_error(&error),
        }
    }
}

/// The mean of every metric, a column a policy.
impl EvcxrDisplay for Simulation {
    fn evcxr_display(&self) {
        show_frame_or_error(means(self));
    }
}

fn means(simulation: &Simulation) -> Result<DataFrame, Error> {
    let metrics: Vec<String> = simulation.metrics().iter().map(|metric| metric.name.clone()).collect();
    let mut columns = vec![column("metric", Cells::Text(metrics.clone()))];
    for policy in &simulation.runs.policies {
        let values = metrics.iter().map(|metric| simulation.metric(policy, metric));
        let means =
            values.map(|values| Ok(stats::mean(&values?, 0.95))).collect::<Result<Vec<_>, Error>>()?;
        columns.extend(estimates(policy, &means));
    }
    of_columns(columns)
}

/// The summary of every point.
impl EvcxrDisplay for Sweep {
    fn evcxr_display(&self) {
        show_frame_or_error(self.summary_frame(0.95));
    }
}

impl EvcxrDisplay for SixClients {
    fn evcxr_display(&self) {
        show_frame_or_error(self.pmf());
    }
}

/// As in a file.
impl EvcxrDisplay for Scenario {
    fn evcxr_display(&self) {
        text::write(self).evcxr_display();
    }
}

/// As in a file.
impl EvcxrDisplay for Policy {
    fn evcxr_display(&self) {
        text::write(self).evcxr_display();
    }
}

impl EvcxrDisplay for Estimate {
    fn evcxr_display(&self) {
        show_text(&format!("{} (95 % interval {} to {})", self.value, self.low, self.high));
    }
}

/// The value, or the error as one line.
impl<T: EvcxrDisplay, E: std::fmt::Display> EvcxrDisplay for Result<T, E> {
    fn evcxr_display(&self) {
        match self {
            Ok(value) => value.evcxr_display(),
            Err(error) => show_error(error),
        }
    }
}

impl<T: EvcxrDisplay + ?Sized> EvcxrDisplay for &T {
    fn evcxr_display(&self) {
        (*self).evcxr_display();
    }
}

/// Nothing.
impl EvcxrDisplay for () {
    fn evcxr_display(&self) {}
}

macro_rules! show_as_written {
    ($($kind:ty),*) => {
        $(impl EvcxrDisplay for $kind {
            fn evcxr_display(&self) {
                show_text(&self.to_string());
            }
        })*
    };
}

show_as_written!(bool, char, f32, f64, i32, i64, u8, u32, u64, usize, str, String, Span);

impl<T: std::fmt::Debug> EvcxrDisplay for Vec<T> {
    fn evcxr_display(&self) {
        show_text(&format!("{self:?}"));
    }
}
