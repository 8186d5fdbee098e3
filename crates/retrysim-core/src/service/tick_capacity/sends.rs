//! Requests that their own side holds back: by a breaker, a limiter or a throttle.

use super::{answers::Room, kernel::Prepared, tally::Tally};
use crate::{
    callers::{Callers, Decision, Sending},
    draw::{Draws, Purpose},
};

impl Prepared<'_> {
    /// Takes those out of the batch, from place `from` on, that may not be sent in this tick.
    pub(super) fn hold_back<D: Draws>(
        &self,
        tick: usize,
        from: usize,
        callers: &mut Callers<'_>,
        draws: &mut D,
        room: &mut Room,
        tally: &mut Tally,
    ) {
        let Room { calendar, calls, batch, .. } = room;
        let now = self.grid.at(tick);
        let mut kept = from;
        for place in from..batch.calls.len() {
            let id = batch.calls[place];
            let call = &mut calls[id as usize];
            let mut stream = draws.at(Purpose::Sending, id, call.attempt);
            match callers.ask(call, now, &mut stream) {
                Sending::Now => {
                    batch.calls[kept] = id;
                    kept += 1;
                }
                Sending::At(at) => calendar.push(self.grid.first_tick(at).max(tick + 1), id),
                Sending::Not(Decision::Retry(wait)) => calendar.push(self.grid.retry_tick(tick, wait), id),
                Sending::Not(_) => tally.gave_up(1),
            }
        }
        batch.calls.truncate(kept);
    }
}
