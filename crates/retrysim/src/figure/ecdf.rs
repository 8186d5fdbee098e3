//! Empirical distribution functions with their Dvoretzky-Kiefer-Wolfowitz band.

use super::layer::Layer;
use super::model::{Axis, Figure, Panel};

/// A sample of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Policy or series: decides label and colour.
    pub name: String,
    /// The values, in any order, in the unit of the x axis.
    pub values: Vec<f64>,
}

/// Steps kept a sample; more would not be seen.
const STEPS: usize = 600;

/// `F(x) = share of values <= x` by sample, with the band `F(x) +- sqrt(ln(2 / alpha) / (2 n))`, alpha = 1 -
/// `confidence`: with that confidence the whole true curve lies inside (DKW inequality with Massart's constant,
/// 1990). Samples of more than 600 values are drawn at 600 even ranks.
///
/// ```
/// # use retrysim::figure;
/// use figure::{ecdf, Axis, Sample};
///
/// let sample = Sample { name: "full".into(), values: vec![0.2, 0.9, 0.4] };
/// assert_eq!(ecdf("Time to success", Axis::linear("time", "s"), 0.95, &[sample]).panels[0].layers.len(), 2);
/// ```
pub fn ecdf(title: &str, x: Axis, confidence: f64, samples: &[Sample]) -> Figure {
    let ribbons = samples.iter().map(|sample| ribbon(sample, confidence));
    let lines = samples.iter().map(|sample| {
        let points = staircase(&sample.values);
        Layer::Line { name: sample.name.clone(), points, dashed: false, marked: false }
    });
    let layers = ribbons.chain(lines).collect();
    let panel = Panel { layers, ..Panel::default() };
    Figure::new(title, x, Axis::linear("share of values up to x", "").between(0.0, 1.0), vec![panel])
}

/// Half the height of the band.
pub(super) fn half_width(n: usize, confidence: f64) -> f64 {
    (libm::log(2.0 / (1.0 - confidence)) / (2.0 * n.max(1) as f64)).sqrt()
}

fn ribbon(sample: &Sample, confidence: f64) -> Layer {
    let half = half_width(sample.values.len(), confidence);
    let bounds = |&(x, f): &(f64, f64)| (x, (f - half).max(0.0), (f + half).min(1.0));
    Layer::Ribbon {
        name: sample.name.clone(),
        points: staircase(&sample.values).iter().map(bounds).collect(),
    }
}

/// Corners of the step function: before and after each kept value.
fn staircase(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let kept = n.min(STEPS);
    let ranks = (1..=kept).map(|k| k * n / kept);
    let mut below = 0.0;
    let corners = ranks.flat_map(|rank| {
        let (x, before) = (sorted[rank - 1], below);
        below = rank as f64 / n as f64;
        [(x, before), (x, below)]
    });
    corners.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_staircase_climbs_from_zero_to_one() {
        assert_eq!(staircase(&[2.0, 1.0]), [(1.0, 0.0), (1.0, 0.5), (2.0, 0.5), (2.0, 1.0)]);
        let many: Vec<f64> = (0..10_000).map(f64::from).collect();
        assert_eq!(staircase(&many).last(), Some(&(9999.0, 1.0)));
        assert!(staircase(&[]).is_empty());
    }

    #[test]
    fn the_band_follows_the_inequality() {
        assert!((half_width(100, 0.95) - 0.135_81).abs() < 1e-5);
    }
}
