//! Answers to the requests of a tick: who is served, and when the others come again.
//!
//! One by one, in order.

use super::{Admission, kernel::Prepared, tally::Tally};
use crate::{
    calendar::TickCalendar,
    callers::{Call, Callers, Decision, Failure},
    draw::{Batch, Draws},
    policy::class::Class,
    record::{Attempt, Outcome, Recorder},
};

/// The calls of a run, and room for a tick's work.
#[derive(Debug, Default)]
pub struct Room {
    pub(super) calendar: TickCalendar,
    pub(super) calls: Vec<Call>,
    pub(super) batch: Batch,
    served: Vec<bool>,
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
    pub(super) fn answer<D: Draws, R: Recorder>(
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
                    tally.gave_up(1);
                }
                (Outcome::Refused, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start: now, end, outcome, decision });
        }
    }
}
