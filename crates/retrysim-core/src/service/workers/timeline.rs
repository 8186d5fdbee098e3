//! Entries in order of time: a radix heap.
//!
//! Time only goes on, so an entry is filed by the highest bit in which its time differs from the present. Whenever the
//! present is over, the first file that isn't empty has the next moment, and its other entries move to earlier files:
//! each entry moves a few times in its life and is compared with hardly any other (Ahuja, Mehlhorn, Orlin and Tarjan:
//! "Faster Algorithms for the Shortest Path Problem", J. ACM 37, 1990).

/// What is filed: a time as bits that are ordered as times are, and what comes first at one time.
pub(super) trait Timed: Copy {
    fn time(&self) -> u64;
    fn order(&self) -> u64;
}

/// Entries, the earliest first; at one time by their order.
#[derive(Debug)]
pub(super) struct Timeline<T> {
    now: u64,
    /// Entries of this moment, the next one last.
    present: Vec<T>,
    /// Later ones, by the highest bit in which their time differs from `now`, and a bit for each file that has some.
    later: [Vec<T>; 64],
    filed: u64,
    len: usize,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self { now: 0, present: Vec::new(), later: [const { Vec::new() }; 64], filed: 0, len: 0 }
    }
}

impl<T: Timed> Timeline<T> {
    pub fn clear(&mut self) {
        self.present.clear();
        self.later.iter_mut().for_each(Vec::clear);
        (self.now, self.filed, self.len) = (0, 0, 0);
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    /// Files an entry, which is not earlier than the last one that was taken.
    #[inline]
    pub fn push(&mut self, entry: T) {
        debug_assert!(entry.time() >= self.now, "time goes on");
        self.len += 1;
        if entry.time() == self.now {
            let place = self.present.partition_point(|other| other.order() > entry.order());
            self.present.insert(place, entry);
        } else {
            self.file(entry);
        }
    }

    #[inline]
    fn file(&mut self, entry: T) {
        let bit = (entry.time() ^ self.now).ilog2();
        self.later[bit as usize].push(entry);
        self.filed |= 1 << bit;
    }

    /// Takes the first entry out.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.present.is_empty() {
            self.go_on();
        }
        let entry = self.present.pop()?;
        self.len -= 1;
        Some(entry)
    }

    /// The next moment at which there is something becomes the present.
    fn go_on(&mut self) {
        if self.filed == 0 {
            return;
        }
        let first = self.filed.trailing_zeros() as usize;
        self.filed &= !(1 << first);
        let mut file = std::mem::take(&mut self.later[first]);
        self.now = file.iter().map(Timed::time).min().unwrap_or(self.now);
        for entry in file.drain(..) {
            if entry.time() == self.now {
                self.present.push(entry);
            } else {
                self.file(entry);
            }
        }
        self.present.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.order()));
        self.later[first] = file;
    }

    /// Throws out what isn't to be kept.
    pub fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        self.present.retain(&is_kept);
        self.len = self.present.len();
        self.filed = 0;
        for (file, bit) in self.later.iter_mut().zip(0..) {
            file.retain(&is_kept);
            self.len += file.len();
            self.filed |= u64::from(!file.is_empty()) << bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{cmp::Reverse, collections::BinaryHeap};

    use super::*;

    impl Timed for (u64, u64) {
        fn time(&self) -> u64 {
            self.0
        }
        fn order(&self) -> u64 {
            self.1
        }
    }

    /// A heap is slower and says the same.
    #[test]
    fn entries_come_in_the_order_of_a_heap() {
        let mut timeline = Timeline::default();
        let mut word = 1_u64;
        for far in [1, 3, 1000, u64::MAX >> 1] {
            timeline.clear();
            let mut heap = BinaryHeap::new();
            let mut now = 0;
            for i in 0..20_000_u64 {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if word >> 62 != 0 || heap.is_empty() {
                    let entry = (now + (word >> 20) % far.min(u64::MAX - now), ((word >> 40) % 7) << 32 | i);
                    timeline.push(entry);
                    heap.push(Reverse(entry));
                } else {
                    let entry = heap.pop().map(|Reverse(entry)| entry);
                    assert_eq!(timeline.pop(), entry);
                    now = entry.map_or(now, |entry| entry.0);
                }
                if i % 4_999 == 0 {
                    timeline.retain(|entry| entry.1 % 3 != 0);
                    heap.retain(|Reverse(entry)| entry.1 % 3 != 0);
                }
                assert_eq!(timeline.len(), heap.len());
            }
            while let Some(Reverse(entry)) = heap.pop() {
                assert_eq!(timeline.pop(), Some(entry));
            }
            assert_eq!(timeline.pop(), None);
        }
    }
}
