//! What is called. Each service is one file: its rules, its kernel, its exact facts.

mod contention;
mod failures;
mod layers;
mod outage;
mod overload;
mod tick_capacity;
mod window_capacity;
mod workers;

use serde::{Deserialize, Deserializer, Serialize};

pub use self::{
    contention::Contention,
    failures::{Failures, Response},
    layers::Layers,
    outage::Outage,
    overload::Overload,
    tick_capacity::{Admission, AnswersAt, Crash, TickCapacity},
    window_capacity::WindowCapacity,
    workers::{Brownout, Cold, Down, Notices, Order, Workers},
};
use crate::{
    draw::{Draws, Philox, Purpose},
    error::Error,
    policy::{Compiled, Policy, budget::Budget, limiter::Limiter, scope::Population},
    record::{Column, Kind, Recorder, column},
    scenario::{Scenario, Workload},
    span::Span,
    text,
};

/// A service, by kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Service {
    /// So many requests a tick.
    TickCapacity(TickCapacity),
    /// So many requests a window of continuous time.
    WindowCapacity(WindowCapacity),
    /// So many calls in flight at once.
    Overload(Overload),
    /// One row that every client wants to write.
    Contention(Contention),
    /// Attempts that fail by themselves.
    Failures(Failures),
    /// A chain of services that call each other.
    Layers(Layers),
    /// Workers with a queue, and clients that wait for answers.
    Workers(Workers),
}

impl Service {
    const KINDS: [&str; 7] =
        ["tick_capacity", "window_capacity", "overload", "contention", "failures", "layers", "workers"];

    /// When the service is down; none for a service that never is.
    #[must_use]
    pub fn outages(&self) -> &[Outage] {
        match self {
            Self::TickCapacity(service) => &service.outages,
            Self::WindowCapacity(service) => &service.outages,
            Self::Workers(service) => &service.outages,
            Self::Overload(_) | Self::Contention(_) | Self::Failures(_) | Self::Layers(_) => &[],
        }
    }

    /// Refuses values that the service can't be run with.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's dotted path.
    pub fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        match self {
            Self::TickCapacity(service) => service.validate(scenario),
            Self::WindowCapacity(service) => service.validate(scenario),
            Self::Overload(service) => service.validate(scenario),
            Self::Contention(service) => service.validate(scenario),
            Self::Failures(service) => service.validate(scenario),
            Self::Layers(service) => service.validate(scenario),
            Self::Workers(service) => service.validate(scenario),
        }
    }
}

impl Service {
    /// Refuses a policy with a slot that this service has no place for.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the slot's name.
    pub fn hosts(&self, policy: &Policy) -> Result<(), Error> {
        let asks = matches!(
            self,
            Self::TickCapacity(_) | Self::WindowCapacity(_) | Self::Failures(_) | Self::Workers(_)
        );
        let refuse = |slot: &str, kinds: &str| {
            Err(Error::invalid(slot, "set", format!("a service of kind {kinds}, which has a place for it")))
        };
        let asking = "tick_capacity, window_capacity, failures or workers";
        if policy.hedge.is_some() && !matches!(self, Self::Workers(_)) {
            return refuse("hedge", "workers");
        }
        if policy.breaker.is_some() && !asks {
            return refuse("breaker", asking);
        }
        if policy.limiter.as_ref().is_some_and(Limiter::acts_on_sends) && !asks {
            return refuse("limiter", asking);
        }
        match policy
            .budget
            .iter()
            .position(|budget| matches!(budget, Budget::Sre(sre) if sre.acts_on_sends()))
        {
            Some(i) if !asks => refuse(&format!("budget[{i}].sre"), asking),
            _ => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for Service {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, rest) = text::tagged(deserializer)?;
        match kind.as_str() {
            "tick_capacity" => text::part(rest).map(Self::TickCapacity),
            "window_capacity" => text::part(rest).map(Self::WindowCapacity),
            "overload" => text::part(rest).map(Self::Overload),
            "contention" => text::part(rest).map(Self::Contention),
            "failures" => text::part(rest).map(Self::Failures),
            "layers" => text::part(rest).map(Self::Layers),
            "workers" => text::part(rest).map(Self::Workers),
            _ => Err(text::unknown_kind(&kind, &Self::KINDS)),
        }
    }
}

/// A service prepared for a scenario: all lengths in its unit, ready for many runs.
pub trait Kernel: Sync {
    /// What a worker keeps from run to run, so that steady state allocates nothing.
    type Scratch: Default + Send;

    /// Runs that are worth a call of [`Kernel::run_together`]; 0 if there is nothing to be gained by it.
    const TOGETHER: usize = 0;

    /// The columns of totals that a run fills.
    fn columns(&self) -> Vec<Column>;

    /// One run. `row` has one place per column; a value that doesn't exist stays NaN.
    ///
    /// Returns `false` if a call would have gone on for ever (see [`crate::callers::MAX_ATTEMPTS`]).
    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        scratch: &mut Self::Scratch,
        row: &mut [f64],
    ) -> bool;

    /// Runs for totals, with their events in whatever order is fast, and with the results of [`Kernel::run`]: `done` gets
    /// the number of each run in `draws` and its row.
    ///
    /// Returns `false`, and has made no run, if they are to be made one by one by [`Kernel::run`].
    fn run_together(
        &self,
        _policy: &Compiled,
        _draws: &[Philox],
        _scratch: &mut Self::Scratch,
        _done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        false
    }
}

/// A burst in the units of a scenario.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    population: Population,
    spread: f64,
}

impl Crowd {
    /// The clients of a scenario; a workload without a burst has passed no validation, and starts at once.
    fn of(scenario: &Scenario) -> Self {
        let spread = match &scenario.workload {
            Workload::Burst(burst) => burst.spread,
            Workload::Open(_) | Workload::Closed(_) => Span::ZERO,
        };
        Self { population: scenario.workload.population(), spread: spread.in_unit(scenario.unit) }
    }

    const fn clients(self) -> u32 {
        self.population.clients
    }

    /// When a client sends for the first time.
    fn start<D: Draws>(self, client: u32, draws: &mut D) -> f64 {
        // Nothing times a number is nothing, but who answers in order must be asked.
        if D::KEYED && self.spread <= 0.0 {
            return 0.0;
        }
        self.spread * draws.number(Purpose::Start, client, 0)
    }
}

/// The totals that every service gives, in the order of [`Base::columns`].
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// Requests that reached the service.
    pub attempts: u64,
    /// Calls that succeeded.
    pub successes: u64,
    /// Calls that their policy gave up.
    pub gave_up: u64,
    /// When every call had succeeded, in seconds; NaN if that never happened.
    pub finish_s: f64,
    /// Crashes of the service; NaN if it can't crash.
    pub crashes: f64,
    /// Most requests in one tick or window; NaN where the model has neither.
    pub peak_arrivals: f64,
    /// Calls made.
    pub calls: u64,
}

impl Base {
    /// The columns.
    #[must_use]
    pub fn columns() -> Vec<Column> {
        vec![
            column("attempts", Kind::Count),
            column("successes", Kind::Count),
            column("gave_up", Kind::Count),
            column("finish_s", Kind::Seconds),
            column("crashes", Kind::Count),
            column("peak_arrivals", Kind::Count),
            column("calls", Kind::Count),
            column("amplification", Kind::Ratio),
        ]
    }

    /// The columns, followed by others.
    #[must_use]
    pub fn columns_and(others: impl IntoIterator<Item = Column>) -> Vec<Column> {
        let mut columns = Self::columns();
        columns.extend(others);
        columns
    }

    /// Writes the totals to the start of a row and returns the rest of it.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn write(self, row: &mut [f64]) -> &mut [f64] {
        let (base, rest) = row.split_at_mut(8);
        base.copy_from_slice(&[
            self.attempts as f64,
            self.successes as f64,
            self.gave_up as f64,
            self.finish_s,
            self.crashes,
            self.peak_arrivals,
            self.calls as f64,
            self.attempts as f64 / self.calls as f64,
        ]);
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs made together, as bits; they are made.
    fn together<K: Kernel>(kernel: &K, policy: &Compiled, draws: &[Philox]) -> Vec<Vec<u64>> {
        let mut rows = vec![Vec::new(); draws.len()];
        for (draws, rows) in draws.chunks(K::TOGETHER).zip(rows.chunks_mut(K::TOGETHER)) {
            let mut done = |run: usize, row: &[f64]| rows[run] = row.iter().map(|x| x.to_bits()).collect();
            assert!(kernel.run_together(policy, draws, &mut K::Scratch::default(), &mut done));
        }
        assert!(rows.iter().all(|row| row.len() == kernel.columns().len()));
        rows
    }

    /// Policies whose stages can be vectors, with and without a look back, and one whose stages can't.
    #[test]
    fn plain_vectors_give_the_same() {
        let draws: Vec<Philox> = (0..40).map(|run| Philox::new(5, run)).collect();
        let plain: Vec<Philox> = draws.iter().map(|draws| draws.plain()).collect();
        for name in ["overload", "contention", "herd", "devices"] {
            let path = format!("{}/../../data/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let scenario = Scenario::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
            for delay in [
                "{ exp = { base = '100ms' } }, { cap = '5s' }, { jitter = [0, 1] }",
                "{ prev = { first = '100ms' } }, { uniform = { lo = { abs = '100ms' }, hi = { prev = 3 } } }, { cap = '5s' }",
                "{ polly_v2 = { base = '100ms' } }, { cap = '5s' }",
            ] {
                let policy = Policy::from_toml(&format!("delay = [{delay}]")).unwrap().compile(scenario.unit);
                let [native, plain] = [&draws, &plain].map(|draws| match &scenario.service {
                    Service::TickCapacity(service) => together(&service.prepare(&scenario), &policy, draws),
                    Service::Overload(service) => together(&service.prepare(&scenario), &policy, draws),
                    Service::Contention(service) => together(&service.prepare(&scenario), &policy, draws),
                    _ => Vec::new(),
                });
                assert_eq!(native, plain, "{name}: {delay}");
            }
        }
    }
}
