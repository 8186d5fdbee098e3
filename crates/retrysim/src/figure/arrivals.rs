//! Arrivals over time, a panel a policy: what the server sees during and after an outage.

use super::label::short;
use super::layer::Layer;
use super::model::{Axis, Figure, Panel};

/// The arrivals of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyArrivals {
    /// Policy name: decides heading and colour.
    pub policy: String,
    /// Arrivals in each bin, from time 0.
    pub bins: Vec<f64>,
}

/// What [`arrivals`] draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrivals {
    /// Width of a bin in seconds.
    pub bin_s: f64,
    /// Start and end of the outage in seconds, drawn as a grey band.
    pub outage_s: Option<(f64, f64)>,
    /// Capacity in arrivals a second, drawn as a dashed line.
    pub capacity_per_s: Option<f64>,
    /// One panel each, from top to bottom.
    pub policies: Vec<PolicyArrivals>,
}

/// Small multiples by policy: x is time in seconds, y the rate `arrivals in the bin / bin width` in arrivals a
/// second. All panels share both axes; each names its peak. More than four policies stand in two columns.
///
/// ```
/// # use retrysim::figure;
/// use figure::{arrivals, Arrivals, PolicyArrivals};
///
/// let full = PolicyArrivals { policy: "full".into(), bins: vec![1000.0, 0.0, 420.0, 310.0, 90.0] };
/// let data = Arrivals { bin_s: 0.1, outage_s: Some((0.0, 0.1)), capacity_per_s: Some(500.0), policies: vec![full] };
/// assert_eq!(arrivals("A herd of 1,000 clients", &data).panels[0].remark, "peak 10,000 per s");
/// ```
pub fn arrivals(title: &str, data: &Arrivals) -> Figure {
    let panels = data.policies.iter().map(|policy| panel(data, policy)).collect::<Vec<_>>();
    let columns = if panels.len() > 4 { 2 } else { 1 };
    let mut figure = Figure::new(title, Axis::linear("time", "s"), Axis::linear("arrivals", "per s"), panels);
    // The headings name the policies; the legend keeps the references.
    figure.legend.retain(|key| data.policies.iter().all(|policy| policy.policy != key.name));
    figure.columns(columns)
}

fn panel(data: &Arrivals, policy: &PolicyArrivals) -> Panel {
    let rates = policy.bins.iter().map(|count| count / data.bin_s);
    let bins: Vec<(f64, f64)> = rates.enumerate().map(|(i, rate)| (i as f64 * data.bin_s, rate)).collect();
    let peak = bins.iter().map(|bin| bin.1).fold(0.0, f64::max);
    let outage = data.outage_s.map(|(x0, x1)| Layer::Band { x0, x1, label: outage_label(x0, x1) });
    let steps = Layer::Steps { name: policy.policy.clone(), bins, width: data.bin_s };
    let capacity = data.capacity_per_s.map(|y| Layer::HLine { y, label: capacity_label(y) });
    Panel {
        title: policy.policy.clone(),
        remark: format!("peak {} per s", short(peak)),
        layers: outage.into_iter().chain([steps]).chain(capacity).collect(),
    }
}

/// `outage, 0 to 1 s`.
pub(super) fn outage_label(x0: f64, x1: f64) -> String {
    lasting("outage", x0, x1)
}

/// `brown-out, 0 to 1 s`.
pub(crate) fn lasting(what: &str, x0: f64, x1: f64) -> String {
    format!("{what}, {} to {} s", short(x0), short(x1))
}

/// `capacity 500 per s`.
pub(crate) fn capacity_label(per_s: f64) -> String {
    format!("capacity {} per s", short(per_s))
}
