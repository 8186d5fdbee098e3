//! What will happen, in order of time.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::slots::Key;

/// What happens; at one moment in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// A brownout begins or ends.
    Change,
    /// A worker has finished an attempt.
    Finish,
    /// An answer reaches its client.
    Answer,
    /// A client's patience with an attempt is over.
    Timer,
    /// An attempt reaches the service.
    Arrival,
    /// The next attempt of a call is due.
    Send,
    /// A copy of an attempt is due that has been let through.
    Copy,
    /// Time for another copy, if there is no success yet.
    Hedge,
    /// A client makes a new call; its number is the slot.
    Call,
    /// An idle worker looks into the queue.
    Poll,
}

impl Happening {
    const ALL: [Self; 10] = [
        Self::Change,
        Self::Finish,
        Self::Answer,
        Self::Timer,
        Self::Arrival,
        Self::Send,
        Self::Copy,
        Self::Hedge,
        Self::Call,
        Self::Poll,
    ];
}

/// Time, as bits that are ordered as times are; kind and number in one; and whose it is.
type Entry = (u64, u64, Key);

/// Bits of an event's number, below its kind.
const NUMBER: u32 = 56;

/// What will happen before the horizon.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    heap: BinaryHeap<Reverse<Entry>>,
    horizon: f64,
    planned: u64,
    /// Timers of attempts that are over.
    void: usize,
}

impl Agenda {
    pub fn reset(&mut self, horizon: f64) {
        self.heap.clear();
        (self.horizon, self.planned, self.void) = (horizon, 0, 0);
    }

    /// Something will happen then; not at all, if that is at the horizon or later.
    #[inline]
    pub fn plan(&mut self, time: f64, what: Happening, key: Key) {
        if time < self.horizon {
            self.heap.push(Reverse(((time + 0.0).to_bits(), (what as u64) << NUMBER | self.planned, key)));
            self.planned += 1;
        }
    }

    /// What happens next.
    #[inline]
    pub fn next(&mut self) -> Option<(f64, Happening, Key)> {
        let Reverse((time, order, key)) = self.heap.pop()?;
        Some((f64::from_bits(time), Happening::ALL[(order >> NUMBER) as usize], key))
    }

    /// A timer that was planned for then has lost its meaning. Many such are thrown out, which `is_alive` tells from
    /// the others.
    #[inline]
    pub fn disarm(&mut self, time: f64, is_alive: impl Fn(Key) -> bool) {
        const MANY: usize = 1024;
        self.void += usize::from(time < self.horizon);
        if self.void > MANY.max(self.heap.len() / 2) {
            let is_timer = |order: u64| order >> NUMBER == Happening::Timer as u64;
            self.heap.retain(|Reverse((_, order, key))| !is_timer(*order) || is_alive(*key));
            self.void = 0;
        }
    }
}
