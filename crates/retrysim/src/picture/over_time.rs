//! Time and retries: arrivals, waits, levels.

use retrysim_core::{
    Policy, Scenario, Span, Unit, callers::Decision, policy::stage::Stage, service::Service,
};

use super::{count, runs_note};
use crate::{
    error::Error,
    figure::{self, Axis, Figure, Key, Layer, Level, Mark, Panel, PolicyArrivals, Waits},
    log::{Bin, Timeline},
    simulation::Simulation,
};

/// Clients whose waits are drawn.
const WAITING_CLIENTS: u32 = 40;

fn outage(scenario: &Scenario) -> Option<(f64, f64)> {
    scenario.service.outages().first().map(|outage| (outage.from.secs(), outage.until.secs()))
}

fn capacity_per_s(scenario: &Scenario) -> Option<f64> {
    match &scenario.service {
        Service::TickCapacity(service) => Some(f64::from(service.capacity) / service.tick.secs()),
        Service::WindowCapacity(service) => Some(f64::from(service.capacity) / service.window.secs()),
        Service::Workers(service) => {
            let capacity = f64::from(service.workers?) / service.work.mean_s();
            capacity.is_finite().then_some(capacity)
        }
        _ => None,
    }
}

/// Outages and brown-outs as grey bands; those of which there are several share a label.
fn troubles(service: &Service) -> Vec<Layer> {
    let outages: Vec<_> = service.outages().iter().map(|outage| (outage.from, outage.until)).collect();
    let brownouts: Vec<_> = match service {
        Service::Workers(service) => {
            service.brownouts.iter().map(|brownout| (brownout.from, brownout.until)).collect()
        }
        _ => Vec::new(),
    };
    let bands = |what: &str, all: &[(Span, Span)]| -> Vec<Layer> {
        let band = |(from, until): &(Span, Span)| {
            let (x0, x1) = (from.secs(), until.secs());
            let label = if all.len() > 1 { what.to_owned() } else { figure::lasting(what, x0, x1) };
            Layer::Band { x0, x1, label }
        };
        all.iter().map(band).collect()
    };
    [bands("outage", &outages), bands("brown-out", &brownouts)].concat()
}

/// The mean over runs of what `of` counts in each of the first `shown` bins.
fn mean_bins(lines: &[Timeline], shown: usize, of: impl Fn(&Bin) -> u64) -> Vec<f64> {
    let mut bins = vec![0.0; shown];
    for line in lines {
        for (sum, bin) in bins.iter_mut().zip(&line.bins) {
            *sum += count(of(bin)) / count(lines.len() as u64);
        }
    }
    bins
}

/// Bins up to `until` of the longest timeline.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bins saturates")]
fn bins_until(lines: &[Timeline], bin_s: f64, until: Option<Span>) -> usize {
    let longest = lines.iter().map(|line| line.bins.len()).max().unwrap_or(0);
    until.map_or(longest, |until| longest.min((until.secs() / bin_s).ceil().max(1.0) as usize))
}

/// Arrivals over time up to `until`, a panel a policy: mean over runs, with outages, brown-outs and the
/// capacity.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("herd")?;
/// let simulation = simulate(&scenario, &RunConfig::seeds([0]).policies(["full"]).record(retrysim::Record::Timeline(retrysim::Span::from_millis(100))))?;
/// let figure = picture::arrivals(&simulation, None, "Arrivals")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotRecorded`] without a timeline.
pub fn arrivals(simulation: &Simulation, until: Option<Span>, title: &str) -> Result<Figure, Error> {
    let Some(first) = simulation.timelines.first() else {
        return Err(Error::NotRecorded { frame: "timeline", record: "Record::Timeline" });
    };
    let runs = simulation.runs.plan.len();
    let bin_s = first.bin_s(simulation.scenario.unit);
    let shown = bins_until(&simulation.timelines, bin_s, until);
    let policies = simulation.runs.policies.iter().zip(simulation.timelines.chunks(runs));
    let policies = policies
        .map(|(policy, lines)| {
            let bins = mean_bins(lines, shown, |bin| bin.arrivals);
            PolicyArrivals { policy: policy.clone(), bins }
        })
        .collect();
    let capacity_per_s = capacity_per_s(&simulation.scenario);
    let data = figure::Arrivals { bin_s, outage_s: None, capacity_per_s, policies };
    let mut figure = figure::arrivals(title, &data);
    let troubles = troubles(&simulation.scenario.service);
    let mut keys: Vec<Key> = Vec::new();
    for band in &troubles {
        if let Layer::Band { label, .. } = band
            && keys.iter().all(|key| key.name != *label)
        {
            keys.push(Key { name: label.clone(), mark: Mark::Band });
        }
    }
    figure.legend.splice(0..0, keys);
    for panel in &mut figure.panels {
        panel.layers.splice(0..0, troubles.iter().cloned());
    }
    Ok(figure.note(runs_note(simulation)))
}

/// What `of` counts, a second, over time up to `until`: a panel a group of policies, a line a policy, mean over runs,
/// with outages, brown-outs and the capacity. A group is a heading and its policies, each with the name that it has
/// in the figure.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("herd")?;
/// let simulation = simulate(&scenario, &RunConfig::seeds([0]).record(retrysim::Record::Timeline(retrysim::Span::from_millis(100))))?;
/// let groups: [(&str, &[(&str, &str)]); 1] = [("a herd", &[("before", "exponential"), ("after", "full")])];
/// let figure = picture::rates(&simulation, &groups, |bin| bin.arrivals, "arrivals", None, "Jitter, before and after")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotRecorded`] without a timeline, [`Error::Core`] for a policy that isn't there.
pub fn rates(
    simulation: &Simulation,
    groups: &[(&str, &[(&str, &str)])],
    of: impl Fn(&Bin) -> u64,
    what: &str,
    until: Option<Span>,
    title: &str,
) -> Result<Figure, Error> {
    let Some(first) = simulation.timelines.first() else {
        return Err(Error::NotRecorded { frame: "timeline", record: "Record::Timeline" });
    };
    let runs = simulation.runs.plan.len();
    let bin_s = first.bin_s(simulation.scenario.unit);
    let shown = bins_until(&simulation.timelines, bin_s, until);
    let line = |(name, policy): &(&str, &str)| {
        let place = simulation.runs.policies.iter().position(|known| known == policy).ok_or_else(|| {
            let known = simulation.runs.policies.join(", ");
            retrysim_core::Error::Unknown { kind: "policy", name: (*policy).to_owned(), known }
        })?;
        let bins = mean_bins(&simulation.timelines[place * runs..][..runs], shown, &of);
        let edge = |i: usize| count(i as u64) * bin_s;
        let step = |(i, n): (usize, &f64)| [(edge(i), n / bin_s), (edge(i + 1), n / bin_s)];
        let points = bins.iter().enumerate().flat_map(step).collect();
        Ok(Layer::Line { name: (*name).to_owned(), points, dashed: false, marked: false })
    };
    let panel = |(heading, policies): &(&str, &[(&str, &str)])| {
        let capacity = capacity_per_s(&simulation.scenario);
        let capacity = capacity.map(|y| Layer::HLine { y, label: figure::capacity_label(y) });
        let mut layers = troubles(&simulation.scenario.service);
        layers.extend(capacity);
        layers.extend(policies.iter().map(line).collect::<Result<Vec<_>, Error>>()?);
        Ok(Panel { title: (*heading).to_owned(), layers, ..Panel::default() })
    };
    let panels = groups.iter().map(panel).collect::<Result<Vec<_>, Error>>()?;
    let columns = if panels.len() > 3 { 2 } else { 1 };
    let y = Axis::linear(what, "per s");
    Ok(Figure::new(title, Axis::linear("time", "s"), y, panels).columns(columns).note(runs_note(simulation)))
}

/// Waits of the first 40 clients of the first run by number of the retry, and the line without jitter.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("herd")?;
/// let simulation = simulate(&scenario, &RunConfig::seeds([0]).policies(["full"]).record(retrysim::Record::Attempts))?;
/// let figure = picture::waits(&simulation, "Waits")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotRecorded`] without attempts.
pub fn waits(simulation: &Simulation, title: &str) -> Result<Figure, Error> {
    if simulation.attempts.is_empty() {
        return Err(Error::NotRecorded { frame: "attempts", record: "Record::Attempts" });
    }
    let unit = simulation.scenario.unit;
    let runs = simulation.runs.plan.len();
    let mut panels = Vec::new();
    for (policy, log) in simulation.runs.policies.iter().zip(simulation.attempts.iter().step_by(runs)) {
        let waits: Vec<(u32, f64)> = log
            .0
            .iter()
            .filter(|row| row.client < WAITING_CLIENTS)
            .filter_map(|row| match row.decision {
                Some(Decision::Retry(delay)) => Some((row.attempt, unit.to_secs(delay))),
                _ => None,
            })
            .collect();
        let most = waits.iter().map(|(retry, _)| *retry).max().unwrap_or(0);
        let no_jitter = without_jitter(simulation.scenario.policy(policy)?, most);
        panels.push(Waits { policy: policy.clone(), waits, no_jitter });
    }
    let note = format!("{} · {WAITING_CLIENTS} clients of one run", simulation.scenario.name);
    Ok(figure::waits(title, Axis::linear("wait", "s"), &panels).note(note))
}

/// Delays of a policy with its random stages left out; none if nothing is left without them.
fn without_jitter(policy: &Policy, retries: u32) -> Vec<(u32, f64)> {
    let stages: Vec<Stage> = policy.delay.iter().filter(|stage| stage.is_deterministic()).cloned().collect();
    if !policy.delay.first().is_some_and(Stage::is_deterministic) {
        return Vec::new();
    }
    let backoff = Policy { delay: stages, ..Policy::default() }.compile(Unit::S);
    (1..).zip(backoff.fixed_delays(retries, None, 0.0)).collect()
}

/// Tokens of the watched client over time in the first run.
///
/// ```
/// use retrysim::{RunConfig, bundled, picture, simulate};
///
/// let scenario = bundled::scenario("budget")?;
/// let simulation = simulate(&scenario, &RunConfig::seeds([0]).policies(["grpc_throttling"]).record(retrysim::Record::Timeline(retrysim::Span::from_millis(100))))?;
/// let figure = picture::levels(&simulation, "Tokens")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotRecorded`] without a timeline in which a client with a bucket is watched.
pub fn levels(simulation: &Simulation, title: &str) -> Result<Figure, Error> {
    let unit = simulation.scenario.unit;
    let runs = simulation.runs.plan.len();
    let mut levels = Vec::new();
    let mut end_s: f64 = 0.0;
    for (policy, line) in simulation.runs.policies.iter().zip(simulation.timelines.iter().step_by(runs)) {
        let bin_s = line.bin_s(unit);
        let at = |i: usize| count(i as u64 + 1) * bin_s;
        let changes: Vec<(f64, f64)> = line
            .bins
            .iter()
            .enumerate()
            .filter(|(_, bin)| !bin.tokens.is_nan())
            .map(|(i, bin)| (at(i), bin.tokens))
            .collect();
        if let (Some((_, start)), Some((end, _))) = (changes.first(), changes.last()) {
            end_s = end_s.max(*end);
            let changes = std::iter::once((0.0, *start)).chain(changes.iter().copied()).collect();
            levels.push(Level { name: policy.clone(), changes });
        }
    }
    if levels.is_empty() {
        return Err(Error::NotRecorded {
            frame: "tokens",
            record: "Record::Timeline and a probe on a client with a bucket",
        });
    }
    let data = figure::Levels { end_s, outage_s: outage(&simulation.scenario), marks: Vec::new(), levels };
    let client = simulation.scenario.probe.as_ref().map_or(0, |probe| probe.client);
    let note = format!("{} · client {client} of one run", simulation.scenario.name);
    Ok(figure::levels(title, Axis::linear("tokens", ""), &data).note(note))
}
