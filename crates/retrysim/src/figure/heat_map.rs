//! A sweep over two parameters.

use super::label::{number, short};
use super::layer::{Heat, Layer};
use super::model::{Axis, Figure, Panel, Scale};

/// What [`heat_map`] draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Name and unit of the parameter across.
    pub x: (String, String),
    /// Name and unit of the parameter upwards.
    pub y: (String, String),
    /// Values of the parameter across.
    pub xs: Vec<f64>,
    /// Values of the parameter upwards.
    pub ys: Vec<f64>,
    /// The measure, `z[row of ys][column of xs]`.
    pub z: Vec<Vec<f64>>,
    /// Name of the measure with its unit, written at the colour bar.
    pub measure: String,
    /// Scale of the colours.
    pub scale: Scale,
}

/// Cells of equal size whatever the steps of the parameters (sweeps are mostly geometric), each with its value
/// where it fits. Colours run from pale to blue on white paper and from blue to pale on dark, so that large values stand out.
///
/// ```
/// # use retrysim::figure;
/// use figure::{heat_map, Scale, Sweep};
///
/// let sweep = Sweep {
///     x: ("base".into(), "ms".into()),
///     y: ("cap".into(), "s".into()),
///     xs: vec![10.0, 100.0],
///     ys: vec![1.0, 10.0],
///     z: vec![vec![3.0, 2.0], vec![2.5, 1.5]],
///     measure: "attempts per call".into(),
///     scale: Scale::Linear,
/// };
/// assert!(heat_map("Base and cap", &sweep).check().is_ok());
/// ```
pub fn heat_map(title: &str, sweep: &Sweep) -> Figure {
    let heat = Heat {
        columns: sweep.xs.len(),
        z: sweep.z.clone(),
        label: sweep.measure.clone(),
        scale: sweep.scale,
    };
    let x = axis(&sweep.x, &sweep.xs);
    let y = axis(&sweep.y, &sweep.ys);
    Figure::new(title, x, y, vec![Panel { layers: vec![Layer::Heat(heat)], ..Panel::default() }])
}

fn axis((label, unit): &(String, String), values: &[f64]) -> Axis {
    let names = values.iter().map(|value| if *value >= 1000.0 { number(*value, 0) } else { short(*value) });
    Axis { unit: unit.clone(), ..Axis::categories(label, names) }
}
