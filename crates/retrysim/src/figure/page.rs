//! The page: a list of shapes in logical pixels, before any backend.

use super::font::{self, Weight};
use super::theme::{Palette, Rgb, Theme};

/// A place on the page, from the top left corner.
pub(super) type Point = (f64, f64);

/// A rectangle on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// A colour and its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink {
    pub rgb: Rgb,
    pub alpha: f64,
}

impl From<Rgb> for Ink {
    fn from(rgb: Rgb) -> Self {
        Self { rgb, alpha: 1.0 }
    }
}

/// Which end of a text its position names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// A line of words. `at` is on the base line; `upright` texts run from bottom to top.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Words {
    pub text: String,
    pub at: Point,
    pub size: f64,
    pub weight: Weight,
    pub rgb: Rgb,
    pub align: Align,
    pub upright: bool,
}

impl Words {
    pub fn new(text: impl Into<String>, at: Point, size: f64, rgb: Rgb) -> Self {
        Self {
            text: text.into(),
            at,
            size,
            weight: Weight::Regular,
            rgb,
            align: Align::Start,
            upright: false,
        }
    }

    pub fn bold(mut self) -> Self {
        self.weight = Weight::Bold;
        self
    }

    pub fn align(mut self, align: Align) -> Self {
        self.align = align;
        self
    }

    pub fn upright(mut self) -> Self {
        self.upright = true;
        self
    }

    /// Sets the words smaller where they would not fit into `room`, down to half their size.
    pub fn fit(mut self, room: f64) -> Self {
        self.size *= (room / self.width().max(1e-9)).clamp(0.5, 1.0);
        self
    }

    pub fn width(&self) -> f64 {
        font::width(&self.text, self.size, self.weight)
    }
}

/// Anything on the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Stroke { points: Vec<Point>, width: f64, ink: Ink },
    Fill { points: Vec<Point>, ink: Ink },
    Rect { rect: Rect, ink: Ink },
    Disc { center: Point, radius: f64, ink: Ink },
    Words(Words),
}

/// All shapes of a figure, back to front.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    pub width: f64,
    pub height: f64,
    pub theme: Theme,
    pub shapes: Vec<Shape>,
}

impl Page {
    pub fn new(width: f64, height: f64, theme: Theme) -> Self {
        Self { width, height, theme, shapes: Vec::new() }
    }

    pub fn palette(&self) -> &'static Palette {
        self.theme.palette()
    }

    pub fn stroke(&mut self, points: Vec<Point>, width: f64, ink: impl Into<Ink>) {
        if points.len() > 1 {
            self.shapes.push(Shape::Stroke { points, width, ink: ink.into() });
        }
    }

    pub fn fill(&mut self, points: Vec<Point>, ink: impl Into<Ink>) {
        if points.len() > 2 {
            self.shapes.push(Shape::Fill { points, ink: ink.into() });
        }
    }

    pub fn rect(&mut self, rect: Rect, ink: impl Into<Ink>) {
        self.shapes.push(Shape::Rect { rect, ink: ink.into() });
    }

    pub fn disc(&mut self, center: Point, radius: f64, ink: impl Into<Ink>) {
        self.shapes.push(Shape::Disc { center, radius, ink: ink.into() });
    }

    pub fn words(&mut self, words: Words) {
        if !words.text.is_empty() {
            self.shapes.push(Shape::Words(words));
        }
    }
}
