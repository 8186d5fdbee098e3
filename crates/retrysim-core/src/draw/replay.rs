//! A stream that several owners share: the first one draws, the others get the same numbers again.

use std::convert::Infallible;

use rand_core::TryRng;

use super::Stream;

/// Numbers drawn before, and beyond them those of a stream.
#[derive(Debug)]
pub struct Replay<'s, S> {
    stream: &'s mut S,
    numbers: &'s mut Vec<f64>,
    used: usize,
}

impl<'s, S: Stream> Replay<'s, S> {
    /// Replays `numbers`, and keeps there what it has to draw.
    pub const fn new(stream: &'s mut S, numbers: &'s mut Vec<f64>) -> Self {
        Self { stream, numbers, used: 0 }
    }
}

impl<S: Stream> TryRng for Replay<'_, S> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.stream.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.stream.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.stream.fill_bytes(bytes);
        Ok(())
    }
}

impl<S: Stream> Stream for Replay<'_, S> {
    fn unit(&mut self) -> f64 {
        if self.used == self.numbers.len() {
            self.numbers.push(self.stream.unit());
        }
        self.used += 1;
        self.numbers[self.used - 1]
    }
}
