//! How each layer becomes shapes.

use super::label::aligned;
use super::layer::{Bar, Layer};
use super::layout::SMALL;
use super::legend::reference_dash;
use super::marks::cut_area;
use super::model::{Figure, Scale};
use super::page::{Ink, Page, Point, Rect, Words};
use super::rows;
use super::scale::Span;
use super::style::{Dash, Style, Styles};
use super::theme::mix;

/// A plot with its two maps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plot {
    pub rect: Rect,
    pub x: Span,
    pub y: Span,
}

impl Plot {
    pub fn at(&self, x: f64, y: f64) -> Point {
        (self.x.at(x), self.y.at(y))
    }

    fn line(&self, points: &[(f64, f64)]) -> Vec<Point> {
        points.iter().map(|&(x, y)| self.at(x, y)).collect()
    }

    pub fn shows(&self, x: f64, y: f64) -> bool {
        self.x.shows(x) && self.y.shows(y)
    }
}

/// Draws one layer into its plot.
pub(super) fn draw(page: &mut Page, figure: &Figure, styles: &Styles, plot: &Plot, layer: &Layer) {
    match layer {
        Layer::Line { name, points, dashed, marked } => {
            let style = styles.get(name);
            let style = if *dashed { Style { dash: Dash::Dash, ..style } } else { style };
            draw_line(page, plot, style, points, *marked);
        }
        Layer::Ribbon { name, points } => draw_ribbon(page, plot, styles.get(name), points),
        Layer::Steps { name, bins, width } => draw_steps(page, plot, styles.get(name), bins, *width),
        Layer::Points { name, points, size } => draw_points(page, plot, styles.get(name), points, *size),
        Layer::Bars { bars } => {
            let values = aligned(&bars.iter().map(|bar| bar.value).collect::<Vec<_>>());
            for (i, (bar, value)) in bars.iter().zip(values).enumerate() {
                draw_bar(page, plot, styles, i, bar, value);
            }
        }
        Layer::Band { x0, x1, .. } => draw_band(page, plot, *x0, *x1),
        Layer::HLine { y, label } => {
            let (y, dash) = (plot.y.at(*y), reference_dash(figure, label));
            let ink = page.palette().ink;
            page.framed(&[(plot.rect.left, y), (plot.rect.right, y)], plot.rect, dash, 1.4, ink);
        }
        Layer::VLine { x, label } => {
            let (x, dash) = (plot.x.at(*x), reference_dash(figure, label));
            let ink = page.palette().ink;
            page.framed(&[(x, plot.rect.bottom), (x, plot.rect.top)], plot.rect, dash, 1.4, ink);
        }
        Layer::Dots { name, values, row } => {
            let radius = rows::coin_radius(figure, plot);
            rows::draw_dots(page, plot, styles.get(name), values, *row, radius);
        }
        Layer::Ridge { name, points, row } => rows::draw_ridge(page, plot, styles.get(name), points, *row),
        Layer::Mass { name, points, row } => rows::draw_mass(page, plot, styles.get(name), points, *row),
        Layer::Heat(heat) => super::heat::draw_cells(page, plot, heat),
    }
}

fn draw_line(page: &mut Page, plot: &Plot, style: Style, points: &[(f64, f64)], marked: bool) {
    let rgb = style.hue.on(page.theme);
    page.framed(&plot.line(points), plot.rect, style.dash, 2.2, rgb);
    if marked || points.len() == 1 {
        draw_points(page, plot, style, points, 7.5);
    }
}

fn draw_points(page: &mut Page, plot: &Plot, style: Style, points: &[(f64, f64)], size: f64) {
    let rgb = style.hue.on(page.theme);
    for &(x, y) in points.iter().filter(|(x, y)| plot.shows(*x, *y)) {
        page.marker(
            style.marker,
            plot.at(x, y),
            size,
            Ink { rgb, alpha: if size < 7.0 { 0.75 } else { 1.0 } },
        );
    }
}

fn draw_ribbon(page: &mut Page, plot: &Plot, style: Style, points: &[(f64, f64, f64)]) {
    let there = points.iter().map(|&(x, _, high)| plot.at(x, high));
    let back = points.iter().rev().map(|&(x, low, _)| plot.at(x, low));
    let ink = Ink { rgb: style.hue.on(page.theme), alpha: 0.22 };
    page.fill(cut_area(there.chain(back).collect(), plot.rect), ink);
}

/// Filled from zero, with a line on top; an empty bin leaves no line on the base.
fn draw_steps(page: &mut Page, plot: &Plot, style: Style, bins: &[(f64, f64)], width: f64) {
    let rgb = style.hue.on(page.theme);
    let base = plot.y.at(0.0).clamp(plot.rect.top, plot.rect.bottom);
    let roof: Vec<Point> = bins.iter().flat_map(|&(x, y)| [plot.at(x, y), plot.at(x + width, y)]).collect();
    let (Some(first), Some(last)) = (roof.first().copied(), roof.last().copied()) else {
        return;
    };
    let mut area = vec![(first.0, base)];
    area.extend(&roof);
    area.push((last.0, base));
    // Bins of a pixel or two would be all outline: their area alone is drawn, and stronger.
    let is_dense = roof.windows(2).next().is_some_and(|bin| bin[1].0 - bin[0].0 < 2.5);
    let alpha = if is_dense { 0.75 } else { 0.38 };
    page.fill(cut_area(area, plot.rect), Ink { rgb, alpha });
    if is_dense {
        return;
    }
    for run in roof.chunk_by(|a, b| !(a.1 >= base && b.1 >= base)) {
        page.framed(run, plot.rect, Dash::Solid, 1.4, rgb);
    }
}

fn draw_band(page: &mut Page, plot: &Plot, x0: f64, x1: f64) {
    let edge = |x: f64| plot.x.at(x).clamp(plot.rect.left, plot.rect.right);
    let band = page.palette().band;
    page.rect(Rect { left: edge(x0), right: edge(x1), ..plot.rect }, band);
}

/// A bar from zero (a dot on a logarithmic axis), the interval as a line with caps, the number behind.
fn draw_bar(page: &mut Page, plot: &Plot, styles: &Styles, index: usize, bar: &Bar, value: String) {
    let palette = page.palette();
    let rgb = styles.get(&bar.category).hue.on(page.theme);
    let y = plot.y.at(index as f64);
    let half = ((plot.y.at(0.0) - plot.y.at(1.0)).abs() * 0.3).min(17.0);
    let edge = |x: f64| plot.x.at(x).clamp(plot.rect.left, plot.rect.right);
    let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
    let logarithmic = plot.x.scale == Scale::Log10;
    if !logarithmic {
        let (a, b) = (edge(0.0), edge(bar.value));
        let rect = Rect { left: a.min(b), right: a.max(b), top: y - half, bottom: y + half };
        page.rect(rect, mix(rgb, palette.paper, 0.72));
    }
    if bar.interval.is_some() {
        let ink = if logarithmic { rgb } else { palette.ink };
        let cap = half.min(6.0);
        page.stroke(vec![(edge(low), y), (edge(high), y)], 1.8, ink);
        for x in [edge(low), edge(high)] {
            page.stroke(vec![(x, y - cap), (x, y + cap)], 1.8, ink);
        }
    }
    if logarithmic {
        page.disc((edge(bar.value), y), 6.0, rgb);
    }
    let words = Words::new(value, (0.0, y + 4.5), SMALL, palette.ink);
    let width = words.width();
    let x = if bar.value < 0.0 && !logarithmic {
        (edge(bar.value.min(low)) - 9.0 - width).max(plot.rect.left + 4.0)
    } else {
        (edge(bar.value.max(high)) + 9.0).min(page.width - width - 4.0)
    };
    page.words(Words { at: (x, y + 4.5), ..words });
}
