//! A metric over the parameters of a sweep.

use retrysim_core::stats;
use toml::Value;

use super::{CONFIDENCE, metric_axis};
use crate::{
    error::Error,
    figure::{self, Axis, Curve, Figure, Scale},
    sweep::{Sweep, as_number},
};

/// The one or two parameters of a sweep, as numbers by point.
fn parameters(sweep: &Sweep, wanted: usize) -> Result<Vec<(String, Vec<f64>)>, Error> {
    let first = &sweep.points[0].values;
    let refuse = |allowed: String| Error::Core(retrysim_core::Error::invalid("vary", first.len(), allowed));
    if first.len() != wanted {
        return Err(refuse(format!("a sweep over {wanted} parameters for this figure")));
    }
    let numbers = |path: &String| -> Result<(String, Vec<f64>), Error> {
        let all = sweep.points.iter().map(|point| point.values.get(path).and_then(as_number));
        let all: Option<Vec<f64>> = all.collect();
        Ok((path.clone(), all.ok_or_else(|| refuse(format!("numbers or durations for {path}")))?))
    };
    first.keys().map(numbers).collect()
}

/// The last part of a dotted path, and its unit if its values are durations.
fn parameter_axis(sweep: &Sweep, path: &str) -> (String, String) {
    let name = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
    let is_span = matches!(sweep.points[0].values.get(path), Some(Value::String(_)));
    (name, if is_span { "s".into() } else { String::new() })
}

/// Whether numbers want a logarithmic axis: all above zero and more than a decade apart.
fn wants_log(numbers: impl Iterator<Item = f64> + Clone) -> bool {
    let (low, high) = numbers.fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    low > 0.0 && high > 10.0 * low
}

/// Mean of a metric against the parameter of a sweep, a line a policy, with 95 % ribbons.
///
/// ```
/// let curves = retrysim::experiment::contention_curves(&[5, 10, 20], 20)?;
/// assert!(retrysim::picture::curves(&curves, "attempts", "Calls")?.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a metric that isn't there or a sweep over anything but one numeric parameter.
pub fn curves(sweep: &Sweep, metric: &str, title: &str) -> Result<Figure, Error> {
    let (path, xs) = parameters(sweep, 1)?.remove(0);
    let mut lines = Vec::new();
    for policy in &sweep.points[0].simulation.runs.policies {
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for (x, point) in xs.iter().zip(&sweep.points) {
            let mean = stats::mean(&stats::sorted(&point.simulation.metric(policy, metric)?), CONFIDENCE);
            if !mean.value.is_nan() {
                points.push((*x, mean.value));
            }
            if !mean.low.is_nan() {
                band.push((*x, mean.low, mean.high));
            }
        }
        if !points.is_empty() {
            lines.push(Curve::line(policy.clone(), points).band(band));
        }
    }
    let (name, unit) = parameter_axis(sweep, &path);
    let x = if wants_log(xs.iter().copied()) { Axis::log(name, unit) } else { Axis::linear(name, unit) };
    let y = metric_axis(metric);
    let ys = lines.iter().flat_map(|line| line.points.iter().map(|(_, y)| *y));
    let y = if wants_log(ys) { Axis { scale: Scale::Log10, ..y } } else { y };
    let note = format!(
        "mean and 95 % interval · {} · {} runs a point",
        sweep.points[0].simulation.scenario.name, sweep.design.runs
    );
    Ok(figure::curves(title, x, y, lines).note(note))
}

/// Mean of a metric over two parameters of a sweep, for one policy.
///
/// ```
/// use retrysim::{Design, picture, sweep};
///
/// let design = Design::new("overload", 20).vary("service.capacity", [3, 4]).vary("workload.clients", [6, 8]);
/// assert!(picture::heat_map(&sweep(&design)?, "attempts", "full", "Attempts")?.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a metric or policy that isn't there or a sweep over anything but two numeric parameters.
pub fn heat_map(sweep: &Sweep, metric: &str, policy: &str, title: &str) -> Result<Figure, Error> {
    let parameters = parameters(sweep, 2)?;
    let axis = |i: usize| {
        let mut values = parameters[i].1.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (ys, xs) = (axis(0), axis(1));
    let mut z = vec![vec![f64::NAN; xs.len()]; ys.len()];
    for (i, point) in sweep.points.iter().enumerate() {
        let place = |axis: &[f64], x: f64| axis.iter().position(|y| y.total_cmp(&x).is_eq()).unwrap_or(0);
        let values = stats::sorted(&point.simulation.metric(policy, metric)?);
        z[place(&ys, parameters[0].1[i])][place(&xs, parameters[1].1[i])] = stats::mean_sd(&values).0;
    }
    let measure = metric_axis(metric).title();
    let scale = if wants_log(z.iter().flatten().copied()) { Scale::Log10 } else { Scale::Linear };
    let names = [0, 1].map(|i| parameter_axis(sweep, &parameters[i].0));
    let [y, x] = names;
    let data = figure::Sweep { x, y, xs, ys, z, measure, scale };
    let note = format!(
        "{} · {} · mean of {} runs",
        sweep.points[0].simulation.scenario.name,
        figure::label_of(policy),
        sweep.design.runs
    );
    Ok(figure::heat_map(title, &data).note(note))
}
