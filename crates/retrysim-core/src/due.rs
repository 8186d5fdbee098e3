//! Calls by tick, in rows that a vector holds.

/// Calls in a row.
pub const ROW: usize = 8;

/// A call that is due: its number in the upper half, the attempt that it makes in the lower.
pub type Due = u64;

/// A row of calls.
type DueRow = [Due; ROW];

/// Calls by tick, in whatever order. A call and the attempt that it makes are one number, so that whoever takes the
/// calls of a tick looks nothing up.
///
/// Each tick has a row of its own, which a push writes to without asking for anything. When it is full it goes to a
/// heap of rows, and a new one is begun. 72 bytes a tick, 68 a row in the heap.
#[derive(Clone, Debug, Default)]
pub struct DueCalendar {
    ticks: Vec<Tick>,
    own: Vec<DueRow>,
    heap: Vec<DueRow>,
    /// Behind each row of the heap another full one of its tick, or another one that nobody uses.
    next: Vec<u32>,
    unused: u32,
    waiting: u64,
}

/// The calls of a tick, and the first of its full rows.
#[derive(Clone, Copy, Debug, Default)]
struct Tick {
    calls: u32,
    full: u32,
}

#[expect(clippy::cast_possible_truncation, reason = "calls and rows are below 2^32")]
impl DueCalendar {
    /// Empties the calendar and gives it `ticks` ticks.
    pub fn reset(&mut self, ticks: usize) {
        if self.waiting > 0 || self.ticks.len() != ticks {
            self.ticks.clear();
            self.ticks.resize(ticks, Tick::default());
            self.own.resize(ticks, [0; ROW]);
            self.heap.clear();
            self.next.clear();
            (self.unused, self.waiting) = (0, 0);
        }
    }

    /// Puts calls into ticks, a tick for each; a tick beyond the end drops its call.
    #[inline(always)]
    pub fn push(&mut self, ticks: &[u64], due: &[Due]) {
        let mut waiting = self.waiting;
        for (tick, due) in ticks.iter().zip(due) {
            let tick = *tick as usize;
            let Some(list) = self.ticks.get_mut(tick) else { continue };
            let (calls, place) = (list.calls, list.calls as usize % ROW);
            list.calls += 1;
            if place == 0 && calls > 0 {
                self.set_aside(tick);
            }
            self.own[tick][place] = *due;
            waiting += 1;
        }
        self.waiting = waiting;
    }

    /// Puts the full row of a tick into the heap.
    #[inline(never)]
    fn set_aside(&mut self, tick: usize) {
        if self.unused as usize == self.heap.len() {
            self.heap.push([0; ROW]);
            self.next.push(self.unused + 1);
        }
        let row = self.unused;
        self.heap[row as usize] = self.own[tick];
        self.unused = std::mem::replace(&mut self.next[row as usize], self.ticks[tick].full);
        self.ticks[tick].full = row;
    }

    /// Moves the calls of `tick` to the beginning of `rows`, and says how many they are. All rows but the last one are
    /// full; what is behind them in `rows` means nothing.
    #[inline(always)]
    pub fn take(&mut self, tick: usize, rows: &mut Vec<DueRow>) -> usize {
        let Tick { calls, full: mut row } = std::mem::take(&mut self.ticks[tick]);
        let calls = calls as usize;
        if rows.len() * ROW <= calls {
            rows.resize(calls / ROW + 1, [0; ROW]);
        }
        let (full, last) = rows.split_at_mut(calls.saturating_sub(1) / ROW);
        for to in full {
            *to = self.heap[row as usize];
            let behind = std::mem::replace(&mut self.next[row as usize], self.unused);
            (self.unused, row) = (row, behind);
        }
        last[0] = self.own[tick];
        self.waiting -= calls as u64;
        calls
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

    /// The calls of a tick, sorted.
    fn taken(calendar: &mut DueCalendar, tick: usize) -> Vec<Due> {
        let mut rows = Vec::new();
        let calls = calendar.take(tick, &mut rows);
        let mut due = rows.as_flattened()[..calls].to_vec();
        due.sort_unstable();
        due
    }

    #[test]
    fn a_tick_gives_back_what_was_put_into_it() {
        let mut calendar = DueCalendar::default();
        for _ in 0..2 {
            calendar.reset(3);
            for (tick, calls) in [(0, 0..1), (2, 10..18), (1, 20..45), (2, 50..59), (9, 70..80)] {
                let due: Vec<Due> = calls.collect();
                calendar.push(&vec![tick; due.len()], &due);
            }
            assert_eq!(taken(&mut calendar, 2), (10..18).chain(50..59).collect::<Vec<_>>());
            // Rows that were given back are used again.
            calendar.push(&[2; 17], &(100..117).collect::<Vec<_>>());
            assert_eq!(calendar.heap.len(), 5);
            assert_eq!(taken(&mut calendar, 1), (20..45).collect::<Vec<_>>());
            assert!(taken(&mut calendar, 1).is_empty());
            assert_eq!(taken(&mut calendar, 2), (100..117).collect::<Vec<_>>());
            assert!(!calendar.is_empty());
        }
        calendar.reset(3);
        assert!(calendar.is_empty() && taken(&mut calendar, 0).is_empty());
    }
}
