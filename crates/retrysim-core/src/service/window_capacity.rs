//! A service that serves so many requests in each window of continuous time, and answers at once.
//!
//! Window `k` is `[k w, (k + 1) w)`. A request at time `t` is refused during an outage; otherwise it is
//! served if fewer than `capacity` requests of its window have been served. Requests are handled in order
//! of time, ties by client. A refusal uses no capacity. A short wait may fall into the same window again:
//! it is one more request there.

use serde::{Deserialize, Serialize};

use super::{
    Base, Crowd, Kernel, Outage,
    outage::{is_down, ticks_until},
};
use crate::{
    callers::{Call, Callers, Decision, Failure, Sending},
    draw::{Ahead, Draws, Purpose},
    error::Error,
    event_queue::{EventKind, EventQueue},
    policy::{Compiled, class::Class},
    record::{Attempt, Column, Completion, Kind, Outcome, Recorder, column},
    scenario::Scenario,
    span::{Span, Unit},
};

/// Windows of one run at the most.
const MAX_WINDOWS: usize = 50_000_000;

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowCapacity {
    /// Length of a window.
    pub window: Span,
    /// Requests served in a window.
    pub capacity: u32,
    /// When the service is down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Outage>,
    /// Retry-After of a refusal while the service is up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Span>,
}

impl WindowCapacity {
    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        scenario.workload.burst("window_capacity")?;
        self.window.at_least("service.window", Span::from_nanos(1))?;
        if ticks_until(scenario.horizon, self.window) > MAX_WINDOWS {
            let longest = Span::from_nanos(self.window.nanos().saturating_mul(MAX_WINDOWS as i64));
            let allowed = format!("at most {longest} ({MAX_WINDOWS} windows)");
            return Err(Error::invalid("horizon", scenario.horizon, allowed));
        }
        Outage::validate(&self.outages)?;
        self.retry_after.map_or(Ok(()), |span| span.at_least("service.retry_after", Span::ZERO))
    }

    /// The service for one scenario.
    #[must_use]
    pub fn prepare(&self, scenario: &Scenario) -> Prepared {
        let unit = scenario.unit;
        Prepared {
            crowd: Crowd::of(scenario),
            horizon: scenario.horizon.in_unit(unit),
            window: self.window.in_unit(unit),
            windows: ticks_until(scenario.horizon, self.window),
            capacity: self.capacity,
            outages: Outage::in_unit(&self.outages, unit),
            hint: self.retry_after.map(|span| span.in_unit(unit)),
            unit,
        }
    }
}

/// [`WindowCapacity`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared {
    crowd: Crowd,
    horizon: f64,
    window: f64,
    windows: usize,
    capacity: u32,
    outages: Vec<(f64, f64)>,
    hint: Option<f64>,
    unit: Unit,
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    queue: EventQueue,
    ahead: Ahead,
    calls: Vec<Call>,
    load: Vec<u32>,
    served: Vec<u32>,
}

impl Kernel for Prepared {
    type Scratch = Scratch;

    fn columns(&self) -> Vec<Column> {
        Base::columns_and(Completion::columns().into_iter().chain([
            column("last_success_s", Kind::Seconds),
            column("arrivals_in_outage", Kind::Count),
            column("sent_after_recovery", Kind::Count),
            column("peak_after_recovery", Kind::Count),
            column("windows_above_capacity", Kind::Count),
            column("last_window_above_capacity", Kind::Count),
        ]))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window's number")]
    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        scratch: &mut Scratch,
        row: &mut [f64],
    ) -> bool {
        let Scratch { queue, ahead, calls, load, served } = scratch;
        let mut callers = Callers::new(policy, self.crowd.population);
        let mut completion = Completion::new(u64::from(self.crowd.clients()));
        let (mut attempts, mut gave_up, mut in_outage) = (0_u64, 0_u64, 0_u64);
        ahead.reset::<D>(policy.draws(), self.crowd.clients());
        calls.clear();
        for counts in [&mut *load, &mut *served] {
            counts.clear();
            counts.resize(self.windows, 0);
        }
        for client in 0..self.crowd.clients() {
            let start = self.crowd.start(client, draws);
            calls.push(callers.call(client, client, start));
            ahead.on_send(client, 1, draws);
        }
        queue.start(calls.iter().map(|call| call.first_send));
        while let Some((now, _, client)) = queue.first()
            && now < self.horizon
            && !callers.is_endless()
        {
            let call = &mut calls[client as usize];
            if policy.acts_on_sends() {
                let mut stream = draws.at(Purpose::Sending, client, call.attempt);
                match callers.ask(call, now, &mut stream) {
                    Sending::Now => {}
                    Sending::At(at) => {
                        queue.follow(at, EventKind::Start);
                        continue;
                    }
                    Sending::Not(Decision::Retry(wait)) => {
                        queue.follow(now + wait, EventKind::Start);
                        continue;
                    }
                    Sending::Not(_) => {
                        queue.remove();
                        gave_up += 1;
                        continue;
                    }
                }
            }
            let sent = *call;
            let window = ((now / self.window) as usize).min(self.windows - 1);
            let down = is_down(&self.outages, &now);
            attempts += 1;
            in_outage += u64::from(down);
            load[window] += 1;
            callers.on_send(call, now);
            let (outcome, decision) = if !down && served[window] < self.capacity {
                served[window] += 1;
                callers.on_success(call, now);
                completion.success(self.unit.to_secs(now));
                queue.remove();
                (Outcome::Ok, None)
            } else {
                let hint = if down { None } else { self.hint };
                let class = if down { Class::Error } else { Class::Throttle };
                let failure = Failure { class, hint, sent: now };
                let decision =
                    callers.on_failure(call, now, failure, &mut ahead.stream(client, sent.attempt, draws));
                if let Decision::Retry(wait) = decision {
                    queue.follow(now + wait, EventKind::Start);
                    ahead.on_send(client, call.attempt, draws);
                } else {
                    queue.remove();
                    gave_up += 1;
                }
                (Outcome::Refused, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start: now, end: now, outcome, decision });
        }
        let base = Base {
            attempts,
            successes: completion.successes(),
            gave_up,
            finish_s: completion.finish(),
            crashes: f64::NAN,
            peak_arrivals: f64::from(load.iter().copied().max().unwrap_or(0)),
            calls: u64::from(self.crowd.clients()),
        };
        self.write_load(load, attempts, in_outage, completion.times(), base.write(row));
        !callers.is_endless()
    }
}

impl Prepared {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts and a window's number"
    )]
    fn write_load(&self, load: &[u32], attempts: u64, in_outage: u64, times: [f64; 4], row: &mut [f64]) {
        let recovery = self.outages.last().map_or(0.0, |(_, until)| *until);
        let first = ((recovery / self.window) as usize).min(self.windows);
        let after = &load[first..];
        let above = |load: &&u32| **load > self.capacity;
        let last_above = after.iter().rposition(|load| above(&load)).map_or(f64::NAN, |k| (first + k) as f64);
        row[..4].copy_from_slice(&times);
        row[4..].copy_from_slice(&[
            in_outage as f64,
            (attempts - in_outage) as f64,
            f64::from(after.iter().copied().max().unwrap_or(0)),
            after.iter().filter(above).count() as f64,
            last_above,
        ]);
    }
}
