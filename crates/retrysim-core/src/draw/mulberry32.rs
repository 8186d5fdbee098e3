//! mulberry32, a 32-bit generator often used in JavaScript programs.

use std::convert::Infallible;

use rand_core::{TryRng, utils};

use super::{Batch, Draws, Purpose, Stream};

/// One sequence for every purpose, in the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mulberry32 {
    state: u32,
}

impl Mulberry32 {
    /// The generator seeded with `seed`.
    #[must_use]
    pub const fn new(seed: u32) -> Self {
        Self { state: seed }
    }

    /// The internal state.
    #[must_use]
    pub const fn state(self) -> u32 {
        self.state
    }

    /// The next 32 bits.
    pub const fn word(&mut self) -> u32 {
        self.state = self.state.wrapping_add(0x6D2B_79F5);
        let a = self.state;
        let t = (a ^ (a >> 15)).wrapping_mul(a | 1);
        let t = t.wrapping_add((t ^ (t >> 7)).wrapping_mul(t | 61)) ^ t;
        t ^ (t >> 14)
    }
}

impl Draws for Mulberry32 {
    type Stream<'a> = &'a mut Self;
    const KEYED: bool = false;

    fn at(&mut self, _: Purpose, _: u32, _: u32) -> &mut Self {
        self
    }

    /// The first `k` places of a Fisher-Yates shuffle.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a product below n")]
    fn choose(&mut self, _: &mut Batch, k: usize, marks: &mut [bool]) {
        let n = u32::try_from(marks.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..n).collect();
        for i in 0..k.min(order.len()) {
            let left = n - u32::try_from(i).unwrap_or(n);
            let j = i + (self.unit() * f64::from(left)) as usize;
            order.swap(i, j);
            marks[order[i] as usize] = true;
        }
    }
}

impl TryRng for Mulberry32 {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

impl Stream for Mulberry32 {
    fn unit(&mut self) -> f64 {
        f64::from(self.word()) / 4_294_967_296.0
    }
}

impl Stream for &mut Mulberry32 {
    fn unit(&mut self) -> f64 {
        (**self).unit()
    }
}
