//! From values to positions: the range an axis shows and the map onto the page.

use super::check::{Value, Way, values};
use super::error::Error;
use super::layer::Layer;
use super::model::{Axis, Figure, Scale};

/// A range of values laid onto a range of positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub low: f64,
    pub high: f64,
    pub scale: Scale,
    pub from: f64,
    pub to: f64,
}

impl Span {
    /// Position of a value; on a logarithmic axis values at or below zero land on the low end.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * share(value, self.low, self.high, self.scale)
    }

    /// Whether the value is within the range shown.
    pub fn shows(&self, value: f64) -> bool {
        let slack = (self.high - self.low).abs() * 1e-9;
        value >= self.low - slack && value <= self.high + slack
    }
}

/// Where `value` lies between `low` (0) and `high` (1).
pub(super) fn share(value: f64, low: f64, high: f64, scale: Scale) -> f64 {
    match scale {
        Scale::Linear => (value - low) / (high - low),
        Scale::Log10 if value <= 0.0 => 0.0,
        Scale::Log10 => (libm::log10(value) - libm::log10(low)) / (libm::log10(high) - libm::log10(low)),
    }
}

/// The range an axis shows: the one asked for, or the data with a little air.
pub(super) fn range(figure: &Figure, way: Way) -> Result<(f64, f64), Error> {
    let axis = if way == Way::X { &figure.x } else { &figure.y };
    let (low, high) = axis.range.unwrap_or_else(|| fitted(figure, way, axis));
    let usable =
        low.is_finite() && high.is_finite() && low < high && (axis.scale == Scale::Linear || low > 0.0);
    if usable { Ok((low, high)) } else { Err(Error::Range { axis: axis.label.clone(), low, high }) }
}

fn fitted(figure: &Figure, way: Way, axis: &Axis) -> (f64, f64) {
    let layers: Vec<&Layer> = figure.panels.iter().flat_map(|panel| &panel.layers).collect();
    let shown = layers.iter().flat_map(|layer| values(layer)).filter(|value| value.way == way);
    let (low, high) = bounds(shown, axis.scale);
    let bars = way == Way::X && layers.iter().any(|layer| matches!(layer, Layer::Bars { .. }));
    let edge_to_edge = way == Way::X && layers.iter().any(|layer| matches!(layer, Layer::Steps { .. }));
    match axis.scale {
        _ if edge_to_edge && low < high => (low, high),
        Scale::Log10 => airy_log(low, high, bars),
        Scale::Linear => airy(low, high, way, bars),
    }
}

fn bounds(values: impl Iterator<Item = Value>, scale: Scale) -> (f64, f64) {
    values
        .map(|value| value.number)
        .filter(|number| scale == Scale::Linear || *number > 0.0)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)))
}

/// Air of 4 % (14 % behind bars, for their numbers), from zero when the data comes near to it.
fn airy(low: f64, high: f64, way: Way, bars: bool) -> (f64, f64) {
    let width = if high > low { high - low } else { high.abs().max(1.0) };
    let near_zero = low >= 0.0 && low <= 0.35 * high;
    let bottom = match low {
        _ if near_zero || (low == 0.0 && high == 0.0) => 0.0,
        _ if bars && low < 0.0 => low - 0.14 * width,
        _ => low - 0.04 * width,
    };
    let top_air = if bars && high > 0.0 {
        0.14
    } else if way == Way::X {
        0.02
    } else {
        0.05
    };
    (bottom, high + top_air * width)
}

fn airy_log(low: f64, high: f64, bars: bool) -> (f64, f64) {
    let ratio = if high > low { (high / low).min(1e30) } else { 10.0 };
    let air = libm::pow(ratio, 0.03);
    (low / air, high * if bars { libm::pow(ratio, 0.14) } else { air })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_span_maps_equal_ratios_to_equal_steps() {
        let span = Span { low: 1.0, high: 100.0, scale: Scale::Log10, from: 0.0, to: 200.0 };
        assert!((span.at(10.0) - 100.0).abs() < 1e-9);
        assert_eq!(span.at(0.0), 0.0);
    }

    #[test]
    fn data_near_zero_starts_at_zero() {
        assert_eq!(airy(3.0, 100.0, Way::Y, false).0, 0.0);
        assert!(airy(90.0, 100.0, Way::Y, false).0 > 80.0);
        assert_eq!(airy(0.0, 0.0, Way::Y, false), (0.0, 0.05));
    }
}
