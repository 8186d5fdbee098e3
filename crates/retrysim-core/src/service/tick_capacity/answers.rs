//! Answers to the requests of a tick: who is served, and when the others come again.
//!
//! One by one in order where order can be seen: by a recorder, through budgets that calls share, or in a
//! generator that answers in the order of questions. Otherwise all at once, in columns, with the same results.

use super::{Admission, kernel::Prepared, tally::Tally};
use crate::{
    calendar::TickCalendar,
    callers::{Call, Callers, Decision, Failure},
    draw::{Batch, Draws, mark_smallest},
    policy::{class::Class, delay::Retries},
    record::{Attempt, Outcome, Recorder},
};

/// The calls of a run, and room for a tick's work.
#[derive(Debug, Default)]
pub struct Room {
    pub(super) calendar: TickCalendar,
    pub(super) calls: Vec<Call>,
    pub(super) batch: Batch,
    served: Vec<bool>,
    retries: Retries,
    tickets: [Vec<u64>; 2],
}

impl Room {
    /// No calls, and a calendar of so many ticks.
    pub(super) fn reset(&mut self, ticks: usize) {
        self.calls.clear();
        self.calendar.reset(ticks);
    }
}

impl Prepared<'_> {
    fn capacity(&self, down: bool) -> usize {
        if down { 0 } else { self.service.capacity as usize }
    }

    /// Looks up the attempts of the batch and opens their streams, if any of them will be read.
    fn open<D: Draws>(&self, down: bool, callers: &Callers<'_>, draws: &mut D, room: &mut Room) {
        let Room { calls, batch, .. } = room;
        batch.look_up(|call| calls[call as usize].attempt);
        let lottery = !down && self.service.admission == Admission::Random;
        // Of those whom a budget may refuse, few draw: each for itself.
        let delays = callers.policy().draws() && !callers.policy().keeps_books();
        if batch.calls.len() > self.capacity(down) && (lottery || delays) {
            draws.open(batch);
        }
    }

    /// Answers every request of the batch, in order.
    #[expect(clippy::too_many_arguments, reason = "the parts of a run, each borrowed on its own")]
    pub(super) fn answer_in_order<D: Draws, R: Recorder>(
        &self,
        tick: usize,
        down: bool,
        callers: &mut Callers<'_>,
        draws: &mut D,
        recorder: &mut R,
        room: &mut Room,
        tally: &mut Tally,
    ) {
        if self.service.admission == Admission::InOrder {
            // In a burst a call has the number of its client.
            if self.is_open() {
                let calls = &room.calls;
                room.batch.calls.sort_unstable_by_key(|id| (calls[*id as usize].client, *id));
            } else {
                room.batch.calls.sort_unstable();
            }
        }
        self.open(down, callers, draws, room);
        let Room { calendar, calls, batch, served, .. } = room;
        let capacity = self.capacity(down);
        served.clear();
        served.resize(batch.calls.len(), false);
        match self.service.admission {
            _ if down => {}
            Admission::InOrder => served[..capacity.min(batch.calls.len())].fill(true),
            Admission::Random => draws.choose(batch, capacity, served),
        }
        let (now, end) = (self.grid.at(tick), self.grid.answer(tick));
        if callers.policy().keeps_books() {
            batch.calls.iter().for_each(|id| callers.on_send(&calls[*id as usize], now));
        }
        let hint = if down { None } else { self.hint };
        for (i, (id, served)) in batch.calls.iter().zip(served).enumerate() {
            let call = &mut calls[*id as usize];
            let sent = *call;
            let (outcome, decision) = if *served {
                callers.on_success(call, now);
                tally.successes(tick, 1, self.unit.to_secs(end));
                (Outcome::Ok, None)
            } else {
                let class = if down { Class::Error } else { Class::Throttle };
                let failure = Failure { class, hint, sent: now };
                let decision = callers.on_failure(call, now, failure, &mut batch.stream(i, draws));
                if let Decision::Retry(wait) = decision {
                    calendar.push(self.grid.retry_tick(tick, wait), *id);
                } else {
                    tally.gave_up();
                }
                (Outcome::Refused, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start: now, end, outcome, decision });
        }
    }

    /// Answers every request of the batch, with draws and delays in columns.
    pub(super) fn answer_in_any_order<D: Draws>(
        &self,
        tick: usize,
        down: bool,
        callers: &mut Callers<'_>,
        draws: &mut D,
        room: &mut Room,
        tally: &mut Tally,
    ) {
        let (size, capacity) = (room.batch.calls.len(), self.capacity(down));
        tally.successes(tick, size.min(capacity), self.unit.to_secs(self.grid.answer(tick)));
        if size <= capacity {
            return;
        }
        self.open(down, callers, draws, room);
        if capacity > 0 {
            self.drop_served(draws, room);
        }
        let hint = if down { None } else { self.hint };
        delays(callers, hint, draws, room);
        let Room { calendar, calls, batch, retries, .. } = room;
        let now = self.grid.at(tick);
        for (id, delay) in batch.calls.iter().zip(&retries.delays) {
            let call = &mut calls[*id as usize];
            let decision = match delay {
                _ if callers.is_spent(call, now) || delay.is_nan() => Decision::Exhausted,
                delay => callers.admit(call, now, *delay),
            };
            if let Decision::Retry(wait) = decision {
                calendar.push(self.grid.retry_tick(tick, wait), *id);
            } else {
                tally.gave_up();
            }
        }
    }

    /// Leaves those in the batch who are not served.
    fn drop_served<D: Draws>(&self, draws: &mut D, room: &mut Room) {
        let Room { calls, batch, served, tickets: [tickets, space], .. } = room;
        let capacity = self.service.capacity as usize;
        served.resize(batch.calls.len(), false);
        if self.service.admission == Admission::Random {
            draws.choose(batch, capacity, served);
        } else {
            let client = |id: &u32| u64::from(calls[*id as usize].client) << 32 | u64::from(*id);
            tickets.clear();
            tickets.extend(batch.calls.iter().map(client));
            mark_smallest(tickets, capacity, space, served);
        }
        batch.keep_unmarked(served);
    }
}

/// The delay before each retry of an opened batch, as if all were made; NaN where the hint gives the call up.
fn delays<D: Draws>(callers: &Callers<'_>, hint: Option<f64>, draws: &mut D, room: &mut Room) {
    let Room { calls, batch, retries, .. } = room;
    let policy = callers.policy();
    if policy.is_columnar(hint) {
        retries.units.clear();
        retries.units.extend(batch.units());
        retries.previous.clear();
        if policy.looks_back {
            retries.previous.extend(batch.calls.iter().map(|id| calls[*id as usize].memory.previous));
        }
        let Retries { previous, units, delays } = retries;
        delays.resize(batch.calls.len(), 0.0);
        policy.own.delay.before_retries(&batch.attempts, previous, units, delays);
        if policy.looks_back {
            for (id, delay) in batch.calls.iter().zip(&retries.delays) {
                calls[*id as usize].memory.previous = *delay;
            }
        }
        return;
    }
    retries.delays.clear();
    for (i, id) in batch.calls.iter().enumerate() {
        let memory = &mut calls[*id as usize].memory;
        let stream = &mut batch.stream(i, draws);
        let delay = policy.own.delay(batch.attempts[i], Class::Throttle, hint, memory, stream);
        retries.delays.push(delay.unwrap_or(f64::NAN));
    }
}
