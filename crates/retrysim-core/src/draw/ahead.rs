//! What is random in the next attempts of a call: drawn side by side they cost little more than one, and nothing waits
//! for them when they are asked for.

use super::{BEGUN, Draws, Purpose};

/// The beginnings of the streams of attempts, by call.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// The first attempt that is drawn, and the first 64 bits of its stream and of those after it.
    drawn: Vec<(u32, [u64; BEGUN])>,
    /// Whether any will be read, and can be drawn out of order.
    is_used: bool,
}

/// Before every attempt.
const NOTHING: u32 = u32::MAX / 2;

impl Ahead {
    /// Nothing is drawn; `are_read` says whether anything will be asked for.
    pub fn reset<D: Draws>(&mut self, are_read: bool, calls: u32) {
        self.is_used = D::KEYED && are_read;
        let calls = if self.is_used { calls as usize } else { 0 };
        self.drawn.resize(calls, (NOTHING, [0; BEGUN]));
        self.drawn.iter_mut().for_each(|(first, _)| *first = NOTHING);
    }

    /// An attempt of `call` is sent.
    #[inline]
    pub fn on_send<D: Draws>(&mut self, call: u32, attempt: u32, draws: &mut D) {
        if self.is_used {
            self.open(call, attempt, draws);
        }
    }

    /// The beginning of the stream of an attempt.
    #[inline]
    fn open<D: Draws>(&mut self, call: u32, attempt: u32, draws: &mut D) -> u64 {
        let (first, bits) = &mut self.drawn[call as usize];
        if attempt.wrapping_sub(*first) as usize >= BEGUN {
            (*first, *bits) = (attempt, draws.begin(call, attempt));
        }
        bits[(attempt - *first) as usize % BEGUN]
    }

    /// The stream of an attempt of `call`.
    #[inline]
    pub fn stream<'d, D: Draws>(&mut self, call: u32, attempt: u32, draws: &'d mut D) -> D::Stream<'d> {
        if self.is_used {
            let bits = self.open(call, attempt, draws);
            draws.resume(Purpose::Attempt, call, attempt, bits)
        } else {
            draws.at(Purpose::Attempt, call, attempt)
        }
    }
}
