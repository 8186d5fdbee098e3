//! Quantile dots: a distribution as equally likely coins that can be counted.

use super::ecdf::Sample;
use super::label::label_of;
use super::layer::Layer;
use super::model::{Axis, Figure, Panel};

/// One row a policy, from top to bottom. Each row shows `dots` quantiles `(i - 1/2) / dots` of its sample
/// (linear interpolation), so that every dot stands for a share of 1 / `dots` (Kay and others 2016; 20 or 50
/// read well): "3 of 20 dots lie beyond 10 s" is a chance of 15 %.
///
/// ```
/// # use retrysim::figure;
/// use figure::{quantile_dots, Axis, Sample};
///
/// let sample = Sample { name: "full".into(), values: vec![1.0, 2.0, 4.0] };
/// assert_eq!(quantile_dots("Recovery", Axis::linear("time", "s"), 20, &[sample]).panels.len(), 1);
/// ```
pub fn quantile_dots(title: &str, x: Axis, dots: usize, samples: &[Sample]) -> Figure {
    let layers = samples.iter().rev().enumerate().map(|(row, sample)| Layer::Dots {
        name: sample.name.clone(),
        values: quantiles(&sample.values, dots),
        row: row as f64,
    });
    let panel = Panel { layers: layers.collect(), ..Panel::default() };
    let names = samples.iter().rev().map(|sample| label_of(&sample.name));
    let named = names.enumerate().map(|(row, name)| (row as f64 + 0.3, name)).collect();
    let y = Axis { ticks: super::model::Ticks::Named(named), ..Axis::default() };
    Figure::new(title, x, y.between(0.0, samples.len().max(1) as f64), vec![panel])
}

fn quantiles(values: &[f64], dots: usize) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return Vec::new();
    };
    (0..dots)
        .map(|i| (i as f64 + 0.5) / dots as f64 * last as f64)
        .map(|place| {
            let low = place.floor() as usize;
            sorted[low] + (sorted[(low + 1).min(last)] - sorted[low]) * place.fract()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_even() {
        assert_eq!(quantiles(&[0.0, 10.0], 5), [1.0, 3.0, 5.0, 7.0, 9.0]);
        assert_eq!(quantiles(&[7.0], 2), [7.0, 7.0]);
        assert!(quantiles(&[], 5).is_empty());
    }
}
