//! Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11).
//!
//! Key: the seed. Counter: index (attempt), owner (call), run, purpose and block. Changing this layout
//! changes every default result (*value-breaking*).

use std::convert::Infallible;

use fearless_simd::{Level, dispatch};
use rand_core::{TryRng, utils};
use rand_philox::philox4x32_10;

use super::{
    BEGUN, Batch, Draws, Purpose, SENDS, Stream,
    batch::{mark_smallest, unit},
};

/// The keyed draws of one run.
#[derive(Clone, Copy, Debug)]
pub struct Philox {
    key: [u32; 2],
    run: u64,
    level: Level,
}

impl Philox {
    /// The draws of run number `run` under `seed`; runs are distinct below 2^48.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the seed is split into its two words")]
    pub fn new(seed: u64, run: u64) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], run, level: Level::new() }
    }

    /// The vectors that are drawn with.
    pub(crate) const fn level(&self) -> Level {
        self.level
    }

    /// The same draws with the vectors that every processor of its kind has.
    #[cfg(test)]
    pub(crate) const fn plain(self) -> Self {
        Self { level: Level::baseline(), ..self }
    }

    const fn counter(&self, purpose: Purpose, owner: u32, index: u32) -> [u32; 4] {
        let [low, high] = self.run_words();
        [index, owner, low, (purpose as u32) << 24 | high]
    }

    /// What of the run is in the last two words of a counter.
    #[expect(clippy::cast_possible_truncation, reason = "the run is split into its words")]
    const fn run_words(&self) -> [u32; 2] {
        [self.run as u32, ((self.run >> 32) as u32 & 0xffff) << 8]
    }

    /// What many blocks of a run have in common.
    pub(crate) fn common(&self) -> Common {
        let mut key = self.key.map(u64::from);
        let keys = [(); 10].map(|()| {
            let now = key;
            key = bumped(key);
            now
        });
        Common { keys, run: self.run_words() }
    }

    /// The four words at a key; word 0 is the lottery number, words 2 and 3 the first of the stream.
    #[must_use]
    pub fn block(&self, purpose: Purpose, owner: u32, index: u32) -> [u32; 4] {
        philox4x32_10(self.counter(purpose, owner, index), self.key)
    }
}

/// What the blocks of a run have in common: computed once, and in memory, where a vector operation finds it at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Common {
    /// The keys of the rounds.
    keys: [[u64; 2]; 10],
    run: [u32; 2],
}

impl Common {
    /// Blocks side by side, one for each number that has an owner in its upper half and an index in its lower: the two
    /// numbers of each block, the first word of each in the lower half.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
    pub fn blocks<const N: usize>(&self, purpose: Purpose, owners: &[u64; N]) -> [[u64; N]; 2] {
        let [run, high] = self.run;
        let last = (purpose as u32) << 24 | high;
        let [mut first, mut second] = [[0; N]; 2];
        for i in 0..N {
            let mut x = [owners[i] as u32, (owners[i] >> 32) as u32, run, last].map(u64::from);
            for key in &self.keys {
                x = round(x, *key);
            }
            [first[i], second[i]] = two_numbers(x);
        }
        [first, second]
    }

    /// What is random in [`SENDS`] attempts of a call, from `attempt` on.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "few lanes")]
    pub fn sends(&self, call: u32, attempt: u32) -> Sends {
        let [run, high] = self.run;
        let mut drawn = [[0; BLOCKS * SENDS]; 2];
        let [firsts, seconds] = &mut drawn;
        for (lane, (first, second)) in firsts.iter_mut().zip(seconds).enumerate() {
            let (block, i) = ((lane / SENDS) as u32, (lane % SENDS) as u32);
            let last = match block {
                0 => (Purpose::Attempt as u32) << 24 | high,
                _ => (Purpose::Network as u32) << 24 | high | (block - 1),
            };
            let mut x = [attempt.wrapping_add(i), call, run, last].map(u64::from);
            for key in &self.keys {
                x = round(x, *key);
            }
            [*first, *second] = two_numbers(x);
        }
        Sends { call, attempt, drawn }
    }
}

/// The draws of some runs, side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abreast<const N: usize> {
    /// What of key and counter belongs to a run: two words each.
    keys: [[u32; N]; 2],
    runs: [[u32; N]; 2],
}

impl<const N: usize> Default for Abreast<N> {
    fn default() -> Self {
        Self { keys: [[0; N]; 2], runs: [[0; N]; 2] }
    }
}

impl<const N: usize> Abreast<N> {
    /// Puts the draws of a run into a lane.
    pub fn set(&mut self, lane: usize, draws: &Philox) {
        let [_, _, run, last] = draws.counter(Purpose::Attempt, 0, 0);
        for (words, word) in self.keys.iter_mut().zip(draws.key) {
            words[lane] = word;
        }
        (self.runs[0][lane], self.runs[1][lane]) = (run, last);
    }

    /// What [`Common::blocks`] gives, each for its run, for [`Purpose::Attempt`].
    #[inline(always)]
    pub fn attempts(&self, owners: &[u64; N], indices: &[u64; N]) -> [[u64; N]; 2] {
        let Self { keys, runs } = self;
        let [mut first, mut second] = [[0; N]; 2];
        for i in 0..N {
            let counter = [indices[i] as u32, owners[i] as u32, runs[0][i], runs[1][i]];
            [first[i], second[i]] = numbers(counter, [keys[0][i], keys[1][i]]);
        }
        [first, second]
    }
}

impl Draws for Philox {
    type Stream<'a> = PhiloxStream;
    const KEYED: bool = true;

    #[inline]
    fn at(&mut self, purpose: Purpose, owner: u32, index: u32) -> PhiloxStream {
        let counter = self.counter(purpose, owner, index);
        PhiloxStream { key: self.key, counter, words: [0; 4], next: 0, end: 0, first: true }
    }

    #[inline]
    fn number(&mut self, purpose: Purpose, owner: u32, index: u32) -> f64 {
        unit(beginning(rounds(self.counter(purpose, owner, index), self.key)))
    }

    #[inline(always)]
    fn open(&mut self, batch: &mut Batch) {
        let Batch { calls, attempts, lots, bits, .. } = batch;
        let n = calls.len();
        lots.resize(n, 0);
        bits.resize(n, 0);
        let counter = self.counter(Purpose::Attempt, 0, 0);
        dispatch!(self.level, _simd => open(counter, self.key, calls, attempts, lots, bits));
    }

    #[inline]
    fn begin(&mut self, call: u32, attempt: u32) -> [u64; BEGUN] {
        let counter = self.counter(Purpose::Attempt, call, attempt);
        dispatch!(self.level, _simd => begin(counter, self.key))
    }

    #[inline]
    fn resume(&mut self, purpose: Purpose, owner: u32, index: u32, bits: u64) -> PhiloxStream {
        self.at(purpose, owner, index).begun(bits)
    }

    /// The smallest lottery numbers win, ties by call, so the order of the batch does not matter.
    #[inline(always)]
    fn choose(&mut self, batch: &mut Batch, k: usize, marks: &mut [bool]) {
        if k >= marks.len() {
            marks.fill(true);
            return;
        }
        let Batch { calls, lots, tickets, room, .. } = batch;
        tickets.clear();
        tickets.extend(lots.iter().zip(calls).map(|(lot, call)| u64::from(*lot) << 32 | u64::from(*call)));
        mark_smallest(tickets, k, room, marks);
    }
}

/// The ten rounds, compiled into the loop that asks for them.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "words are the lower halves")]
fn rounds(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [first, second] = numbers(counter, key);
    [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32]
}

/// A block as two numbers, the first word of each in the lower half.
#[inline(always)]
fn numbers(counter: [u32; 4], key: [u32; 2]) -> [u64; 2] {
    let (mut x, mut key) = (counter.map(u64::from), key.map(u64::from));
    for _ in 0..10 {
        x = round(x, key);
        key = bumped(key);
    }
    two_numbers(x)
}

/// A round. Words are in the lower halves of 64 bits, whatever is in the upper ones: products need no packing.
#[inline(always)]
fn round(x: [u64; 4], key: [u64; 2]) -> [u64; 4] {
    let products = [word(x[0]) * 0xD251_1F53, word(x[2]) * 0xCD9E_8D57];
    [(products[1] >> 32) ^ x[1] ^ key[0], products[1], (products[0] >> 32) ^ x[3] ^ key[1], products[0]]
}

/// The key of the next round.
#[inline(always)]
const fn bumped(key: [u64; 2]) -> [u64; 2] {
    [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)]
}

#[inline(always)]
fn two_numbers(x: [u64; 4]) -> [u64; 2] {
    [x[1] << 32 | word(x[0]), x[3] << 32 | word(x[2])]
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "words are the lower halves")]
fn word(x: u64) -> u64 {
    u64::from(x as u32)
}

/// Lottery numbers and beginnings of the streams of attempts: a flat loop over columns, which compiles to blocks side
/// by side.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lower half of a number")]
fn open(
    [_, _, run, last]: [u32; 4],
    key: [u32; 2],
    calls: &[u32],
    attempts: &[u32],
    lots: &mut [u32],
    bits: &mut [u64],
) {
    let n = calls.len();
    let (attempts, lots, bits) = (&attempts[..n], &mut lots[..n], &mut bits[..n]);
    for i in 0..n {
        let [first, second] = numbers([attempts[i], calls[i], run, last], key);
        (lots[i], bits[i]) = (first as u32, second.rotate_left(32));
    }
}

/// The beginnings of streams whose indices follow each other.
#[inline(always)]
fn begin(counter: [u32; 4], key: [u32; 2]) -> [u64; BEGUN] {
    let mut bits = [0; BEGUN];
    for (bits, lane) in bits.iter_mut().zip(0..) {
        let [_, second] = numbers([counter[0].wrapping_add(lane), counter[1], counter[2], counter[3]], key);
        *bits = second.rotate_left(32);
    }
    bits
}

/// Blocks of an attempt that is sent: the first one of its own stream, and those of its network delays.
const BLOCKS: usize = 4;

/// The blocks of [`SENDS`] attempts as columns of numbers: a row of attempts for each block.
type Drawn = [[u64; BLOCKS * SENDS]; 2];

/// What is random in [`SENDS`] attempts that follow each other.
#[derive(Debug)]
pub(crate) struct Sends {
    call: u32,
    attempt: u32,
    drawn: Drawn,
}

impl Sends {
    /// The beginning of the own stream of each attempt.
    #[inline(always)]
    pub fn begun(&self) -> [u64; SENDS] {
        let mut begun = [0; SENDS];
        for (begun, drawn) in begun.iter_mut().zip(&self.drawn[1]) {
            *begun = drawn.rotate_left(32);
        }
        begun
    }

    /// The first numbers of the stream of network delays of each attempt.
    #[inline(always)]
    pub fn network(&self) -> [[u64; 4]; SENDS] {
        let [first, second] = &self.drawn;
        let mut numbers = [[0; 4]; SENDS];
        for (i, numbers) in numbers.iter_mut().enumerate() {
            let [one, two, three] = [SENDS + i, 2 * SENDS + i, 3 * SENDS + i];
            *numbers = [second[one], first[two], second[two], first[three]];
        }
        numbers
    }

    /// The stream of network delays of an attempt.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "few attempts")]
    pub fn network_of(&self, i: usize, draws: &mut Philox) -> PhiloxAhead<'_> {
        let stream = draws.at(Purpose::Network, self.call, self.attempt + i as u32);
        PhiloxAhead { drawn: &self.drawn, lane: i, next: 0, stream, skipped: 0 }
    }
}

/// The first 64 bits of the stream at a block.
#[inline]
fn beginning(words: [u32; 4]) -> u64 {
    u64::from(words[2]) << 32 | u64::from(words[3])
}

/// The counter of the next block; its number lives in the low byte of the last word.
const fn after(mut counter: [u32; 4]) -> [u32; 4] {
    counter[3] = (counter[3] & !0xff) | (counter[3].wrapping_add(1) & 0xff);
    counter
}

/// The words at one key: words 2 and 3 of the first block, then whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct PhiloxStream {
    key: [u32; 2],
    /// The counter of the next block.
    counter: [u32; 4],
    words: [u32; 4],
    next: usize,
    end: usize,
    first: bool,
}

impl PhiloxStream {
    /// The stream with its first 64 bits drawn already.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "two words")]
    fn begun(mut self, bits: u64) -> Self {
        self.words[..2].copy_from_slice(&[(bits >> 32) as u32, bits as u32]);
        self.counter = after(self.counter);
        (self.end, self.first) = (2, false);
        self
    }

    #[inline]
    fn word(&mut self) -> u32 {
        if self.next == self.end {
            self.refill();
        }
        self.next += 1;
        self.words[self.next - 1]
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.words = philox4x32_10(self.counter, self.key);
        (self.next, self.end) = (if self.first { 2 } else { 0 }, 4);
        self.first = false;
        self.counter = after(self.counter);
    }
}

impl TryRng for PhiloxStream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

impl Stream for PhiloxStream {
    #[inline]
    fn unit(&mut self) -> f64 {
        unit(u64::from(self.word()) << 32 | u64::from(self.word()))
    }
}

/// The stream of an attempt's network delays, whose first numbers are drawn already: four normal ones need four, and
/// now and then one more.
#[derive(Clone, Copy, Debug)]
pub struct PhiloxAhead<'d> {
    drawn: &'d Drawn,
    /// The attempt's place in each row.
    lane: usize,
    next: usize,
    /// The same stream, drawn anew, and how many of the first numbers have been skipped in it.
    stream: PhiloxStream,
    skipped: usize,
}

impl PhiloxAhead<'_> {
    /// Numbers that are drawn already. The stream begins with the second one of its first block.
    const NUMBERS: usize = 2 * (BLOCKS - 1) - 1;

    /// The next number that is drawn already.
    #[inline]
    fn drawn(&mut self) -> Option<u64> {
        if self.next == Self::NUMBERS {
            return None;
        }
        self.next += 1;
        let (block, half) = (1 + self.next / 2, self.next % 2);
        self.drawn[half].get(SENDS * block + self.lane).copied()
    }

    /// The rest, once more is wanted than was drawn, or half of a number.
    #[inline(never)]
    fn rest(&mut self) -> &mut PhiloxStream {
        while self.skipped < self.next {
            let _ = (self.stream.word(), self.stream.word());
            self.skipped += 1;
        }
        (self.skipped, self.next) = (Self::NUMBERS, Self::NUMBERS);
        &mut self.stream
    }
}

impl TryRng for PhiloxAhead<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.rest().word())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        match self.drawn() {
            Some(number) => Ok(number),
            None => self.rest().try_next_u64(),
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rest().try_fill_bytes(bytes)
    }
}

impl Stream for PhiloxAhead<'_> {
    #[inline]
    fn unit(&mut self) -> f64 {
        match self.drawn() {
            Some(number) => unit(number.rotate_left(32)),
            None => self.rest().unit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use super::*;

    #[test]
    fn rounds_are_those_of_the_block() {
        for i in 0..1000_u32 {
            let word = |w: u32| (i * 4 + w).wrapping_mul(0x9E37_79B9);
            let counter = [word(0), word(1), word(2), word(3)];
            assert_eq!(rounds(counter, [word(1), !i]), philox4x32_10(counter, [word(1), !i]));
        }
    }

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
        assert_eq!(stream.next_u32(), next[0]);
        let far = Philox::new(7 | 9 << 32, 3 | 5 << 32).block(Purpose::Network, 2, 8);
        assert_eq!(far, philox4x32_10([8, 2, 3, 3 << 24 | 5 << 8], [7, 9]));
    }

    fn batch(calls: impl Iterator<Item = u32>) -> Batch {
        let mut batch = Batch::default();
        batch.calls.extend(calls);
        batch.look_up(|call| 1 + call % 3);
        batch
    }

    #[test]
    fn a_stream_resumed_is_the_stream_at_its_key() {
        let draws = Philox::new(11, 3 | 7 << 32);
        [draws, draws.plain()].into_iter().for_each(resume);
    }

    fn resume(mut draws: Philox) {
        let mut batch = batch(100..113);
        draws.open(&mut batch);
        for (i, call) in (100..113).enumerate() {
            let mut expected = draws.at(Purpose::Attempt, call, 1 + call % 3);
            assert_eq!(draws.begin(call, 1 + call % 3)[0], batch.bits[i]);
            assert_eq!(draws.begin(call, call % 3)[1], batch.bits[i]);
            let mut resumed = draws.resume(Purpose::Attempt, call, 1 + call % 3, batch.bits[i]);
            for _ in 0..9 {
                assert_eq!(resumed.unit(), expected.unit());
            }
        }
    }

    #[test]
    fn attempts_and_their_network_delays_can_be_drawn_together() {
        let draws = Philox::new(11, 3 | 7 << 32);
        [draws, draws.plain()].into_iter().for_each(draw_together);
    }

    fn draw_together(draws: Philox) {
        let sends = draws.common().sends(6, 2);
        for i in 0..SENDS {
            assert_eq!(sends.begun()[i], draws.clone().begin(6, 2)[i]);
            let (mut together, mut alone) = (
                sends.network_of(i, &mut draws.clone()),
                draws.clone().at(Purpose::Network, 6, 2 + i as u32),
            );
            let mut first = sends.network()[i].into_iter();
            for _ in 0..30 {
                let number = alone.next_u64();
                assert_eq!(together.next_u64(), number);
                assert_eq!(first.next().unwrap_or(number), number);
            }
            let (mut together, mut alone) = (
                sends.network_of(i, &mut draws.clone()),
                draws.clone().at(Purpose::Network, 6, 2 + i as u32),
            );
            assert_eq!(together.next_u64(), alone.next_u64());
            assert_eq!(together.next_u32(), alone.next_u32());
            for _ in 0..9 {
                assert_eq!(together.next_u64(), alone.next_u64());
            }
            let (mut together, mut alone) = (
                sends.network_of(i, &mut draws.clone()),
                draws.clone().at(Purpose::Network, 6, 2 + i as u32),
            );
            for _ in 0..9 {
                assert_eq!(together.unit(), alone.unit());
            }
        }
    }

    #[test]
    fn the_smallest_numbers_win_in_any_order() {
        for (n, k) in [(40, 5), (8, 5), (24, 23), (25, 1), (9, 0), (5, 5), (3, 7)] {
            let mut draws = Philox::new(4, 2);
            let mut smallest: Vec<_> =
                (0..n).map(|call| (draws.block(Purpose::Attempt, call, 1 + call % 3)[0], call)).collect();
            smallest.sort_unstable();
            let mut expected: Vec<u32> = smallest.iter().map(|(_, call)| *call).take(k).collect();
            expected.sort_unstable();
            let chosen = |order: Vec<u32>, draws: &mut Philox| {
                let mut batch = batch(order.iter().copied());
                let mut marks = vec![false; order.len()];
                draws.open(&mut batch);
                draws.choose(&mut batch, k, &mut marks);
                let marked = order.into_iter().zip(marks).filter(|(_, mark)| *mark);
                let mut calls: Vec<u32> = marked.map(|(call, _)| call).collect();
                calls.sort_unstable();
                calls
            };
            assert_eq!(chosen((0..n).collect(), &mut draws), expected);
            assert_eq!(chosen((0..n).rev().collect(), &mut draws), expected);
        }
    }
}
