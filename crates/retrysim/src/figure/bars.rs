//! One number a policy with its interval.

use super::label::label_of;
use super::layer::{Bar, Layer};
use super::model::{Axis, Figure, Panel};

/// Horizontal bars from top to bottom in the given order; the whisker is the interval, the number behind it the
/// estimate. On a logarithmic axis, which has no zero for a bar to start from, dots with whiskers.
///
/// ```
/// # use retrysim::figure;
/// use figure::{bars, Axis, Bar};
///
/// let figure = bars("Attempts per call", Axis::linear("amplification", ""), &[Bar::new("full", 2.1, 2.0, 2.2)]);
/// assert!(figure.check().is_ok());
/// ```
pub fn bars(title: &str, x: Axis, bars: &[Bar]) -> Figure {
    let bars: Vec<Bar> = bars.iter().rev().cloned().collect();
    let y = Axis::categories("", bars.iter().map(|bar| label_of(&bar.category)));
    let height = (210 + 46 * bars.len() as u32).clamp(380, 8192);
    let panel = Panel { layers: vec![Layer::Bars { bars }], ..Panel::default() };
    let figure = Figure::new(title, x, y, vec![panel]);
    let width = figure.width;
    figure.size(width, height)
}
