//! The fingerprint of a policy: how its delay is distributed, retry by retry.

use super::layer::Layer;
use super::model::{Axis, Figure, Panel, Ticks};

/// The delay before one retry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RetryDelay {
    /// Retry number, from 1.
    pub retry: u32,
    /// Delay in seconds and density there, by rising delay; empty when the delay is certain.
    pub density: Vec<(f64, f64)>,
    /// Delays that come with a probability of their own, such as the cap: `(delay in seconds, share in 0..1)`.
    pub masses: Vec<(f64, f64)>,
}

/// The delays of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Fingerprint {
    /// Policy name: decides heading and colour.
    pub policy: String,
    /// One row each, retry 1 at the top.
    pub retries: Vec<RetryDelay>,
}

/// A row a retry, a panel a policy: the filled ridge is the density of the delay, scaled within its row to the
/// same greatest height (a delay spread over twice the width would otherwise be half as high); a stem with a
/// head is a point mass, its height the share, a full row's 0.8 meaning certainty. Give the x axis in seconds,
/// linear or logarithmic.
///
/// ```
/// # use retrysim::figure;
/// use figure::{fingerprint, Axis, Fingerprint, RetryDelay};
///
/// let first = RetryDelay { retry: 1, density: vec![(0.0, 1.0), (1.0, 1.0)], masses: vec![] };
/// let full = Fingerprint { policy: "full".into(), retries: vec![first] };
/// assert!(fingerprint("Delays", Axis::linear("delay", "s"), &[full]).check().is_ok());
/// ```
pub fn fingerprint(title: &str, x: Axis, policies: &[Fingerprint]) -> Figure {
    let numbers: Vec<u32> = {
        let all = policies.iter().flat_map(|policy| &policy.retries).map(|row| row.retry);
        all.collect::<std::collections::BTreeSet<_>>().into_iter().rev().collect()
    };
    let row_of = |retry: u32| numbers.iter().position(|number| *number == retry).unwrap_or(0) as f64;
    let panels = policies.iter().map(|policy| panel(policy, row_of)).collect::<Vec<_>>();
    let named = numbers.iter().map(|number| (row_of(*number) + 0.25, number.to_string())).collect();
    let y = Axis { ticks: Ticks::Named(named), ..Axis::linear("retry number", "") };
    let columns = if panels.len() > 1 { 2 } else { 1 };
    let mut figure = Figure::new(title, x, y.between(0.0, numbers.len().max(1) as f64), panels);
    figure.legend.clear();
    figure.columns(columns)
}

fn panel(policy: &Fingerprint, row_of: impl Fn(u32) -> f64) -> Panel {
    let layers = policy.retries.iter().flat_map(|retry| row(&policy.policy, retry, row_of(retry.retry)));
    Panel { title: policy.policy.clone(), remark: String::new(), layers: layers.collect() }
}

fn row(name: &str, retry: &RetryDelay, row: f64) -> Vec<Layer> {
    let mut layers = Vec::new();
    if !retry.density.is_empty() {
        let tallest = retry.density.iter().map(|point| point.1).fold(0.0, f64::max);
        let points = retry.density.iter().map(|&(x, density)| (x, density / tallest)).collect();
        layers.push(Layer::Ridge { name: name.to_owned(), points, row });
    }
    if !retry.masses.is_empty() {
        layers.push(Layer::Mass { name: name.to_owned(), points: retry.masses.clone(), row });
    }
    layers
}
