//! Events of clients by time, with a stated order of ties.

use std::hint::select_unpredictable;

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
/// A winner tree: a leaf for each client, and in every other node the earlier one of the two below. What a client
/// does after the first event replays the matches on the way from its leaf to the root, without a branch on their
/// outcome.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    /// The winner below each node: those at `2 i` and `2 i + 1` meet at `i`, the root is at 1.
    winners: Vec<Event>,
}

/// A number in the order of events, and whose event it is.
#[derive(Clone, Copy, Debug)]
struct Event {
    key: u64,
    client: u32,
}

/// After every event. One more is still a number.
const NEVER: Event = Event { key: u64::MAX - 1, client: u32::MAX };

impl EventQueue {
    /// Forgets all events and starts each client, in order, at its time.
    pub fn start(&mut self, times: impl ExactSizeIterator<Item = f64>) {
        let winners = &mut self.winners;
        let leaves = times.len().next_power_of_two();
        winners.clear();
        winners.resize(leaves, NEVER);
        winners
            .extend(times.zip(0..).map(|(time, client)| Event { key: key(time, EventKind::Start), client }));
        winners.resize(2 * leaves, NEVER);
        for node in (1..leaves).rev() {
            let [left, right] = [winners[2 * node], winners[2 * node + 1]];
            winners[node] = if right.key < left.key { right } else { left };
        }
    }

    /// The earliest event.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<(f64, EventKind, u32)> {
        let Event { key, client } = *self.winners.get(1)?;
        let kind = if key & 1 == 0 { EventKind::End } else { EventKind::Start };
        (key != NEVER.key).then_some((f64::from_bits(key >> 1), kind, client))
    }

    /// The first event is over, and this comes next of its client; `time` is finite and not negative.
    #[inline]
    pub fn follow(&mut self, time: f64, kind: EventKind) {
        self.replay(key(time, kind));
    }

    /// The first event is over, and its client has none any more.
    #[inline]
    pub fn remove(&mut self) {
        self.replay(NEVER.key);
    }

    #[inline]
    fn replay(&mut self, key: u64) {
        let Some(Event { client, .. }) = self.winners.get(1).copied() else { return };
        let mut node = self.winners.len() / 2 + client as usize;
        let mut best = Event { key, client };
        while node > 1 {
            self.winners[node] = best;
            let other = self.winners[node ^ 1];
            // The left one wins a tie.
            let lost = other.key < best.key + (node as u64 & 1);
            best.key = select_unpredictable(lost, other.key, best.key);
            best.client = select_unpredictable(lost, other.client, best.client);
            node /= 2;
        }
        self.winners[1] = best;
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
    fn ends_come_before_starts_and_low_clients_first() {
        let mut queue = EventQueue::default();
        queue.start([1.0, 1.0, 7.0, 0.5, 0.7].into_iter());
        let mut again = false;
        let mut order = Vec::new();
        while let Some((_, kind, client)) = queue.first() {
            order.push((kind, client));
            match client {
                3 if kind == EventKind::Start => queue.follow(1.0, EventKind::End),
                4 if !std::mem::replace(&mut again, true) => queue.follow(1.0, EventKind::Start),
                _ => queue.remove(),
            }
        }
        let (end, start) = (EventKind::End, EventKind::Start);
        let expected = [(start, 3), (start, 4), (end, 3), (start, 0), (start, 1), (start, 4), (start, 2)];
        assert_eq!(order, expected);
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
                    queue.remove();
                } else {
                    let kind = if random() % 2 == 0 { EventKind::End } else { EventKind::Start };
                    let time = time + random() % 3;
                    queue.follow(f64::from(time), kind);
                    heap.push(Reverse((time, kind, client)));
                }
            }
        }
    }
}
