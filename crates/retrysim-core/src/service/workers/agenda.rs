//! What will happen, in order of time.

use super::{
    slots::Key,
    timeline::{Timed, Timeline},
};

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
#[derive(Clone, Copy, Debug)]
struct Entry {
    time: u64,
    order: u64,
    key: Key,
}

impl Timed for Entry {
    fn time(&self) -> u64 {
        self.time
    }

    fn order(&self) -> u64 {
        self.order
    }
}

/// Bits of an event's number, below its kind.
const NUMBER: u32 = 56;

/// What will happen before the horizon.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    timeline: Timeline<Entry>,
    horizon: f64,
    planned: u64,
    /// Timers of attempts that are over.
    void: usize,
}

impl Agenda {
    pub fn reset(&mut self, horizon: f64) {
        self.timeline.clear();
        (self.horizon, self.planned, self.void) = (horizon, 0, 0);
    }

    /// Something will happen then; not at all, if that is at the horizon or later.
    #[inline]
    pub fn plan(&mut self, time: f64, what: Happening, key: Key) {
        if time < self.horizon {
            let order = (what as u64) << NUMBER | self.planned;
            self.timeline.push(Entry { time: (time + 0.0).to_bits(), order, key });
            self.planned += 1;
        }
    }

    /// What happens next.
    #[inline]
    pub fn next(&mut self) -> Option<(f64, Happening, Key)> {
        let Entry { time, order, key } = self.timeline.pop()?;
        Some((f64::from_bits(time), Happening::ALL[(order >> NUMBER) as usize], key))
    }

    /// A timer that was planned for then has lost its meaning. Many such are thrown out, which `is_alive` tells from
    /// the others.
    #[inline]
    pub fn disarm(&mut self, time: f64, is_alive: impl Fn(Key) -> bool) {
        const MANY: usize = 1024;
        self.void += usize::from(time < self.horizon);
        if self.void > MANY.max(self.timeline.len() / 2) {
            let is_timer = |order: u64| order >> NUMBER == Happening::Timer as u64;
            self.timeline.retain(|entry| !is_timer(entry.order) || is_alive(entry.key));
            self.void = 0;
        }
    }
}
