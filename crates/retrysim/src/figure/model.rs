//! The figure as a value: axes, panels, legend.

use super::layer::Layer;

/// How numbers become positions on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios; values must be above zero.
    Log10,
}

/// Where the ticks of an axis come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Ticks {
    /// Round numbers: steps of 1, 2, 5 times a power of ten.
    #[default]
    Auto,
    /// Given positions with given words: categories, retry numbers.
    Named(Vec<(f64, String)>),
}

/// One axis, shared by all panels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What is measured.
    pub label: String,
    /// Its unit, printed as `label (unit)`; empty for pure numbers.
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// First and last value shown; `None` takes them from the data. Data outside is cut off at the frame.
    pub range: Option<(f64, f64)>,
    /// Round numbers or names.
    pub ticks: Ticks,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), ..Self::default() }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { scale: Scale::Log10, ..Self::linear(label, unit) }
    }

    /// An axis of categories at 0, 1, 2, ...
    pub fn categories<S: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = S>) -> Self {
        let named: Vec<_> = names.into_iter().enumerate().map(|(i, name)| (i as f64, name.into())).collect();
        let last = named.len().max(1) as f64 - 0.5;
        Self { ticks: Ticks::Named(named), ..Self::linear(label, "") }.between(-0.5, last)
    }

    /// Shows exactly this range.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The axis title: `time (s)`, or the label alone.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.label.clone() } else { format!("{} ({})", self.label, self.unit) }
    }
}

/// One small multiple.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Panel {
    /// Heading, usually a policy name; empty for none.
    pub title: String,
    /// A short remark at the right end of the heading, such as `peak 583`.
    pub remark: String,
    /// What is drawn.
    pub layers: Vec<Layer>,
}

/// What a legend entry shows beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Line with the dash of the name.
    Line,
    /// Line with the dash and the marker of the name.
    MarkedLine,
    /// Dashed line in the colour of the name.
    DashedLine,
    /// Filled patch.
    Area,
    /// Marker of the name.
    Point,
    /// Grey patch.
    Band,
    /// Reference line.
    Reference,
}

/// One legend entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Policy, series or reference label.
    pub name: String,
    /// How it looks.
    pub mark: Mark,
}

/// A figure: a plain value, drawn by [`Figure::to_png`] and [`Figure::to_svg`].
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Heading; wraps when long.
    pub title: String,
    /// Second line: what is compared, under which conditions.
    pub subtitle: Option<String>,
    /// Small print below: n, interval, seed.
    pub note: Option<String>,
    /// Horizontal axis of all panels.
    pub x: Axis,
    /// Vertical axis of all panels.
    pub y: Axis,
    /// Small multiples, filled row by row.
    pub panels: Vec<Panel>,
    /// Panels side by side.
    pub columns: usize,
    /// Legend entries, beside a single panel and below several.
    pub legend: Vec<Key>,
    /// Width in logical pixels.
    pub width: u32,
    /// Height in logical pixels; `None` lets it grow with the panels from 560.
    pub height: Option<u32>,
}

impl Figure {
    /// A figure with these panels, one column, and a legend made from its layers.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, panels: Vec<Panel>) -> Self {
        let legend = super::legend::keys(&panels);
        Self {
            title: title.into(),
            subtitle: None,
            note: None,
            x,
            y,
            panels,
            columns: 1,
            legend,
            width: 900,
            height: None,
        }
    }

    /// Adds the second line.
    pub fn subtitle(mut self, text: impl Into<String>) -> Self {
        self.subtitle = Some(text.into());
        self
    }

    /// Adds the small print.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = Some(text.into());
        self
    }

    /// Sets the panels side by side.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// Sets the size in logical pixels.
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.width = width;
        self.height = Some(height);
        self
    }
}
