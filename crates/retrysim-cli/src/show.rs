//! Frames on stdout or in a file, and progress on stderr.

use std::{io::Write, ops::ControlFlow, path::Path};

use anyhow::Result;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use retrysim::{
    Manifest, Request,
    export::{self, Format as FileFormat, pretty},
    polars::prelude::DataFrame,
    request::Output,
};

use crate::{
    Answer,
    cli::{Format, Out},
};

/// Width of a table when stdout is no terminal.
const WIDTH: u16 = 140;

/// A bar on stderr; hidden if nobody looks.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(quiet: bool) -> Self {
        Self::of("runs", quiet)
    }

    /// A bar that counts `what`.
    pub fn of(what: &str, quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template(&format!(
            "{{bar:40}} {{human_pos}}/{{human_len}} {what}, {{eta}} left"
        )) {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub fn at(&self, done: u64, total: u64) -> ControlFlow<()> {
        // The last digit of a count matters to nobody: a bar that moves 500 times is enough.
        if done.is_multiple_of((total / 500).max(1)) || done == total {
            self.0.set_length(total);
            self.0.set_position(done);
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A line on stderr; nobody need read it.
pub fn say(line: &str) {
    writeln!(std::io::stderr(), "retrysim: {line}").ok();
}

/// Makes what is asked for and prints it, or writes it to a file.
pub fn answer(request: Request, threads: Option<usize>, out: &Out) -> Result<Answer> {
    check_output(out.output.as_deref())?;
    let output = make(&request, threads, out.quiet)?;
    deliver(request, &output, out)
}

/// Makes what is asked for and writes it to a file.
pub fn save(request: Request, threads: Option<usize>, path: &Path, quiet: bool) -> Result<Answer> {
    check_output(Some(path))?;
    let output = make(&request, threads, quiet)?;
    write(request, &output, path)
}

/// Prints what was made, or writes it to a file.
pub fn deliver(request: Request, output: &Output, out: &Out) -> Result<Answer> {
    match (&out.output, output) {
        (Some(path), output) => write(request, output, path),
        (None, Output::Frame(frame)) => Ok(Answer { text: print(frame, out.format)?, passed: true }),
        (None, Output::Figure(_)) => anyhow::bail!("a figure needs --output FILE"),
    }
}

/// A name that can't be written to is refused before anything is run.
pub fn check_output(path: Option<&Path>) -> Result<()> {
    if let Some(path) = path {
        FileFormat::of(path)?;
    }
    Ok(())
}

fn make(request: &Request, threads: Option<usize>, quiet: bool) -> Result<Output> {
    let progress = Progress::new(quiet);
    Ok(request.make(threads, &|done, total| progress.at(done, total))?)
}

/// Writes a file with its manifest.
fn write(request: Request, output: &Output, path: &Path) -> Result<Answer> {
    export::save(output, &Manifest::new(request), path)?;
    Ok(Answer { text: String::new(), passed: true })
}

/// A frame in a format.
pub fn print(frame: &DataFrame, format: Format) -> Result<String> {
    Ok(match format {
        Format::Table => table(frame),
        Format::Json => export::json(frame)?,
        Format::Csv => export::csv(frame)?,
        Format::Md => export::markdown(frame),
    })
}

/// For reading: columns without any value are left out.
pub fn table(frame: &DataFrame) -> String {
    let columns = frame.columns();
    let shown: Vec<usize> = (0..columns.len())
        .filter(|i| frame.height() == 0 || columns[*i].null_count() < frame.height())
        .collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if !table.is_tty() {
        table.set_width(WIDTH.max(u16::try_from(shown.len() * 14).unwrap_or(u16::MAX)));
    }
    table.set_header(shown.iter().map(|i| columns[*i].name().as_str()));
    for row in export::values(frame) {
        table.add_row(shown.iter().map(|i| pretty(&row[*i])));
    }
    for (place, i) in shown.iter().enumerate() {
        if let Some(column) = table.column_mut(place)
            && columns[*i].dtype().is_numeric()
        {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}
