//! Numbers for the delay after an attempt, drawn when it is sent, so that nothing waits for them when it fails.

use super::{Draws, Purpose};

/// The beginnings of the streams of attempts under way, by call.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    bits: Vec<u64>,
    /// Whether any will be read, and can be drawn out of order.
    is_used: bool,
}

impl Ahead {
    /// Nothing is under way; `are_read` says whether delays draw at all.
    pub fn reset<D: Draws>(&mut self, are_read: bool, calls: u32) {
        self.is_used = D::KEYED && are_read;
        self.bits.clear();
        self.bits.resize(if self.is_used { calls as usize } else { 0 }, 0);
    }

    /// An attempt of `call` is sent.
    #[inline]
    pub fn on_send<D: Draws>(&mut self, call: u32, attempt: u32, draws: &mut D) {
        if self.is_used {
            self.bits[call as usize] = draws.begin(Purpose::Attempt, call, attempt);
        }
    }

    /// The stream of the attempt of `call` that was sent last.
    #[inline]
    pub fn stream<'d, D: Draws>(&self, call: u32, attempt: u32, draws: &'d mut D) -> D::Stream<'d> {
        if self.is_used {
            draws.resume(Purpose::Attempt, call, attempt, self.bits[call as usize])
        } else {
            draws.at(Purpose::Attempt, call, attempt)
        }
    }
}
