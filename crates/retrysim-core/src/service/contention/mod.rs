//! One row with a version, which every client wants to write exactly once (optimistic concurrency).
//!
//! A client reads the version, then writes with the version it read; the write succeeds iff the version
//! is still the same. Every message takes one network delay. A failed client waits and reads again.
//!
//! One event an attempt is enough: nothing between read and write touches shared state. With `r` the
//! time of the read and `w` the time of the write at the server, the write succeeds iff no other write
//! has succeeded since `r`. The client learns of it one delay after `w`; the next read arrives one delay
//! and one wait later. `attempts` counts writes at the server (reads are as many again).
//!
//! After Marc Brooker's simulation of 2015 (see `data/published`).

mod ahead;

use serde::{Deserialize, Serialize};

use super::{Base, Crowd, Kernel};
use crate::{
    callers::{Call, Callers, Decision, Failure},
    draw::{Draws, Philox, Purpose},
    error::Error,
    event_queue::{EventKind, EventQueue},
    latency::{Latency, Sampler},
    policy::{Compiled, class::Class},
    record::{Attempt, Column, Completion, Kind, Outcome, Recorder, column},
    scenario::Scenario,
    span::Unit,
};

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contention {
    /// One-way delay of every message, independent.
    pub network: Latency,
}

impl Contention {
    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        scenario.workload.burst("contention")?;
        self.network.validate().map_err(|error| error.within("service.network"))
    }

    /// The service for one scenario.
    #[must_use]
    pub fn prepare(&self, scenario: &Scenario) -> Prepared {
        let unit = scenario.unit;
        Prepared {
            crowd: Crowd::of(scenario),
            horizon: scenario.horizon.in_unit(unit),
            network: self.network.compile(unit),
            unit,
        }
    }
}

/// [`Contention`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared {
    crowd: Crowd,
    horizon: f64,
    network: Sampler,
    unit: Unit,
}

/// An attempt on its way, all times at their own ends of the network.
#[derive(Clone, Copy, Debug)]
struct Try {
    start: f64,
    read: f64,
    write: f64,
    answer: f64,
}

impl Try {
    /// The attempt that the client starts at `start`, with the delays of its four messages.
    #[inline]
    fn new(start: f64, hops: [f64; 4]) -> Self {
        let read = start + hops[0];
        let write = read + hops[1] + hops[2];
        Self { start, read, write, answer: write + hops[3] }
    }
}

/// What a run comes to.
#[derive(Debug)]
struct Totals {
    writes: u64,
    gave_up: u64,
    most: u32,
    completion: Completion,
    finish: f64,
    done_sum: f64,
    last_commit: f64,
}

impl Totals {
    fn new(clients: u32) -> Self {
        Self {
            writes: 0,
            gave_up: 0,
            most: 0,
            completion: Completion::new(u64::from(clients)),
            finish: f64::NAN,
            done_sum: 0.0,
            last_commit: f64::NEG_INFINITY,
        }
    }

    /// A write arrives at the server.
    #[inline]
    fn write(&mut self, attempt: u32) {
        self.writes += 1;
        self.most = self.most.max(attempt);
    }

    /// The write changes the version; its client learns of it at `answer`.
    #[inline]
    fn commit(&mut self, now: f64, answer: f64, unit: Unit) {
        self.last_commit = now;
        // Marks of completion go by commits, whose order is the order of events.
        self.completion.success(unit.to_secs(answer));
        self.finish = answer.max(self.finish);
        self.done_sum += answer;
    }

    fn columns(&self, clients: u32, unit: Unit, row: &mut [f64]) {
        let base = Base {
            attempts: self.writes,
            successes: self.completion.successes(),
            gave_up: self.gave_up,
            finish_s: if self.completion.is_complete() { unit.to_secs(self.finish) } else { f64::NAN },
            crashes: f64::NAN,
            peak_arrivals: f64::NAN,
            calls: u64::from(clients),
        };
        let rest = base.write(row);
        let [t50, t90, t99, _] = self.completion.times();
        #[expect(clippy::cast_precision_loss, reason = "counts")]
        let mean_done = unit.to_secs(self.done_sum / self.completion.successes() as f64);
        rest.copy_from_slice(&[t50, t90, t99, mean_done, f64::from(self.most)]);
    }
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    queue: EventQueue,
    calls: Vec<Call>,
    tries: Vec<Try>,
    ahead: ahead::Scratch,
}

impl Kernel for Prepared {
    type Scratch = Scratch;
    const TOGETHER: usize = 1;

    fn columns(&self) -> Vec<Column> {
        Base::columns_and(
            Completion::columns()
                .into_iter()
                .chain([column("mean_done_s", Kind::Seconds), column("most_attempts", Kind::Count)]),
        )
    }

    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        scratch: &mut Scratch,
        row: &mut [f64],
    ) -> bool {
        let Scratch { queue, calls, tries, .. } = scratch;
        let mut callers = Callers::new(policy, self.crowd.population);
        let mut totals = Totals::new(self.crowd.clients());
        let hops = |client, attempt, draws: &mut D| {
            self.network.samples(&mut draws.at(Purpose::Network, client, attempt))
        };
        calls.clear();
        tries.clear();
        for client in 0..self.crowd.clients() {
            let start = self.crowd.start(client, draws);
            let call = callers.call(client, client, start);
            callers.on_send(&call, start);
            tries.push(Try::new(start, hops(client, 1, draws)));
            calls.push(call);
        }
        queue.start(tries.iter().map(|attempt| attempt.write));
        while let Some((now, _, client)) = queue.first()
            && now < self.horizon
            && !callers.is_endless()
        {
            let call = &mut calls[client as usize];
            let sent = *call;
            let Try { start, read, answer, .. } = tries[client as usize];
            totals.write(sent.attempt);
            let (outcome, decision) = if totals.last_commit < read {
                totals.commit(now, answer, self.unit);
                callers.on_success(call, answer);
                queue.remove();
                (Outcome::Ok, None)
            } else {
                let failure = Failure { class: Class::Error, hint: None, sent: start };
                let decision = callers.on_failure(
                    call,
                    answer,
                    failure,
                    &mut draws.at(Purpose::Attempt, client, sent.attempt),
                );
                if let Decision::Retry(wait) = decision {
                    callers.on_send(call, answer + wait);
                    let attempt = Try::new(answer + wait, hops(client, call.attempt, draws));
                    queue.follow(attempt.write, EventKind::Start);
                    tries[client as usize] = attempt;
                } else {
                    queue.remove();
                    totals.gave_up += 1;
                }
                (Outcome::Error, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start, end: answer, outcome, decision });
        }
        totals.columns(self.crowd.clients(), self.unit, row);
        !callers.is_endless()
    }

    fn run_together(
        &self,
        policy: &Compiled,
        draws: &[Philox],
        scratch: &mut Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        let [draws] = draws else { return false };
        self.ahead(policy, draws, scratch, done)
    }
}
