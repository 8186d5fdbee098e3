//! Figures as plain values, drawn to PNG or SVG.
//!
//! A [`Figure`] says what is to be seen: a title, two axes, panels made of layers. One constructor a kind
//! of figure ([`arrivals`], [`waits`], [`ecdf`], [`quantile_dots`], [`bars`], [`curves`], [`levels`],
//! [`heat_map`], [`fingerprint`]) turns small structs into it; [`Figure::to_png`] and [`Figure::to_svg`]
//! draw it. No clock, no randomness, no system fonts: the same figure gives the same bytes.
//!
//! The way from a value to a file:
//!
//! ```text
//! Figure --check--> layout (rectangles) --draw--> Page (a list of shapes) --paint--> plotters --> PNG | SVG
//! ```
//!
//! Colours belong to policies, not to figures: [`color_of`] gives `full` the same blue everywhere, and a dash
//! and a marker go with it, so that colour is never the only carrier.
//!
//! ```
//! # use retrysim::figure;
//! use figure::{curves, Axis, Curve, Theme};
//!
//! let calls = Curve::line("full", vec![(10.0, 21.0), (100.0, 796.0), (190.0, 2380.0)]);
//! let x = Axis::log("clients", "");
//! let y = Axis::log("calls", "");
//! let svg = curves("Calls until everyone has written", x, y, vec![calls]).to_svg(Theme::Light)?;
//! assert!(svg.contains("full jitter"));
//! # Ok::<(), figure::Error>(())
//! ```

mod arrivals;
mod bars;
mod check;
mod curves;
mod draw;
mod ecdf;
mod error;
mod export;
mod fingerprint;
mod font;
mod frame;
mod heat;
mod heat_map;
mod label;
mod layer;
mod layers;
mod layout;
mod legend;
mod levels;
mod marks;
mod model;
mod outline;
mod page;
mod paint;
mod quantile_dots;
mod raster;
mod rows;
mod scale;
mod style;
mod theme;
mod ticks;
mod waits;

#[cfg(test)]
mod test_figures;
#[cfg(test)]
mod test_refusals;
#[cfg(test)]
mod tests;

pub use arrivals::{Arrivals, PolicyArrivals, arrivals};
pub(crate) use arrivals::{capacity_label, lasting};
pub use bars::bars;
pub use curves::{Curve, curves};
pub use ecdf::{Sample, ecdf};
pub use error::Error;
pub use fingerprint::{Fingerprint, RetryDelay, fingerprint};
pub use heat_map::{Sweep, heat_map};
pub(crate) use label::grouped as group_digits;
pub use label::label_of;
pub use layer::{Bar, Heat, Layer};
pub use levels::{Level, Levels, levels};
pub use model::{Axis, Figure, Key, Mark, Panel, Scale, Ticks};
pub use quantile_dots::quantile_dots;
pub use style::{Dash, Marker, Style, color_of, style_of};
pub use theme::{Rgb, Theme};
pub use waits::{Waits, waits};
