//! What can be wrong with a figure, and what is said about it.

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to draw.
    #[error("{what} is empty: a figure needs at least one value there")]
    Empty {
        /// Which part: a panel, a series.
        what: String,
    },
    /// A coordinate is NaN or infinite. Nothing is skipped silently: filter before drawing.
    #[error("{what}, point {index}: {value} is not a finite number")]
    NonFinite {
        /// Which series.
        what: String,
        /// Position in the series, from 0.
        index: usize,
        /// The value met.
        value: f64,
    },
    /// A logarithmic axis met a value at or below zero.
    #[error("{what}, point {index}: {value} cannot stand on a logarithmic axis, which needs values above 0")]
    NotPositive {
        /// Which series.
        what: String,
        /// Position in the series, from 0.
        index: usize,
        /// The value met.
        value: f64,
    },
    /// An axis range is empty, reversed, not finite, or not above zero on a logarithmic axis.
    #[error("axis `{axis}`: the range {low} to {high} is not usable")]
    Range {
        /// Label of the axis.
        axis: String,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A matrix and its axes disagree.
    #[error("{what}: {found} values, expected {expected}")]
    Shape {
        /// Which list.
        what: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// The figure would be larger than 8,192 logical pixels in one direction, or has no room for its panels.
    #[error("a figure of {width} x {height} pixels cannot be drawn; allowed is 320 to 8192")]
    Size {
        /// Width in logical pixels.
        width: u32,
        /// Height in logical pixels.
        height: u32,
    },
    /// The scale of a PNG is not 1 to 4.
    #[error("scale {0} is not one of 1, 2, 3, 4")]
    Magnification(u32),
    /// The bundled font could not be read.
    #[error("the bundled font could not be read")]
    Font,
    /// The drawing backend refused.
    #[error("drawing failed: {0}")]
    Draw(String),
    /// The PNG could not be encoded; a text chunk with an invalid keyword is the usual cause.
    #[error("encoding the PNG failed")]
    Png(#[from] png::EncodingError),
}
