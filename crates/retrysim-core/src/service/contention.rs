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

use serde::{Deserialize, Serialize};

use super::{Base, Crowd, Kernel};
use crate::{
    callers::{Call, Callers, Decision, Failure},
    draw::{Draws, Purpose, SENDS},
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
    /// Of the stream of the delay after it.
    bits: u64,
}

/// The random part of an attempt.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    /// Delays of its four messages.
    hops: [f64; 4],
    /// The beginning of the stream of the delay after it.
    bits: u64,
}

impl Try {
    /// The attempt that the client starts at `start`.
    fn new(start: f64, Drawn { hops, bits }: Drawn) -> Self {
        let read = start + hops[0];
        let write = read + hops[1] + hops[2];
        Self { start, read, write, answer: write + hops[3], bits }
    }
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    queue: EventQueue,
    calls: Vec<Call>,
    tries: Vec<Try>,
    /// What is drawn for each client's attempts, this one and those after it.
    drawn: Vec<[Drawn; SENDS]>,
}

impl Prepared {
    /// The random part of a client's attempt, drawn together with some later ones where the generator allows it.
    #[inline]
    fn draw<D: Draws>(
        &self,
        client: u32,
        attempt: u32,
        draws: &mut D,
        drawn: &mut [[Drawn; SENDS]],
    ) -> Drawn {
        let drawn = &mut drawn[client as usize];
        let place = (attempt - 1) as usize % SENDS;
        if place == 0 || !D::KEYED {
            draws.sends(client, attempt, |i, bits, stream| {
                drawn[place + i] = Drawn { hops: self.network.samples(stream), bits };
            });
        }
        drawn[place]
    }
}

impl Kernel for Prepared {
    type Scratch = Scratch;

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
        let Scratch { queue, calls, tries, drawn } = scratch;
        let mut callers = Callers::new(policy, self.crowd.population);
        let mut completion = Completion::new(u64::from(self.crowd.clients()));
        let (mut writes, mut gave_up, mut most, mut done_sum) = (0_u64, 0_u64, 0_u32, 0.0_f64);
        let (mut last_commit, mut finish) = (f64::NEG_INFINITY, f64::NAN);
        calls.clear();
        tries.clear();
        drawn.resize(self.crowd.clients() as usize, [Drawn::default(); SENDS]);
        for client in 0..self.crowd.clients() {
            let start = self.crowd.start(client, draws);
            let call = callers.call(client, client, start);
            callers.on_send(&call, start);
            tries.push(Try::new(start, self.draw(client, 1, draws, drawn)));
            calls.push(call);
        }
        queue.start(tries.iter().map(|attempt| attempt.write));
        while let Some((now, _, client)) = queue.first()
            && now < self.horizon
            && !callers.is_endless()
        {
            let call = &mut calls[client as usize];
            let sent = *call;
            let Try { start, read, answer, bits, .. } = tries[client as usize];
            writes += 1;
            most = most.max(sent.attempt);
            let (outcome, decision) = if last_commit < read {
                last_commit = now;
                callers.on_success(call, answer);
                // Marks of completion go by commits, whose order is the order of events.
                completion.success(self.unit.to_secs(answer));
                finish = answer.max(finish);
                done_sum += answer;
                queue.remove();
                (Outcome::Ok, None)
            } else {
                let failure = Failure { class: Class::Error, hint: None, sent: start };
                let decision = callers.on_failure(
                    call,
                    answer,
                    failure,
                    &mut draws.resume(Purpose::Attempt, client, sent.attempt, bits),
                );
                if let Decision::Retry(wait) = decision {
                    callers.on_send(call, answer + wait);
                    let attempt = Try::new(answer + wait, self.draw(client, call.attempt, draws, drawn));
                    queue.follow(attempt.write, EventKind::Start);
                    tries[client as usize] = attempt;
                } else {
                    queue.remove();
                    gave_up += 1;
                }
                (Outcome::Error, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start, end: answer, outcome, decision });
        }
        let base = Base {
            attempts: writes,
            successes: completion.successes(),
            gave_up,
            finish_s: if completion.is_complete() { self.unit.to_secs(finish) } else { f64::NAN },
            crashes: f64::NAN,
            peak_arrivals: f64::NAN,
            calls: u64::from(self.crowd.clients()),
        };
        let rest = base.write(row);
        let [t50, t90, t99, _] = completion.times();
        #[expect(clippy::cast_precision_loss, reason = "counts")]
        let mean_done = self.unit.to_secs(done_sum / completion.successes() as f64);
        rest.copy_from_slice(&[t50, t90, t99, mean_done, f64::from(most)]);
        !callers.is_endless()
    }
}
