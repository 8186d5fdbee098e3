//! The layers of a panel as values.

use super::model::Scale;

/// A bar or a dot with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Category, usually a policy name: it decides label and colour.
    pub category: String,
    /// The estimate.
    pub value: f64,
    /// Interval around the estimate.
    pub interval: Option<(f64, f64)>,
}

impl Bar {
    /// A bar with an interval from `low` to `high`.
    pub fn new(category: impl Into<String>, value: f64, low: f64, high: f64) -> Self {
        Self { category: category.into(), value, interval: Some((low, high)) }
    }
}

/// A matrix of values over two swept parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Number of columns; cell `i` is centred at x = i.
    pub columns: usize,
    /// Values by row, `z[row][column]`; row `j` is centred at y = j, bottom to top.
    pub z: Vec<Vec<f64>>,
    /// Label of the colour bar, with unit.
    pub label: String,
    /// Scale of the colours.
    pub scale: Scale,
}

/// Something drawn in a panel. Layers are drawn in order, the first at the back.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// A line through points `(x, y)`; the name gives colour and dash, `dashed` forces a dash.
    Line {
        /// Policy or series.
        name: String,
        /// Points in drawing order.
        points: Vec<(f64, f64)>,
        /// Dashed whatever the style of the name says, for theory and references.
        dashed: bool,
        /// Whether each point also gets the marker of the name.
        marked: bool,
    },
    /// A translucent band between two lines, `(x, low, high)`.
    Ribbon {
        /// Policy or series.
        name: String,
        /// Points by rising x. On a logarithmic axis a bound at or below zero is cut off at the frame.
        points: Vec<(f64, f64, f64)>,
    },
    /// Counts by bin as a filled step line from zero.
    Steps {
        /// Policy or series.
        name: String,
        /// Left edge of each bin and its value, by rising x.
        bins: Vec<(f64, f64)>,
        /// Width of a bin.
        width: f64,
    },
    /// A scatter of markers.
    Points {
        /// Policy or series.
        name: String,
        /// Positions.
        points: Vec<(f64, f64)>,
        /// Diameter in logical pixels.
        size: f64,
    },
    /// Horizontal bars at y = 0, 1, 2, ... (dots on a logarithmic axis, which has no zero to start from).
    Bars {
        /// The bars, bottom to top.
        bars: Vec<Bar>,
    },
    /// A grey band over the whole height, such as an outage.
    Band {
        /// Left edge.
        x0: f64,
        /// Right edge.
        x1: f64,
        /// Words for the legend.
        label: String,
    },
    /// A reference line across, such as a capacity.
    HLine {
        /// Its height.
        y: f64,
        /// Words for the legend.
        label: String,
    },
    /// A reference line upright.
    VLine {
        /// Its position.
        x: f64,
        /// Words for the legend.
        label: String,
    },
    /// Quantile dots: equally likely values stacked like coins on the line y = row.
    Dots {
        /// Policy or series.
        name: String,
        /// The values; each dot stands for a share of 1 / number of dots.
        values: Vec<f64>,
        /// Height of the base line; the stack reaches at most 0.8 above it.
        row: f64,
    },
    /// A density standing on the line y = row: `(x, height)` with heights in 0..1, drawn 0.8 x height tall.
    Ridge {
        /// Policy or series.
        name: String,
        /// Outline by rising x.
        points: Vec<(f64, f64)>,
        /// Height of the base line.
        row: f64,
    },
    /// Point masses `(x, share)` on the line y = row, drawn as stems of height 0.8 x share.
    Mass {
        /// Policy or series.
        name: String,
        /// Positions and shares in 0..1.
        points: Vec<(f64, f64)>,
        /// Height of the base line.
        row: f64,
    },
    /// Coloured cells with a colour bar; at most one a figure has a bar.
    Heat(Heat),
}

impl Layer {
    /// The policy or series that it shows, if it is one.
    pub(super) fn series(&self) -> Option<&str> {
        match self {
            Self::Line { name, .. }
            | Self::Ribbon { name, .. }
            | Self::Steps { name, .. }
            | Self::Points { name, .. }
            | Self::Dots { name, .. }
            | Self::Ridge { name, .. }
            | Self::Mass { name, .. } => Some(name),
            Self::Bars { .. }
            | Self::Band { .. }
            | Self::HLine { .. }
            | Self::VLine { .. }
            | Self::Heat(_) => None,
        }
    }
}
