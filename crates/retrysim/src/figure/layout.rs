//! Where everything goes: title on top, panels in a grid, legend to the right or below, small print last.

use super::error::Error;
use super::font::{self, Weight};
use super::legend::{self, Entry};
use super::model::{Axis, Figure, Ticks};
use super::page::Rect;
use super::scale::Span;
use super::ticks::{Tick, ticks};

pub(super) const MARGIN: f64 = 26.0;
pub(super) const TITLE: f64 = 20.0;
pub(super) const SUBTITLE: f64 = 14.5;
pub(super) const LABEL: f64 = 14.0;
pub(super) const TICK: f64 = 13.0;
pub(super) const SMALL: f64 = 12.5;
/// Words of an axis of categories wrap at this width.
pub(super) const CATEGORY_ROOM: f64 = 160.0;
const HEADING: f64 = 26.0;
const ROW_GAP: f64 = 14.0;
const COLUMN_GAP: f64 = 30.0;

/// The finished plan of a figure.
#[derive(Debug)]
pub(super) struct Layout {
    pub height: f64,
    pub title: Vec<String>,
    pub subtitle: Vec<String>,
    pub note: Vec<String>,
    pub plots: Vec<Rect>,
    /// The rectangle around all plots.
    pub area: Rect,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    pub x_range: (f64, f64),
    pub y_range: (f64, f64),
    pub legend: Vec<Entry>,
    pub note_top: f64,
}

impl Layout {
    pub fn of(figure: &Figure, x_range: (f64, f64), y_range: (f64, f64)) -> Result<Self, Error> {
        let room = f64::from(figure.width) - 2.0 * MARGIN;
        let title = font::wrap(&figure.title, TITLE, Weight::Bold, room);
        let subtitle = font::wrap(figure.subtitle.as_deref().unwrap_or(""), SUBTITLE, Weight::Regular, room);
        let note = font::wrap(figure.note.as_deref().unwrap_or(""), SMALL, Weight::Regular, room);
        let beside = legend::is_beside(figure);
        let rows_below = if beside { 0 } else { legend::rows(figure, room).len() };

        let top = 22.0
            + 26.0 * title.len() as f64
            + 20.0 * subtitle.len() as f64
            + if heading(figure) > 0.0 { 12.0 } else { 20.0 };
        let note_height = if note.is_empty() { 0.0 } else { 8.0 + 17.0 * note.len() as f64 };
        let legend_height = if rows_below == 0 { 0.0 } else { 10.0 + 24.0 * rows_below as f64 };
        let x_title = if figure.x.title().is_empty() { 0.0 } else { 24.0 };
        let bottom = 26.0 + x_title + legend_height + note_height + 16.0;

        let (height, panel_height) = heights(figure, top + bottom);
        let y_ticks = ticks(&figure.y, y_range.0, y_range.1, ticks_for(&figure.y, panel_height));
        let left = MARGIN + gutter(&figure.y, &y_ticks);
        let right = f64::from(figure.width) - MARGIN - legend::side_room(figure);
        let area = Rect { left, top, right, bottom: height - bottom };
        let plots = grid(figure, area, panel_height);
        let plot_width = plots.first().map_or(0.0, Rect::width);
        if panel_height < 40.0 || plot_width < 60.0 {
            return Err(Error::Size { width: figure.width, height: height as u32 });
        }
        let x_ticks = fitting_ticks(&figure.x, x_range, plot_width);
        let mut layout = Self {
            height,
            title,
            subtitle,
            note,
            plots,
            area,
            x_ticks,
            y_ticks,
            x_range,
            y_range,
            legend: Vec::new(),
            note_top: height - 16.0 - note_height + 8.0,
        };
        let below = height - 16.0 - note_height - legend_height + 10.0;
        layout.legend =
            legend::place(figure, beside, (right + 22.0, layout.area.top + heading(figure)), (MARGIN, below));
        Ok(layout)
    }

    /// The horizontal map of a plot.
    pub fn x(&self, figure: &Figure, plot: Rect) -> Span {
        let (low, high) = self.x_range;
        Span { low, high, scale: figure.x.scale, from: plot.left, to: plot.right }
    }

    /// The vertical map of a plot.
    pub fn y(&self, figure: &Figure, plot: Rect) -> Span {
        let (low, high) = self.y_range;
        Span { low, high, scale: figure.y.scale, from: plot.bottom, to: plot.top }
    }
}

fn rows(figure: &Figure) -> usize {
    figure.panels.len().div_ceil(figure.columns.max(1))
}

fn heading(figure: &Figure) -> f64 {
    let any = figure.panels.iter().any(|panel| !panel.title.is_empty() || !panel.remark.is_empty());
    if any { HEADING } else { 0.0 }
}

/// Height of the figure and of each plot. Unasked, one row makes 560 pixels and further rows make it grow.
fn heights(figure: &Figure, around: f64) -> (f64, f64) {
    let rows = rows(figure) as f64;
    let between = (rows - 1.0) * ROW_GAP + rows * heading(figure);
    let wanted = match (&figure.y.ticks, figure.columns) {
        (Ticks::Named(names), _) => (34.0 * names.len() as f64).max(108.0),
        (Ticks::Auto, 1) => 108.0,
        (Ticks::Auto, _) => 176.0,
    };
    let grown = (around + between + rows * wanted).max(560.0).round();
    let height = figure.height.map_or(grown, f64::from);
    (height, (height - around - between) / rows)
}

fn ticks_for(axis: &Axis, height: f64) -> usize {
    let each = if matches!(axis.ticks, Ticks::Named(_)) {
        15.0
    } else if height < 150.0 {
        32.0
    } else {
        42.0
    };
    ((height / each) as usize).clamp(2, 40)
}

/// Room for the y title and the words at its ticks.
fn gutter(axis: &Axis, ticks: &[Tick]) -> f64 {
    let title = if axis.title().is_empty() { 0.0 } else { 26.0 };
    let widest = ticks
        .iter()
        .flat_map(|tick| font::wrap(&tick.label, TICK, Weight::Regular, CATEGORY_ROOM))
        .map(|line| font::width(&line, TICK, Weight::Regular))
        .fold(0.0, f64::max);
    title + widest + 10.0
}

fn grid(figure: &Figure, area: Rect, panel_height: f64) -> Vec<Rect> {
    let columns = figure.columns.max(1).min(figure.panels.len());
    let panel_width = (area.width() - COLUMN_GAP * (columns - 1) as f64) / columns as f64;
    let heading = heading(figure);
    (0..figure.panels.len())
        .map(|i| {
            let left = area.left + (i % columns) as f64 * (panel_width + COLUMN_GAP);
            let top = area.top + heading + (i / columns) as f64 * (panel_height + heading + ROW_GAP);
            Rect { left, top, right: left + panel_width, bottom: top + panel_height }
        })
        .collect()
}

/// As many ticks as fit side by side without touching.
fn fitting_ticks(axis: &Axis, (low, high): (f64, f64), width: f64) -> Vec<Tick> {
    let span = Span { low, high, scale: axis.scale, from: 0.0, to: width };
    let most = if matches!(axis.ticks, Ticks::Named(_)) { 40 } else { (width / 50.0) as usize };
    (2..=most.max(3))
        .rev()
        .map(|want| ticks(axis, low, high, want))
        .find(|ticks| !ticks.is_empty() && apart(ticks, &span))
        .unwrap_or_default()
}

fn apart(ticks: &[Tick], span: &Span) -> bool {
    let half = |tick: &Tick| font::width(&tick.label, TICK, Weight::Regular) / 2.0;
    ticks
        .windows(2)
        .all(|pair| span.at(pair[1].at) - half(&pair[1]) - span.at(pair[0].at) - half(&pair[0]) > 10.0)
}
