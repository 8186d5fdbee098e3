//! Cells of a heat map and their colour bar.

use super::font::{self, Weight};
use super::label::alike;
use super::layer::Heat;
use super::layers::Plot;
use super::layout::{LABEL, SMALL, TICK};
use super::model::{Axis, Scale};
use super::page::{Align, Page, Rect, Words};
use super::scale::{Span, share};
use super::theme::{Rgb, Theme, mix};
use super::ticks::ticks;

/// ColorBrewer's YlGnBu (Brewer 2003) at nine places, from much to little: lightness rises steadily, and it is
/// safe for colour-blind eyes.
const RAMP: [Rgb; 9] = [
    (8, 29, 88),
    (37, 52, 148),
    (34, 94, 168),
    (29, 145, 192),
    (65, 182, 196),
    (127, 205, 187),
    (199, 233, 180),
    (230, 244, 190),
    (247, 250, 215),
];

/// The colour at `place` between 0 and 1. White paper shows the bright end as little, dark paper as much, so
/// that much stands out on both.
fn ramp(place: f64, theme: Theme) -> Rgb {
    let place = place.clamp(0.0, 1.0);
    let place = if theme == Theme::Light { 1.0 - place } else { place } * 8.0;
    let low = (place.floor() as usize).min(7);
    mix(RAMP[low + 1], RAMP[low], place - low as f64)
}

/// Smallest and largest value; equal ones are spread so that a flat matrix has a colour.
fn bounds(heat: &Heat) -> (f64, f64) {
    let all = heat.z.iter().flatten();
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(*z), h.max(*z)));
    match heat.scale {
        _ if low < high => (low, high),
        Scale::Log10 => (low / 2.0, high * 2.0),
        Scale::Linear => (low - 0.5, high + 0.5),
    }
}

/// The cells, with their values when there is room for them.
pub(super) fn draw_cells(page: &mut Page, plot: &Plot, heat: &Heat) {
    let (low, high) = bounds(heat);
    let wide = plot.x.at(1.0) - plot.x.at(0.0);
    let tall = plot.y.at(0.0) - plot.y.at(1.0);
    let all: Vec<f64> = heat.z.iter().flatten().copied().collect();
    let written = alike(&all);
    let widest = written.iter().map(|words| font::width(words, SMALL, Weight::Regular)).fold(0.0, f64::max);
    let is_written = widest + 8.0 <= wide && tall >= 17.0;
    for (k, (z, words)) in all.into_iter().zip(written).enumerate() {
        let (x, y) = plot.at((k % heat.columns) as f64, (k / heat.columns) as f64);
        let rgb = ramp(share(z, low, high, heat.scale), page.theme);
        page.rect(cell(x, y, wide - 1.0, tall - 1.0), rgb);
        if is_written {
            page.words(Words::new(words, (x, y + 4.3), SMALL, readable_on(rgb)).align(Align::Middle));
        }
    }
}

fn cell(x: f64, y: f64, wide: f64, tall: f64) -> Rect {
    Rect { left: x - wide / 2.0, right: x + wide / 2.0, top: y - tall / 2.0, bottom: y + tall / 2.0 }
}

/// Black or white, whichever reads better.
fn readable_on((r, g, b): Rgb) -> Rgb {
    let luma = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
    if luma > 125.0 { (22, 26, 31) } else { (245, 247, 250) }
}

/// The colour bar to the right of the plot.
pub(super) fn draw_bar(page: &mut Page, plot: Rect, heat: &Heat) {
    let (low, high) = bounds(heat);
    let bar = Rect { left: plot.right + 24.0, right: plot.right + 38.0, ..plot };
    let slices = 128;
    for i in (0..slices).rev() {
        let rgb = ramp((i as f64 + 0.5) / slices as f64, page.theme);
        // Each slice reaches down to the foot, so that no seam shows between two.
        page.rect(Rect { top: bar.bottom - bar.height() * (i + 1) as f64 / slices as f64, ..bar }, rgb);
    }
    let axis = Axis { scale: heat.scale, ..Axis::default() };
    let span = Span { low, high, scale: heat.scale, from: bar.bottom, to: bar.top };
    let palette = page.palette();
    let found = ticks(&axis, low, high, (bar.height() / 50.0) as usize);
    let mut widest = 0.0_f64;
    for tick in found {
        let y = span.at(tick.at);
        let words = Words::new(tick.label, (bar.right + 8.0, y + 4.5), TICK, palette.muted);
        widest = widest.max(words.width());
        page.stroke(vec![(bar.right, y), (bar.right + 4.0, y)], 1.0, palette.axis);
        page.words(words);
    }
    let at = (bar.right + 8.0 + widest + 20.0, (bar.top + bar.bottom) / 2.0);
    let label = Words::new(&heat.label, at, LABEL, palette.ink).align(Align::Middle);
    page.words(label.upright().fit(bar.height()));
}
