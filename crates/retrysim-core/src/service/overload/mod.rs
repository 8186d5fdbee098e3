//! A service that loses everything in flight when too much is.
//!
//! Every call takes `call` and is in flight on `[s, s + call)`. Whenever a start brings more than
//! `capacity` calls in flight, every one of them, old and new, is doomed: it stays in flight, counts
//! until its own end, and times out there. Doom is never revoked. A call that ends undoomed has
//! succeeded. At equal times ends come before starts, then low clients first. No call starts at the
//! horizon or later.

mod lanes;

use serde::{Deserialize, Serialize};

use super::{Base, Crowd, Kernel};
use crate::{
    callers::{Call, Callers, Decision, Failure},
    draw::{Ahead, Draws, Philox},
    error::Error,
    event_queue::{EventKind, EventQueue},
    policy::{Compiled, class::Class},
    record::{Attempt, Column, Completion, Kind, Outcome, Recorder, column},
    scenario::Scenario,
    span::{Span, Unit},
};

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overload {
    /// Calls in flight that the service still bears.
    pub capacity: u32,
    /// How long a call takes; also the time after which a doomed one times out.
    pub call: Span,
}

impl Overload {
    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        scenario.workload.burst("overload")?;
        self.call.at_least("service.call", Span::from_nanos(1))
    }

    /// The service for one scenario.
    #[must_use]
    pub fn prepare(&self, scenario: &Scenario) -> Prepared {
        let unit = scenario.unit;
        Prepared {
            crowd: Crowd::of(scenario),
            horizon: scenario.horizon.in_unit(unit),
            capacity: self.capacity,
            call: self.call.in_unit(unit),
            unit,
        }
    }
}

/// [`Overload`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared {
    crowd: Crowd,
    horizon: f64,
    capacity: u32,
    call: f64,
    unit: Unit,
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    queue: EventQueue,
    ahead: Ahead,
    calls: Vec<Call>,
    /// When and as the how-manieth start of the run each client's call went into flight.
    flights: Vec<(f64, u64)>,
    lanes: lanes::Scratch,
}

/// What a run comes to.
struct Totals {
    starts: u64,
    successes: u64,
    gave_up: u64,
    peak: f64,
    first_success: f64,
    most: f64,
    /// When shares of the calls had succeeded, and the last success, in seconds.
    times: [f64; 4],
    finish: f64,
}

impl Totals {
    fn write(&self, clients: u32, row: &mut [f64]) {
        let base = Base {
            attempts: self.starts,
            successes: self.successes,
            gave_up: self.gave_up,
            finish_s: self.finish,
            crashes: f64::NAN,
            peak_arrivals: self.peak,
            calls: u64::from(clients),
        };
        let rest = base.write(row);
        rest[..4].copy_from_slice(&self.times);
        rest[4..].copy_from_slice(&[self.first_success, self.most]);
    }
}

impl Kernel for Prepared {
    type Scratch = Scratch;
    const TOGETHER: usize = 256;

    fn columns(&self) -> Vec<Column> {
        Base::columns_and(Completion::columns().into_iter().chain([
            column("last_success_s", Kind::Seconds),
            column("first_success_attempt", Kind::Count),
            column("most_attempts", Kind::Count),
        ]))
    }

    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        scratch: &mut Scratch,
        row: &mut [f64],
    ) -> bool {
        let Scratch { queue, ahead, calls, flights, .. } = scratch;
        let mut callers = Callers::new(policy, self.crowd.population);
        let mut completion = Completion::new(u64::from(self.crowd.clients()));
        let (mut starts, mut gave_up) = (0_u64, 0_u64);
        let (mut in_flight, mut peak, mut doomed_through) = (0_u32, 0_u32, 0_u64);
        let (mut first_success, mut most) = (f64::NAN, 0_u32);
        ahead.reset::<D>(policy.draws(), self.crowd.clients());
        calls.clear();
        flights.clear();
        flights.resize(self.crowd.clients() as usize, (0.0, 0));
        for client in 0..self.crowd.clients() {
            let start = self.crowd.start(client, draws);
            calls.push(callers.call(client, client, start));
        }
        queue.start(calls.iter().map(|call| call.first_send));
        while let Some((now, kind, client)) = queue.first() {
            let call = &mut calls[client as usize];
            if kind == EventKind::Start {
                if now >= self.horizon {
                    queue.remove();
                    continue;
                }
                starts += 1;
                in_flight += 1;
                peak = peak.max(in_flight);
                most = most.max(call.attempt);
                flights[client as usize] = (now, starts);
                // Whatever is in flight started no later than this call.
                if in_flight > self.capacity {
                    doomed_through = starts;
                }
                callers.on_send(call, now);
                queue.follow(now + self.call, EventKind::End);
                ahead.on_send(client, call.attempt, draws);
                continue;
            }
            in_flight -= 1;
            let sent = *call;
            let (start, number) = flights[client as usize];
            let (outcome, decision) = if number > doomed_through {
                callers.on_success(call, now);
                completion.success(self.unit.to_secs(now));
                first_success = first_success.min(f64::from(sent.attempt));
                queue.remove();
                (Outcome::Ok, None)
            } else {
                let failure = Failure { class: Class::Timeout, hint: None, sent: start };
                let decision =
                    callers.on_failure(call, now, failure, &mut ahead.stream(client, sent.attempt, draws));
                if let Decision::Retry(wait) = decision {
                    queue.follow(now + wait, EventKind::Start);
                } else {
                    queue.remove();
                    gave_up += 1;
                }
                (Outcome::Timeout, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start, end: now, outcome, decision });
        }
        let totals = Totals {
            starts,
            successes: completion.successes(),
            gave_up,
            peak: f64::from(peak),
            first_success,
            most: f64::from(most),
            times: completion.times(),
            finish: completion.finish(),
        };
        totals.write(self.crowd.clients(), row);
        !callers.is_endless()
    }

    fn run_together(
        &self,
        policy: &Compiled,
        draws: &[Philox],
        scratch: &mut Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        self.in_lanes(policy, draws, &mut scratch.lanes, done)
    }
}
