//! The door: every number of a figure is looked at once, before anything is drawn.

use super::error::Error;
use super::layer::{Heat, Layer};
use super::model::{Figure, Scale};

/// Which axis a value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    X,
    Y,
}

/// A number of a layer. `cut` says that a logarithmic axis may cut it off at the frame (the foot of a bar, the
/// lower bound of a ribbon) instead of refusing it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub way: Way,
    pub number: f64,
    pub index: usize,
    pub cut: bool,
}

impl Figure {
    /// Refuses what cannot be drawn: no panels, empty series, NaN or infinite numbers, values at or below zero
    /// on a logarithmic axis, ragged matrices, impossible sizes. Called by [`Figure::to_png`] and
    /// [`Figure::to_svg`].
    pub fn check(&self) -> Result<(), Error> {
        if self.panels.is_empty() {
            return Err(empty(&format!("figure `{}`", self.title)));
        }
        let height = self.height.unwrap_or(560);
        if !(320..=8192).contains(&self.width) || !(320..=8192).contains(&height) {
            return Err(Error::Size { width: self.width, height });
        }
        self.panels.iter().enumerate().try_for_each(|(i, panel)| {
            if !panel.layers.iter().any(holds_data) {
                return Err(empty(&format!("panel {i} `{}`", panel.title)));
            }
            panel.layers.iter().try_for_each(|layer| self.check_layer(layer))
        })
    }

    fn check_layer(&self, layer: &Layer) -> Result<(), Error> {
        if let Layer::Heat(heat) = layer {
            check_matrix(heat)?;
        }
        let found = values(layer);
        if found.is_empty() {
            return Err(empty(&what(layer)));
        }
        found.into_iter().try_for_each(|value| self.check_value(layer, value))
    }

    fn check_value(&self, layer: &Layer, value: Value) -> Result<(), Error> {
        let Value { way, number, index, cut } = value;
        let scale = if way == Way::X { self.x.scale } else { self.y.scale };
        if !number.is_finite() {
            return Err(Error::NonFinite { what: what(layer), index, value: number });
        }
        if scale == Scale::Log10 && number <= 0.0 && !cut {
            return Err(Error::NotPositive { what: what(layer), index, value: number });
        }
        Ok(())
    }
}

fn empty(what: &str) -> Error {
    Error::Empty { what: what.to_owned() }
}

fn holds_data(layer: &Layer) -> bool {
    !matches!(layer, Layer::Band { .. } | Layer::HLine { .. } | Layer::VLine { .. })
}

fn check_matrix(heat: &Heat) -> Result<(), Error> {
    let what = format!("heat `{}`", heat.label);
    if heat.z.is_empty() || heat.columns == 0 {
        return Err(empty(&what));
    }
    for (j, row) in heat.z.iter().enumerate() {
        if row.len() != heat.columns {
            return Err(Error::Shape {
                what: format!("{what}, row {j}"),
                found: row.len(),
                expected: heat.columns,
            });
        }
        for (index, &value) in row.iter().enumerate() {
            if !value.is_finite() {
                return Err(Error::NonFinite { what: format!("{what}, row {j}"), index, value });
            }
            if heat.scale == Scale::Log10 && value <= 0.0 {
                return Err(Error::NotPositive { what: format!("{what}, row {j}"), index, value });
            }
        }
    }
    Ok(())
}

/// A layer in words.
fn what(layer: &Layer) -> String {
    match layer {
        Layer::Line { name, .. } => format!("line `{name}`"),
        Layer::Ribbon { name, .. } => format!("ribbon `{name}`"),
        Layer::Steps { name, .. } => format!("steps `{name}`"),
        Layer::Points { name, .. } => format!("points `{name}`"),
        Layer::Dots { name, .. } => format!("dots `{name}`"),
        Layer::Ridge { name, .. } => format!("ridge `{name}`"),
        Layer::Mass { name, .. } => format!("point masses `{name}`"),
        Layer::Bars { .. } => "bars".to_owned(),
        Layer::Heat(heat) => format!("heat `{}`", heat.label),
        Layer::Band { label, .. } | Layer::HLine { label, .. } | Layer::VLine { label, .. } => {
            format!("reference `{label}`")
        }
    }
}

/// Every number of a layer that has a place on an axis.
pub(super) fn values(layer: &Layer) -> Vec<Value> {
    let x = |index, number| Value { way: Way::X, number, index, cut: false };
    let y = |index, number| Value { way: Way::Y, number, index, cut: false };
    let cut = |value: Value| Value { cut: true, ..value };
    match layer {
        Layer::Line { points, .. } | Layer::Points { points, .. } => {
            each(points, |i, &(a, b)| vec![x(i, a), y(i, b)])
        }
        Layer::Ribbon { points, .. } => {
            each(points, |i, &(a, low, high)| vec![x(i, a), cut(y(i, low)), cut(y(i, high))])
        }
        Layer::Steps { bins, width, .. } => {
            each(bins, |i, &(a, b)| vec![x(i, a), cut(x(i, a + width)), cut(y(i, b)), cut(y(i, 0.0))])
        }
        Layer::Bars { bars } => each(bars, |i, bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            let place = [y(i, i as f64 - 0.5), y(i, i as f64 + 0.5)];
            [vec![x(i, bar.value), cut(x(i, low)), cut(x(i, high)), cut(x(i, 0.0))], place.to_vec()].concat()
        }),
        Layer::Band { x0, x1, .. } => vec![cut(x(0, *x0)), cut(x(0, *x1))],
        Layer::HLine { y: at, .. } => vec![y(0, *at)],
        Layer::VLine { x: at, .. } => vec![x(0, *at)],
        Layer::Dots { values, row, .. } => each(values, |i, &a| vec![x(i, a), y(i, *row), y(i, row + 0.8)]),
        Layer::Mass { points, row, .. } | Layer::Ridge { points, row, .. } => {
            each(points, |i, &(a, share)| vec![x(i, a), y(i, *row), y(i, row + 0.8 * share)])
        }
        Layer::Heat(heat) => {
            vec![x(0, -0.5), x(0, heat.columns as f64 - 0.5), y(0, -0.5), y(0, heat.z.len() as f64 - 0.5)]
        }
    }
}

fn each<T>(items: &[T], numbers: impl Fn(usize, &T) -> Vec<Value>) -> Vec<Value> {
    items.iter().enumerate().flat_map(|(i, item)| numbers(i, item)).collect()
}
