//! Those that wait for a worker.

use std::collections::VecDeque;

use super::{Order, slots::Key};

/// Attempts in the order in which they came. One that leaves is passed over later.
#[derive(Debug, Default)]
pub(super) struct Line {
    keys: VecDeque<Key>,
    waiting: usize,
}

impl Line {
    pub fn clear(&mut self) {
        self.keys.clear();
        self.waiting = 0;
    }

    /// How many wait.
    pub const fn len(&self) -> usize {
        self.waiting
    }

    /// One joins at the end; `waits` tells those that wait from those that have left.
    pub fn push(&mut self, key: Key, waits: impl Fn(Key) -> bool) {
        const FEW: usize = 64;
        if self.keys.len() > FEW + 2 * self.waiting {
            self.keys.retain(|key| waits(*key));
        }
        self.keys.push_back(key);
        self.waiting += 1;
    }

    /// One leaves before its turn.
    pub const fn leave(&mut self) {
        self.waiting -= 1;
    }

    /// The next one, which leaves.
    pub fn pop(&mut self, order: Order, waits: impl Fn(Key) -> bool) -> Option<Key> {
        loop {
            let key = match order {
                Order::Fifo => self.keys.pop_front(),
                Order::Lifo => self.keys.pop_back(),
            }?;
            if waits(key) {
                self.waiting -= 1;
                return Some(key);
            }
        }
    }
}
