//! What stands around the data: title, grid, axes, ticks, headings, small print.

use super::font::{self, Weight};
use super::label::label_of;
use super::layout::{CATEGORY_ROOM, LABEL, Layout, MARGIN, SMALL, SUBTITLE, TICK, TITLE};
use super::model::{Figure, Ticks};
use super::page::{Align, Page, Rect, Words};
use super::style::style_of;

/// Title and subtitle.
pub(super) fn draw_title(page: &mut Page, layout: &Layout) {
    let palette = page.palette();
    let mut y = 22.0;
    for line in &layout.title {
        y += 26.0;
        page.words(Words::new(line, (MARGIN, y - 6.0), TITLE, palette.ink).bold());
    }
    for line in &layout.subtitle {
        y += 20.0;
        page.words(Words::new(line, (MARGIN, y - 4.0), SUBTITLE, palette.muted));
    }
}

/// The small print at the foot.
pub(super) fn draw_note(page: &mut Page, layout: &Layout) {
    let palette = page.palette();
    for (i, line) in layout.note.iter().enumerate() {
        let at = (MARGIN, layout.note_top + 12.0 + 17.0 * i as f64);
        page.words(Words::new(line, at, SMALL, palette.muted));
    }
}

/// Thin lines at the ticks of both axes; none for categories, which have their own rows.
pub(super) fn draw_grid(page: &mut Page, figure: &Figure, layout: &Layout, plot: Rect) {
    let grid = page.palette().grid;
    if figure.x.ticks == Ticks::Auto {
        let span = layout.x(figure, plot);
        for tick in &layout.x_ticks {
            let x = span.at(tick.at);
            page.stroke(vec![(x, plot.top), (x, plot.bottom)], 1.0, grid);
        }
    }
    if figure.y.ticks == Ticks::Auto {
        let span = layout.y(figure, plot);
        for tick in &layout.y_ticks {
            let y = span.at(tick.at);
            page.stroke(vec![(plot.left, y), (plot.right, y)], 1.0, grid);
        }
    }
}

/// The base line and the words at the ticks: x below the lowest panel of a column, y left of the first column.
pub(super) fn draw_axes(page: &mut Page, figure: &Figure, layout: &Layout, index: usize) {
    let plot = layout.plots[index];
    let axis = page.palette().axis;
    page.stroke(vec![(plot.left, plot.bottom), (plot.right, plot.bottom)], 1.2, axis);
    let span = layout.x(figure, plot);
    for tick in &layout.x_ticks {
        let x = span.at(tick.at);
        page.stroke(vec![(x, plot.bottom), (x, plot.bottom + 4.0)], 1.0, axis);
    }
    if index + figure.columns >= layout.plots.len() {
        draw_x_words(page, figure, layout, plot);
    }
    if index.is_multiple_of(figure.columns) {
        draw_y_words(page, figure, layout, plot);
    }
}

fn draw_x_words(page: &mut Page, figure: &Figure, layout: &Layout, plot: Rect) {
    let span = layout.x(figure, plot);
    let palette = page.palette();
    for tick in &layout.x_ticks {
        let half = font::width(&tick.label, TICK, Weight::Regular) / 2.0;
        let x = span.at(tick.at).min(page.width - half - 4.0);
        let words = Words::new(&tick.label, (x, plot.bottom + 19.0), TICK, palette.muted);
        page.words(words.align(Align::Middle));
    }
}

fn draw_y_words(page: &mut Page, figure: &Figure, layout: &Layout, plot: Rect) {
    let span = layout.y(figure, plot);
    let palette = page.palette();
    let rgb = if figure.y.ticks == Ticks::Auto { palette.muted } else { palette.ink };
    for tick in &layout.y_ticks {
        let lines = font::wrap(&tick.label, TICK, Weight::Regular, CATEGORY_ROOM);
        let first = span.at(tick.at) + 4.5 - 7.5 * (lines.len().max(1) - 1) as f64;
        for (i, line) in lines.iter().enumerate() {
            let at = (plot.left - 9.0, first + 15.0 * i as f64);
            page.words(Words::new(line, at, TICK, rgb).align(Align::End));
        }
    }
}

/// Axis titles, once for all panels.
pub(super) fn draw_axis_titles(page: &mut Page, figure: &Figure, layout: &Layout) {
    let palette = page.palette();
    let plots = layout.plots.iter();
    let (top, bottom) =
        plots.fold((f64::MAX, 0.0_f64), |(top, bottom), plot| (top.min(plot.top), bottom.max(plot.bottom)));
    let (across, down) = ((layout.area.left + layout.area.right) / 2.0, (top + bottom) / 2.0);
    // Centred words reach equally far to both sides: their room is twice the shorter way to an end.
    let room = |center: f64, start: f64, end: f64| 2.0 * (center - start).min(end - 8.0 - center);
    let x_title = Words::new(figure.x.title(), (across, bottom + 43.0), LABEL, palette.ink);
    page.words(x_title.align(Align::Middle).fit(room(across, 8.0, page.width)));
    let y_title = Words::new(figure.y.title(), (MARGIN + 11.0, down), LABEL, palette.ink);
    page.words(y_title.align(Align::Middle).upright().fit(room(down, layout.area.top, page.height)));
}

/// A panel's heading: its name, behind a swatch if it is that of a policy in it, and a remark at the right end.
pub(super) fn draw_heading(page: &mut Page, figure: &Figure, layout: &Layout, index: usize) {
    let (panel, plot) = (&figure.panels[index], layout.plots[index]);
    let palette = page.palette();
    let base = plot.top - 9.0;
    let remark = Words::new(&panel.remark, (plot.right, base), TICK, palette.muted)
        .align(Align::End)
        .fit(0.5 * plot.width());
    if !panel.title.is_empty() {
        let mut left = plot.left;
        if panel.layers.iter().any(|layer| layer.series() == Some(&panel.title)) {
            let rgb = style_of(&panel.title).hue.on(page.theme);
            page.rect(Rect { left, top: base - 9.5, right: left + 10.0, bottom: base + 0.5 }, rgb);
            left += 16.0;
        }
        let room = plot.right - left - remark.width() - 12.0;
        let name = label_of(&panel.title);
        page.words(Words::new(name, (left, base), LABEL, palette.ink).bold().fit(room));
    }
    page.words(remark);
}
