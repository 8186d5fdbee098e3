//! From a page to a plotters drawing area. One logical pixel is `GRAIN` backend units, because plotters
//! counts in whole numbers and a line must be able to stand between two pixels.

use super::error::Error;
use super::font::{FAMILIES, Weight};
use super::page::{Align, Ink, Page, Point, Shape, Words};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Backend units a logical pixel.
pub(super) const GRAIN: f64 = 16.0;

/// plotters divides the size of a font by this on its way into an SVG.
pub(super) const PLOTTERS_EM: f64 = 1.24;

/// A text anchored at its top begins this share of an em above its base line, in SVG as plotters writes it.
pub(super) const TOP_TO_BASE: f64 = 0.76;

/// Draws all shapes and finishes the drawing.
pub(super) fn paint<DB: DrawingBackend>(page: &Page, backend: DB) -> Result<(), Error> {
    let area = backend.into_drawing_area();
    let (r, g, b) = page.palette().paper;
    // plotters' own `fill` leaves out the last unit of each side, which shows as a thin dark edge.
    let corners = [(0, 0), grain((page.width, page.height))];
    area.draw(&Rectangle::new(corners, RGBColor(r, g, b).filled())).map_err(refused)?;
    for shape in &page.shapes {
        paint_shape(&area, shape).map_err(refused)?;
    }
    area.present().map_err(refused)
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Draw(error.to_string())
}

type Painted<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

fn paint_shape<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, shape: &Shape) -> Painted<DB> {
    match shape {
        Shape::Stroke { points, width, ink } => {
            let style = ShapeStyle { color: rgba(*ink), filled: false, stroke_width: length(*width) };
            area.draw(&PathElement::new(grains(points), style))
        }
        Shape::Fill { points, ink } => area.draw(&Polygon::new(grains(points), rgba(*ink).filled())),
        Shape::Rect { rect, ink } => {
            let corners = [grain((rect.left, rect.top)), grain((rect.right, rect.bottom))];
            area.draw(&Rectangle::new(corners, rgba(*ink).filled()))
        }
        Shape::Disc { center, radius, ink } => {
            area.draw(&Circle::new(grain(*center), length(*radius), rgba(*ink).filled()))
        }
        Shape::Words(words) => paint_words(area, words),
    }
}

/// Words are anchored at their top: plotters writes that one as a distance in ems, which every SVG viewer
/// understands the same way.
fn paint_words<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, words: &Words) -> Painted<DB> {
    let rise = TOP_TO_BASE * words.size;
    let (x, y) = words.at;
    let corner = if words.upright { (x - rise, y) } else { (x, y - rise) };
    let side = match words.align {
        Align::Start => HPos::Left,
        Align::Middle => HPos::Center,
        Align::End => HPos::Right,
    };
    let face = if words.weight == Weight::Bold { FontStyle::Bold } else { FontStyle::Normal };
    let turn = if words.upright { FontTransform::Rotate270 } else { FontTransform::None };
    let (r, g, b) = words.rgb;
    let style = FontDesc::new(FontFamily::Name(FAMILIES), words.size * GRAIN * PLOTTERS_EM, face)
        .transform(turn)
        .color(&RGBColor(r, g, b))
        .pos(Pos::new(side, VPos::Top));
    area.draw_text(&words.text, &style, grain(corner))
}

fn grain((x, y): Point) -> (i32, i32) {
    ((x * GRAIN).round() as i32, (y * GRAIN).round() as i32)
}

fn grains(points: &[Point]) -> Vec<(i32, i32)> {
    points.iter().map(|point| grain(*point)).collect()
}

fn length(pixels: f64) -> u32 {
    (pixels * GRAIN).round() as u32
}

fn rgba(ink: Ink) -> RGBAColor {
    RGBAColor(ink.rgb.0, ink.rgb.1, ink.rgb.2, ink.alpha)
}
