//! Calls by tick, in order of insertion.

/// Calls by tick. Each call is in at most one tick; a tick's calls come out in the order they went in.
///
/// Linked lists through one array: a place for each tick, which holds the first call, then a place for each
/// call, which holds the next one. A list ends at the place that `last` names for its tick. 8 bytes a tick, 4
/// a call, no branch to push a call, nothing to allocate in steady state.
#[derive(Clone, Debug, Default)]
pub struct TickCalendar {
    links: Vec<u32>,
    last: Vec<u32>,
    waiting: u64,
}

impl TickCalendar {
    /// Empties the calendar and gives it `ticks` ticks.
    #[expect(clippy::cast_possible_truncation, reason = "ticks and calls are below 2^28")]
    pub fn reset(&mut self, ticks: usize) {
        self.last.clear();
        self.last.extend(0..ticks as u32);
        self.links.resize(self.links.len().max(ticks), 0);
        self.waiting = 0;
    }

    /// Puts `call` into `tick`; a tick beyond the end drops it.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "ticks and calls are below 2^28")]
    pub fn push(&mut self, tick: usize, call: u32) {
        let ticks = self.last.len();
        if tick >= ticks {
            return;
        }
        let place = ticks + call as usize;
        if place >= self.links.len() {
            self.links.resize(place + 1, 0);
        }
        self.links[self.last[tick] as usize] = call;
        self.last[tick] = place as u32;
        self.waiting += 1;
    }

    /// Moves the calls of `tick` to `batch`, replacing what it held.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "ticks and calls are below 2^28")]
    pub fn take(&mut self, tick: usize, batch: &mut Vec<u32>) {
        batch.clear();
        let last = std::mem::replace(&mut self.last[tick], tick as u32);
        let mut place = tick as u32;
        while place != last {
            let call = self.links[place as usize];
            batch.push(call);
            place = self.last.len() as u32 + call;
        }
        self.waiting -= batch.len() as u64;
    }

    /// Whether no call waits in any tick.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.waiting == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_keeps_the_order_of_insertion() {
        let mut calendar = TickCalendar::default();
        let mut batch = Vec::new();
        calendar.reset(3);
        for call in [4, 1, 3] {
            calendar.push(2, call);
        }
        calendar.push(1, 0);
        calendar.push(99, 7);
        calendar.take(2, &mut batch);
        assert_eq!(batch, [4, 1, 3]);
        assert!(!calendar.is_empty());
        calendar.take(1, &mut batch);
        assert_eq!(batch, [0]);
        calendar.take(0, &mut batch);
        assert!(batch.is_empty() && calendar.is_empty());
    }
}
