//! The legend: beside a single panel, in rows below several; never on the data.

use super::font::{self, Weight};
use super::label::label_of;
use super::layer::Layer;
use super::layout::TICK;
use super::model::{Figure, Key, Mark, Panel};
use super::page::{Ink, Page, Point, Rect, Words};
use super::style::{Dash, Styles};
use super::theme::mix;

const SWATCH: f64 = 30.0;
const GAP: f64 = 9.0;
const WORD_ROOM: f64 = 145.0;
/// Room that a colour bar with its numbers and its label takes.
const COLOUR_BAR: f64 = 100.0;

/// A legend entry with its place: the left end of the middle of its swatch.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub key: Key,
    pub lines: Vec<String>,
    pub at: Point,
}

/// One entry a series and a reference, in the order of the layers. Bars, dots and cells name themselves.
pub(super) fn keys(panels: &[Panel]) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for key in panels.iter().flat_map(|panel| &panel.layers).filter_map(key_of) {
        match keys.iter_mut().find(|known| known.name == key.name) {
            None => keys.push(key),
            Some(known) if known.mark == Mark::Area && !matches!(key.mark, Mark::Band) => {
                known.mark = key.mark
            }
            Some(_) => {}
        }
    }
    let (references, mut series): (Vec<_>, Vec<_>) =
        keys.into_iter().partition(|key| matches!(key.mark, Mark::Band | Mark::Reference));
    series.extend(references);
    series
}

fn key_of(layer: &Layer) -> Option<Key> {
    let (name, mark) = match layer {
        Layer::Line { name, dashed: true, .. } => (name, Mark::DashedLine),
        Layer::Line { name, marked: true, .. } => (name, Mark::MarkedLine),
        Layer::Line { name, .. } => (name, Mark::Line),
        Layer::Ribbon { name, .. } | Layer::Steps { name, .. } => (name, Mark::Area),
        Layer::Points { name, .. } => (name, Mark::Point),
        Layer::Band { label, .. } => (label, Mark::Band),
        Layer::HLine { label, .. } | Layer::VLine { label, .. } => (label, Mark::Reference),
        Layer::Bars { .. }
        | Layer::Dots { .. }
        | Layer::Ridge { .. }
        | Layer::Mass { .. }
        | Layer::Heat(_) => {
            return None;
        }
    };
    (!name.is_empty()).then(|| Key { name: name.clone(), mark })
}

/// The dash of a reference line: the first label gets strokes, the second dots, the third both.
pub(super) fn reference_dash(figure: &Figure, label: &str) -> Dash {
    let references = figure.panels.iter().flat_map(|panel| &panel.layers).filter_map(|layer| match layer {
        Layer::HLine { label, .. } | Layer::VLine { label, .. } => Some(label),
        _ => None,
    });
    let mut known: Vec<&String> = Vec::new();
    for reference in references {
        if !known.contains(&reference) {
            known.push(reference);
        }
    }
    let at = known.iter().position(|reference| *reference == label).unwrap_or(0);
    [Dash::Dash, Dash::Dot, Dash::DashDot, Dash::Long][at % 4]
}

/// Beside the plot when there is one panel, at least two series to tell apart, and room for all.
pub(super) fn is_beside(figure: &Figure) -> bool {
    let series = figure.legend.iter().filter(|key| !matches!(key.mark, Mark::Band | Mark::Reference)).count();
    let (wide, tall) = (f64::from(figure.width), f64::from(figure.height.unwrap_or(560)));
    let height: f64 = figure.legend.iter().map(|key| entry_height(&lines(key))).sum();
    let is_roomy = height < tall - 160.0 && words_width(figure) + 60.0 < 0.4 * wide;
    figure.panels.len() == 1 && series > 1 && is_roomy
}

fn has_colour_bar(figure: &Figure) -> bool {
    figure.panels.iter().flat_map(|panel| &panel.layers).any(|layer| matches!(layer, Layer::Heat(_)))
}

fn lines(key: &Key) -> Vec<String> {
    font::wrap(&label_of(&key.name), TICK, Weight::Regular, WORD_ROOM)
}

fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|line| font::width(line, TICK, Weight::Regular)).fold(0.0, f64::max)
}

fn entry_height(lines: &[String]) -> f64 {
    16.0 * lines.len() as f64 + 9.0
}

fn words_width(figure: &Figure) -> f64 {
    figure.legend.iter().map(|key| widest(&lines(key))).fold(0.0, f64::max)
}

/// Room to the right of the plots.
pub(super) fn side_room(figure: &Figure) -> f64 {
    let bar = if has_colour_bar(figure) { COLOUR_BAR } else { 0.0 };
    bar + if is_beside(figure) { 22.0 + SWATCH + GAP + words_width(figure) } else { 0.0 }
}

fn entry_width(key: &Key) -> f64 {
    SWATCH + GAP + font::width(&label_of(&key.name), TICK, Weight::Regular) + 26.0
}

/// The entries row by row, when they stand below.
pub(super) fn rows(figure: &Figure, room: f64) -> Vec<Vec<Key>> {
    let mut rows: Vec<(f64, Vec<Key>)> = Vec::new();
    for key in &figure.legend {
        let width = entry_width(key);
        match rows.last_mut() {
            Some((used, row)) if *used + width <= room + 26.0 => {
                *used += width;
                row.push(key.clone());
            }
            _ => rows.push((width, vec![key.clone()])),
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Gives every entry its place.
pub(super) fn place(figure: &Figure, beside: bool, side: Point, below: Point) -> Vec<Entry> {
    if beside { place_beside(figure, side) } else { place_below(figure, below) }
}

fn place_beside(figure: &Figure, (left, top): Point) -> Vec<Entry> {
    let mut y = top + 8.0;
    let mut entries = Vec::new();
    for key in &figure.legend {
        let lines = lines(key);
        let height = entry_height(&lines);
        entries.push(Entry { key: key.clone(), lines, at: (left, y) });
        y += height;
    }
    entries
}

fn place_below(figure: &Figure, (left, top): Point) -> Vec<Entry> {
    let room = f64::from(figure.width) - 2.0 * left;
    let mut entries = Vec::new();
    for (j, row) in rows(figure, room).into_iter().enumerate() {
        let mut x = left;
        for key in row {
            let width = entry_width(&key);
            let lines = vec![label_of(&key.name)];
            entries.push(Entry { key, lines, at: (x, top + 12.0 + 24.0 * j as f64) });
            x += width;
        }
    }
    entries
}

/// Draws one entry.
pub(super) fn draw(page: &mut Page, figure: &Figure, styles: &Styles, entry: &Entry) {
    let palette = page.palette();
    draw_swatch(page, figure, styles, entry);
    let (x, y) = entry.at;
    for (i, line) in entry.lines.iter().enumerate() {
        let at = (x + SWATCH + GAP, y + 4.5 + 16.0 * i as f64);
        page.words(Words::new(line, at, TICK, palette.ink));
    }
}

fn draw_swatch(page: &mut Page, figure: &Figure, styles: &Styles, entry: &Entry) {
    let (x, y) = entry.at;
    let palette = page.palette();
    let style = styles.get(&entry.key.name);
    let rgb = style.hue.on(page.theme);
    let across = [(x, y), (x + SWATCH, y)];
    let patch = Rect { left: x + 4.0, top: y - 7.0, right: x + SWATCH - 4.0, bottom: y + 7.0 };
    match entry.key.mark {
        Mark::Line => page.dashed(&across, style.dash, 2.2, rgb),
        Mark::DashedLine => page.dashed(&across, Dash::Dash, 2.0, rgb),
        Mark::MarkedLine => {
            page.dashed(&across, style.dash, 2.2, rgb);
            page.marker(style.marker, (x + SWATCH / 2.0, y), 7.5, rgb);
        }
        Mark::Area => page.rect(patch, Ink { rgb: mix(rgb, palette.paper, 0.6), alpha: 1.0 }),
        Mark::Point => page.marker(style.marker, (x + SWATCH / 2.0, y), 8.0, rgb),
        Mark::Band => page.rect(patch, palette.band),
        Mark::Reference => page.dashed(&across, reference_dash(figure, &entry.key.name), 1.5, palette.ink),
    }
}
