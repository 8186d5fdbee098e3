//! A metric over runs: its distribution, its mean.

use retrysim_core::stats;

use super::{CONFIDENCE, metric_axis, runs_note};
use crate::{
    error::Error,
    figure::{self, Bar, Figure, Sample},
    simulation::Simulation,
};

fn samples(simulation: &Simulation, metric: &str) -> Result<Vec<Sample>, Error> {
    let sample = |policy: &String| {
        let values = stats::sorted(&simulation.metric(policy, metric)?);
        Ok(Sample { name: policy.clone(), values })
    };
    let samples = simulation.runs.policies.iter().map(sample).collect::<Result<Vec<_>, Error>>()?;
    Ok(samples.into_iter().filter(|sample| !sample.values.is_empty()).collect())
}

/// Distribution of a metric over runs, with the DKW band.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("overload")?;
/// let simulation = simulate(&scenario, &RunConfig::runs(100))?;
/// let figure = picture::ecdf(&simulation, "attempts", "Attempts")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a metric that isn't there.
pub fn ecdf(simulation: &Simulation, metric: &str, title: &str) -> Result<Figure, Error> {
    let samples = samples(simulation, metric)?;
    Ok(figure::ecdf(title, metric_axis(metric), CONFIDENCE, &samples).note(runs_note(simulation)))
}

/// Distribution of a metric over runs as quantile dots.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("overload")?;
/// let simulation = simulate(&scenario, &RunConfig::runs(100))?;
/// let figure = picture::dots(&simulation, "attempts", "Attempts")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a metric that isn't there.
pub fn dots(simulation: &Simulation, metric: &str, title: &str) -> Result<Figure, Error> {
    let samples = samples(simulation, metric)?;
    Ok(figure::quantile_dots(title, metric_axis(metric), 50, &samples).note(runs_note(simulation)))
}

/// Mean of a metric by policy, with its interval over runs.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("overload")?;
/// let simulation = simulate(&scenario, &RunConfig::runs(100))?;
/// let figure = picture::bars(&simulation, "attempts", "Attempts")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a metric that isn't there.
pub fn bars(simulation: &Simulation, metric: &str, title: &str) -> Result<Figure, Error> {
    let bar = |sample: &Sample| {
        let mean = stats::mean(&sample.values, CONFIDENCE);
        let interval = (!mean.low.is_nan()).then_some((mean.low, mean.high));
        Bar { category: sample.name.clone(), value: mean.value, interval }
    };
    let bars: Vec<Bar> = samples(simulation, metric)?.iter().map(bar).collect();
    Ok(figure::bars(title, metric_axis(metric), &bars)
        .note(format!("mean and 95 % interval · {}", runs_note(simulation))))
}
