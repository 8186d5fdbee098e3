//! One metric in several worlds, each measured by its best policy.

use retrysim_core::stats;

use super::CONFIDENCE;
use crate::{
    error::Error,
    figure::{Axis, Bar, Figure, Layer, Panel, label_of},
    simulation::Simulation,
};

/// Means of a metric as multiples of the smallest one, a panel a world: `(name, runs, metric)`. Intervals are those
/// of the means, divided by the smallest mean.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let runs = |name| simulate(&bundled::scenario(name)?, &RunConfig::runs(20).policies(["full", "exponential"]));
/// let (burst, contention) = (runs("burst")?, runs("contention")?);
/// let worlds = [("burst", &burst, "attempts"), ("one row", &contention, "attempts")];
/// assert!(picture::relative(&worlds, &["full", "exponential"], "calls", "Who needs fewest calls")?.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a policy or metric that isn't there.
pub fn relative(
    worlds: &[(&str, &Simulation, &str)],
    policies: &[&str],
    what: &str,
    title: &str,
) -> Result<Figure, Error> {
    // The first policy stands at the top.
    let policies: Vec<&str> = policies.iter().rev().copied().collect();
    let panels = worlds.iter().map(|world| panel(world, &policies)).collect::<Result<Vec<_>, Error>>()?;
    let x = Axis::linear(format!("{what}, as a multiple of the best policy's"), "");
    let y = Axis::categories("", policies.iter().map(|policy| label_of(policy)));
    Ok(Figure::new(title, x, y, panels)
        .columns(2)
        .note("mean and 95 % interval of each policy, divided by the smallest mean of its panel"))
}

fn panel((name, runs, metric): &(&str, &Simulation, &str), policies: &[&str]) -> Result<Panel, Error> {
    let mean = |policy: &&str| Ok(stats::mean(&stats::sorted(&runs.metric(policy, metric)?), CONFIDENCE));
    let means = policies.iter().map(mean).collect::<Result<Vec<_>, Error>>()?;
    let best = means.iter().map(|mean| mean.value).fold(f64::INFINITY, f64::min);
    let bar = |(policy, mean): (&&str, &stats::Estimate)| {
        let interval = (!mean.low.is_nan()).then_some((mean.low / best, mean.high / best));
        Bar { category: (*policy).to_owned(), value: mean.value / best, interval }
    };
    let bars = policies.iter().zip(&means).filter(|(_, mean)| !mean.value.is_nan()).map(bar).collect();
    Ok(Panel { title: (*name).to_owned(), layers: vec![Layer::Bars { bars }], ..Panel::default() })
}
