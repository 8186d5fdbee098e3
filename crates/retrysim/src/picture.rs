//! Figures of simulations and sweeps, a call each. What is seen is computed here; how it is drawn is in
//! [`crate::figure`].

use retrysim_core::{
    Policy, Scenario, Span, Unit,
    callers::Decision,
    draw::{Draws, Fixed, Philox, Purpose},
    policy::stage::Stage,
    service::{Outage, Service},
    stats,
};
use toml::Value;

use crate::{
    error::Error,
    figure::{
        self, Axis, Bar, Curve, Figure, Fingerprint, Level, PolicyArrivals, RetryDelay, Sample, Scale, Waits,
    },
    simulation::Simulation,
    sweep::Sweep,
};

/// Level of the intervals in figures.
const CONFIDENCE: f64 = 0.95;

/// Clients whose waits are drawn.
const WAITING_CLIENTS: u32 = 40;

/// Sequences behind a fingerprint, and the bins of its densities.
const SEQUENCES: u64 = 20_000;
const BINS: usize = 60;

/// A share of draws with one and the same delay from which it counts as a point mass.
const MASS: f64 = 0.01;

fn outage(scenario: &Scenario) -> Option<(f64, f64)> {
    let outages: &[Outage] = match &scenario.service {
        Service::TickCapacity(service) => &service.outages,
        Service::WindowCapacity(service) => &service.outages,
        _ => &[],
    };
    outages.first().map(|outage| (outage.from.secs(), outage.until.secs()))
}

fn capacity_per_s(scenario: &Scenario) -> Option<f64> {
    match &scenario.service {
        Service::TickCapacity(service) => Some(f64::from(service.capacity) / service.tick.secs()),
        Service::WindowCapacity(service) => Some(f64::from(service.capacity) / service.window.secs()),
        _ => None,
    }
}

/// A metric's axis: seconds and rates get their unit, underscores become spaces.
fn metric_axis(metric: &str) -> Axis {
    let (name, unit) = match metric.strip_suffix("_s") {
        Some(name) => (name, "s"),
        None => (metric, if metric == "peak_qps" { "per s" } else { "" }),
    };
    Axis::linear(name.replace('_', " "), unit)
}

fn runs_note(simulation: &Simulation) -> String {
    let runs = simulation.runs.plan.len();
    let s = if runs == 1 { "" } else { "s" };
    format!("{} · {runs} run{s} a policy · {}", simulation.scenario.name, simulation.generator().name())
}

/// Arrivals over time up to `until`, a panel a policy: mean over runs, with the outage and the capacity.
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
    let longest = simulation.timelines.iter().map(|line| line.bins.len()).max().unwrap_or(0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bins saturates")]
    let shown = until.map_or(longest, |until| longest.min((until.secs() / bin_s).ceil().max(1.0) as usize));
    let policies = simulation.runs.policies.iter().zip(simulation.timelines.chunks(runs));
    let policies = policies
        .map(|(policy, lines)| {
            let mut bins = vec![0.0; shown];
            for line in lines {
                for (sum, bin) in bins.iter_mut().zip(&line.bins) {
                    *sum += count(bin.arrivals) / count(runs as u64);
                }
            }
            PolicyArrivals { policy: policy.clone(), bins }
        })
        .collect();
    let data = figure::Arrivals {
        bin_s,
        outage_s: outage(&simulation.scenario),
        capacity_per_s: capacity_per_s(&simulation.scenario),
        policies,
    };
    Ok(figure::arrivals(title, &data).note(runs_note(simulation)))
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
const fn count(n: u64) -> f64 {
    n as f64
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
    let compiled = Policy { delay: stages, ..Policy::default() }.compile(Unit::S);
    let mut memory = compiled.memory();
    (1..=retries).filter_map(|n| Some((n, compiled.delay(n, None, &mut memory, &mut Fixed(0.0))?))).collect()
}

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

/// A sweep's parameter as a number: durations in seconds.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(n) => n.to_string().parse().ok(),
        Value::Float(x) => Some(*x),
        Value::String(text) => text.parse::<Span>().ok().map(Span::secs),
        _ => None,
    }
}

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

/// Density of the delay by number of the retry, point masses marked, from 20,000 sequences a policy.
///
/// ```
/// let herd = retrysim::bundled::scenario("herd")?;
/// let figure = retrysim::picture::fingerprint(&herd, &["full".into()], 4, "Delays")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a policy that isn't there.
pub fn fingerprint(
    scenario: &Scenario,
    policies: &[String],
    retries: u32,
    title: &str,
) -> Result<Figure, Error> {
    let mut prints = Vec::new();
    for name in policies {
        let delays = sequences(scenario.policy(name)?, retries);
        let rows = delays.iter().zip(1..).map(|(delays, retry)| retry_delay(retry, delays)).collect();
        prints.push(Fingerprint { policy: name.clone(), retries: rows });
    }
    let note = format!(
        "{} · {SEQUENCES} sequences a policy; stems are delays with a share of their own",
        scenario.name
    );
    Ok(figure::fingerprint(title, Axis::linear("delay", "s"), &prints).note(note))
}

/// Delays in seconds by retry, sorted.
fn sequences(policy: &Policy, retries: u32) -> Vec<Vec<f64>> {
    let compiled = policy.compile(Unit::S);
    let mut delays = vec![Vec::new(); retries as usize];
    for sequence in 0..SEQUENCES {
        let mut memory = compiled.memory();
        for n in 1..=retries {
            let mut stream = Philox::new(0, sequence).at(Purpose::Attempt, 0, n);
            if let Some(delay) = compiled.delay(n, None, &mut memory, &mut stream) {
                delays[n as usize - 1].push(delay);
            }
        }
    }
    delays.iter_mut().for_each(|delays| delays.sort_by(f64::total_cmp));
    delays
}

fn retry_delay(retry: u32, sorted: &[f64]) -> RetryDelay {
    let share = |n: usize| count(n as u64) / count(sorted.len().max(1) as u64);
    #[expect(clippy::float_cmp, reason = "a point mass is one and the same number")]
    let groups: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
    let masses: Vec<(f64, f64)> = groups
        .iter()
        .filter(|group| share(group.len()) >= MASS)
        .map(|group| (group[0], share(group.len())))
        .collect();
    let spread: Vec<f64> = groups
        .iter()
        .filter(|group| share(group.len()) < MASS)
        .flat_map(|group| group.iter().copied())
        .collect();
    let (Some(low), Some(high)) = (spread.first(), spread.last()) else {
        return RetryDelay { retry, density: Vec::new(), masses };
    };
    let width = (high - low) / count(BINS as u64);
    if width <= 0.0 {
        return RetryDelay { retry, density: Vec::new(), masses };
    }
    let mut bins = vec![0_usize; BINS];
    for delay in &spread {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bin's number")]
        let bin = ((delay - low) / width) as usize;
        bins[bin.min(BINS - 1)] += 1;
    }
    let middle = |i: usize| low + (count(i as u64) + 0.5) * width;
    let density = bins.iter().enumerate().map(|(i, n)| (middle(i), share(*n) / width)).collect();
    RetryDelay { retry, density, masses }
}
