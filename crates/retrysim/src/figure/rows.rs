//! Distributions in rows: quantile dots, ridges, point masses, each standing on the line of its row.

use super::layer::Layer;
use super::layers::Plot;
use super::marks::cut_area;
use super::model::Figure;
use super::page::{Ink, Page};
use super::style::{Dash, Style};

/// Radius of quantile dots, one for all rows: the largest with which the highest stack fits its row. Below 3
/// pixels coins could not be counted; from there on high stacks are pushed together instead.
pub(super) fn coin_radius(figure: &Figure, plot: &Plot) -> f64 {
    let layers = figure.panels.iter().flat_map(|panel| &panel.layers);
    let rows: Vec<Vec<f64>> =
        layers
            .filter_map(|layer| {
                if let Layer::Dots { values, .. } = layer { Some(places(plot, values)) } else { None }
            })
            .collect();
    let room = plot.y.at(0.0) - plot.y.at(0.8);
    let highest =
        |r: f64| rows.iter().flat_map(|xs| stacks(xs, 2.0 * r)).map(|stack| stack.len()).max().unwrap_or(0);
    let sizes = (0..=16).map(|i| 7.0 - 0.25 * f64::from(i));
    sizes.into_iter().find(|r| highest(*r) as f64 * 2.0 * r <= room).unwrap_or(3.0)
}

/// Positions of the values shown, from left to right.
fn places(plot: &Plot, values: &[f64]) -> Vec<f64> {
    let mut xs: Vec<f64> = values.iter().filter(|x| plot.x.shows(**x)).map(|x| plot.x.at(*x)).collect();
    xs.sort_by(f64::total_cmp);
    xs
}

/// Stacks coins after Wilkinson (1999): a stack takes the values within one diameter of its first and stands
/// at their mean.
pub(super) fn draw_dots(page: &mut Page, plot: &Plot, style: Style, values: &[f64], row: f64, radius: f64) {
    let (base, roof) = (plot.y.at(row), plot.y.at(row + 0.8));
    let rgb = style.hue.on(page.theme);
    for stack in stacks(&places(plot, values), 2.0 * radius) {
        let x = stack.iter().sum::<f64>() / stack.len() as f64;
        let step = (2.0 * radius).min((base - roof - 2.0 * radius) / (stack.len().max(2) - 1) as f64);
        for i in 0..stack.len() {
            page.disc((x, base - radius - 1.0 - step * i as f64), radius * 0.9, rgb);
        }
    }
}

fn stacks(sorted: &[f64], diameter: f64) -> Vec<Vec<f64>> {
    let mut stacks: Vec<Vec<f64>> = Vec::new();
    for &x in sorted {
        match stacks.last_mut() {
            Some(stack) if x - stack[0] < diameter => stack.push(x),
            _ => stacks.push(vec![x]),
        }
    }
    stacks
}

/// A line for each row of dots, ridges and masses to stand on, below them all.
pub(super) fn draw_floors(page: &mut Page, plot: &Plot, layers: &[Layer]) {
    let axis = page.palette().axis;
    let mut drawn: Vec<f64> = Vec::new();
    for layer in layers {
        if let Layer::Dots { row, .. } | Layer::Ridge { row, .. } | Layer::Mass { row, .. } = layer
            && !drawn.contains(row)
        {
            let y = plot.y.at(*row);
            let across = [(plot.rect.left, y), (plot.rect.right, y)];
            page.framed(&across, plot.rect, Dash::Solid, 0.8, axis);
            drawn.push(*row);
        }
    }
}

pub(super) fn draw_ridge(page: &mut Page, plot: &Plot, style: Style, points: &[(f64, f64)], row: f64) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return;
    };
    let mut outline = vec![plot.at(first.0, row)];
    outline.extend(points.iter().map(|&(x, height)| plot.at(x, row + 0.8 * height)));
    outline.push(plot.at(last.0, row));
    let rgb = style.hue.on(page.theme);
    page.fill(cut_area(outline.clone(), plot.rect), Ink { rgb, alpha: 0.32 });
    page.framed(&outline, plot.rect, Dash::Solid, 1.6, rgb);
}

pub(super) fn draw_mass(page: &mut Page, plot: &Plot, style: Style, points: &[(f64, f64)], row: f64) {
    let rgb = style.hue.on(page.theme);
    for &(x, share) in points.iter().filter(|(x, _)| plot.x.shows(*x)) {
        let (foot, head) = (plot.at(x, row), plot.at(x, row + 0.8 * share.clamp(0.0, 1.0)));
        page.stroke(vec![foot, head], 2.4, rgb);
        page.disc(head, 4.5, rgb);
    }
}
