//! One quantity over another, several series, with intervals.

use super::layer::Layer;
use super::model::{Axis, Figure, Panel};

/// A series.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Policy or series: decides label, colour, dash and marker.
    pub name: String,
    /// Points by rising x.
    pub points: Vec<(f64, f64)>,
    /// Interval around the curve as `(x, low, high)`; empty for none.
    pub band: Vec<(f64, f64, f64)>,
    /// Dashed whatever the name says, for theory.
    pub dashed: bool,
}

impl Curve {
    /// A curve without interval.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, band: Vec::new(), dashed: false }
    }

    /// Adds an interval.
    pub fn band(mut self, band: Vec<(f64, f64, f64)>) -> Self {
        self.band = band;
        self
    }

    /// Draws it dashed.
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }
}

/// Series over a shared axis; each point gets its marker when a series has at most 25 of them. Ribbons lie
/// below all lines.
///
/// ```
/// # use retrysim::figure;
/// use figure::{curves, Axis, Curve};
///
/// let curve = Curve::line("full", vec![(10.0, 21.0), (100.0, 796.0)]);
/// let figure = curves("Calls", Axis::log("clients", ""), Axis::log("calls", ""), vec![curve]);
/// assert!(figure.check().is_ok());
/// ```
pub fn curves(title: &str, x: Axis, y: Axis, curves: Vec<Curve>) -> Figure {
    let ribbons = curves
        .iter()
        .filter(|curve| !curve.band.is_empty())
        .map(|curve| Layer::Ribbon { name: curve.name.clone(), points: curve.band.clone() });
    let ribbons: Vec<Layer> = ribbons.collect();
    let lines = curves.into_iter().map(|curve| Layer::Line {
        marked: curve.points.len() <= 25 && !curve.dashed,
        name: curve.name,
        points: curve.points,
        dashed: curve.dashed,
    });
    let panel = Panel { layers: ribbons.into_iter().chain(lines).collect(), ..Panel::default() };
    Figure::new(title, x, y, vec![panel])
}
