//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11).
//!
//! Key: the seed. Counter: index (attempt), owner (call), run, purpose and block. Changing this layout
//! changes every default result (*value-breaking*).

use std::convert::Infallible;

use rand_core::{TryRng, utils};
use rand_philox::philox4x32_10;

use super::{Draws, Purpose, Stream, Ticket};

/// The keyed draws of one run.
#[derive(Clone, Debug)]
pub struct Philox {
    key: [u32; 2],
    run: u64,
    /// Room for lotteries: number, call, attempt, index.
    lottery: Vec<(u32, u32, u32, u32)>,
}

impl Philox {
    /// The draws of run number `run` under `seed`; runs are distinct below 2^48.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the seed is split into its two words")]
    pub const fn new(seed: u64, run: u64) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], run, lottery: Vec::new() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the run is split into its words")]
    const fn counter(&self, purpose: Purpose, owner: u32, index: u32) -> [u32; 4] {
        [index, owner, self.run as u32, (purpose as u32) << 24 | ((self.run >> 32) as u32 & 0xffff) << 8]
    }

    /// The four words at a key; word 0 is the lottery number, words 2 and 3 the first of the stream.
    #[must_use]
    pub fn block(&self, purpose: Purpose, owner: u32, index: u32) -> [u32; 4] {
        philox4x32_10(self.counter(purpose, owner, index), self.key)
    }
}

impl Draws for Philox {
    type Stream<'a> = PhiloxStream;

    fn at(&mut self, purpose: Purpose, owner: u32, index: u32) -> PhiloxStream {
        PhiloxStream {
            key: self.key,
            counter: self.counter(purpose, owner, index),
            words: [0; 4],
            next: 4,
            first: true,
        }
    }

    /// The smallest lottery numbers win, so the order of the tickets does not matter.
    fn choose(&mut self, tickets: &[Ticket], k: usize, picked: &mut Vec<u32>) {
        picked.clear();
        if k >= tickets.len() {
            picked.extend(0..u32::try_from(tickets.len()).unwrap_or(u32::MAX));
            return;
        }
        let mut lottery = std::mem::take(&mut self.lottery);
        lottery.clear();
        lottery.extend(tickets.iter().zip(0..).map(|(ticket, index)| {
            (self.block(Purpose::Attempt, ticket.call, ticket.attempt)[0], ticket.call, ticket.attempt, index)
        }));
        lottery.select_nth_unstable(k);
        picked.extend(lottery[..k].iter().map(|(_, _, _, index)| *index));
        self.lottery = lottery;
    }
}

/// The words at one key: words 2 and 3 of the first block, then whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct PhiloxStream {
    key: [u32; 2],
    counter: [u32; 4],
    words: [u32; 4],
    next: usize,
    first: bool,
}

impl PhiloxStream {
    #[inline]
    fn word(&mut self) -> u32 {
        if self.next == 4 {
            self.words = philox4x32_10(self.counter, self.key);
            self.next = if self.first { 2 } else { 0 };
            self.first = false;
            // The block number lives in the low byte of the last counter word.
            self.counter[3] = (self.counter[3] & !0xff) | (self.counter[3].wrapping_add(1) & 0xff);
        }
        self.next += 1;
        self.words[self.next - 1]
    }
}

impl TryRng for PhiloxStream {
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

impl Stream for PhiloxStream {
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    fn unit(&mut self) -> f64 {
        let bits = u64::from(self.word()) << 32 | u64::from(self.word());
        (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the Random123 distribution for philox4x32-10.
    #[test]
    fn known_answers() {
        let zero = philox4x32_10([0; 4], [0; 2]);
        assert_eq!(zero, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = philox4x32_10([u32::MAX; 4], [u32::MAX; 2]);
        assert_eq!(ones, [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi =
            philox4x32_10([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]);
        assert_eq!(pi, [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    /// The layout of key and counter is part of the results: these values may only change as *value-breaking*.
    #[test]
    fn layout_is_stable() {
        let mut draws = Philox::new(0, 0);
        let block = philox4x32_10([1, 0, 0, 0], [0, 0]);
        assert_eq!(draws.block(Purpose::Attempt, 0, 1), block);
        let mut stream = draws.at(Purpose::Attempt, 0, 1);
        let bits = u64::from(block[2]) << 32 | u64::from(block[3]);
        assert_eq!(stream.unit(), (bits >> 11) as f64 / 9_007_199_254_740_992.0);
        let next = philox4x32_10([1, 0, 0, 1], [0, 0]);
        assert_eq!(rand_core::Rng::next_u32(&mut stream), next[0]);
        let far = Philox::new(7 | 9 << 32, 3 | 5 << 32).block(Purpose::Network, 2, 8);
        assert_eq!(far, philox4x32_10([8, 2, 3, 3 << 24 | 5 << 8], [7, 9]));
    }

    #[test]
    fn choosing_does_not_depend_on_order() {
        let tickets: Vec<Ticket> = (0..40).map(|call| Ticket { call, attempt: 1 + call % 3 }).collect();
        let backwards: Vec<Ticket> = tickets.iter().rev().copied().collect();
        let mut draws = Philox::new(4, 2);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        draws.choose(&tickets, 5, &mut a);
        draws.choose(&backwards, 5, &mut b);
        let calls =
            |picked: &[u32], of: &[Ticket]| picked.iter().map(|i| of[*i as usize].call).collect::<Vec<_>>();
        assert_eq!(calls(&a, &tickets), calls(&b, &backwards));
    }
}
