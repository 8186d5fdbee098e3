//! Two calendars: calls by tick, in order of insertion; events by time, with a stated order of ties.

use std::hint::select_unpredictable;

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

/// What an event is; ends come before starts at equal times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// A call under way ends.
    End,
    /// An attempt starts.
    Start,
}

/// Events of clients, at most one each, in order of time, then kind, then client.
///
/// A winner tree: a leaf for each client, and in every other node the earlier one of the two below. A new
/// event of a client replays the matches on the way from its leaf to the root, without a branch on their
/// outcome.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    /// Nodes that meet: those at `2 i` and `2 i + 1`, whose winner is at `i`; the root is at 1.
    matches: Vec<[Node; 2]>,
}

/// The earliest event below, as a number in the order of events, and whose it is.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: u64,
    client: u32,
}

/// After every event. One more is still a number.
const NEVER: u64 = u64::MAX - 1;

impl EventQueue {
    /// Forgets all events and starts each client, in order, at its time.
    pub fn start(&mut self, times: impl ExactSizeIterator<Item = f64>) {
        let leaves = times.len().next_power_of_two();
        self.matches.clear();
        self.matches.resize(leaves, [Node { key: NEVER, client: u32::MAX }; 2]);
        for (time, client) in times.zip(0..) {
            let place = leaves + client as usize;
            self.matches[place / 2][place % 2] = Node { key: key(time, EventKind::Start), client };
        }
        for place in (1..leaves).rev() {
            let [left, right] = self.matches[place];
            self.matches[place / 2][place % 2] = if right.key < left.key { right } else { left };
        }
    }

    /// The earliest event.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(f64, EventKind, u32)> {
        let [_, Node { key, client }] = *self.matches.first()?;
        let kind = if key & 1 == 0 { EventKind::End } else { EventKind::Start };
        (key != NEVER).then_some((f64::from_bits(key >> 1), kind, client))
    }

    /// The client's event is now this one; `time` is finite and not negative.
    #[inline]
    pub fn set(&mut self, time: f64, kind: EventKind, client: u32) {
        self.replay(key(time, kind), client);
    }

    /// The client has no event any more.
    #[inline]
    pub fn remove(&mut self, client: u32) {
        self.replay(NEVER, client);
    }

    #[inline]
    fn replay(&mut self, key: u64, client: u32) {
        let mut place = self.matches.len() + client as usize;
        let mut best = Node { key, client };
        while place > 1 {
            let side = place % 2;
            place /= 2;
            let pair = &mut self.matches[place];
            let other = pair[1 - side];
            pair[side] = best;
            // The left one wins a tie.
            let lost = other.key < best.key + side as u64;
            best.key = select_unpredictable(lost, other.key, best.key);
            best.client = select_unpredictable(lost, other.client, best.client);
        }
        self.matches[0][1] = best;
    }
}

/// The bits of floats that are not negative are ordered as the floats are, and their sign leaves room for a kind.
#[inline]
fn key(time: f64, kind: EventKind) -> u64 {
    (time + 0.0).to_bits() << 1 | kind as u64
}

#[cfg(test)]
mod tests {
    use std::{cmp::Reverse, collections::BinaryHeap};

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

    #[test]
    fn ends_come_before_starts_and_low_clients_first() {
        let mut queue = EventQueue::default();
        queue.start([1.0, 1.0, 7.0, 0.5, 9.0].into_iter());
        queue.set(1.0, EventKind::End, 2);
        queue.remove(4);
        let order: Vec<_> = std::iter::from_fn(|| {
            let (_, kind, client) = queue.first()?;
            queue.remove(client);
            Some((kind, client))
        })
        .collect();
        assert_eq!(
            order,
            [(EventKind::Start, 3), (EventKind::End, 2), (EventKind::Start, 0), (EventKind::Start, 1)]
        );
    }

    /// A heap is slower and says the same.
    #[test]
    fn events_come_in_the_order_of_a_heap() {
        for clients in [1, 2, 3, 8, 13, 100] {
            let mut word = 1_u32;
            let mut random = || {
                word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                word >> 16
            };
            let mut queue = EventQueue::default();
            let starts: Vec<u32> = (0..clients).map(|_| random() % 4).collect();
            queue.start(starts.iter().map(|time| f64::from(*time)));
            let mut heap: BinaryHeap<_> = starts
                .iter()
                .zip(0..)
                .map(|(time, client)| Reverse((*time, EventKind::Start, client)))
                .collect();
            for _ in 0..2000 {
                let expected = heap.pop().map(|Reverse(event)| event);
                let first = queue.first();
                assert_eq!(first, expected.map(|(time, kind, client)| (f64::from(time), kind, client)));
                let Some((time, _, client)) = expected else { break };
                if random() % 50 == 0 {
                    queue.remove(client);
                } else {
                    let kind = if random() % 2 == 0 { EventKind::End } else { EventKind::Start };
                    let time = time + random() % 3;
                    queue.set(f64::from(time), kind, client);
                    heap.push(Reverse((time, kind, client)));
                }
            }
        }
    }
}
