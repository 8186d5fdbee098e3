//! Attempts that arrive together, so that a keyed generator can draw for them side by side.

use super::{Draws, Purpose};

/// Attempts of different calls: a column each for what they are and for what was drawn for them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The calls.
    pub(crate) calls: Vec<u32>,
    /// Their attempts, 1-based.
    pub(crate) attempts: Vec<u32>,
    /// Numbers in a lottery.
    pub(super) lots: Vec<u32>,
    /// The first 64 bits of the streams.
    pub(super) bits: Vec<u64>,
    /// Room for lotteries.
    pub(super) tickets: Vec<u64>,
    pub(super) room: Vec<u64>,
}

impl Batch {
    /// Looks up the attempt of each call and forgets what was drawn.
    pub(crate) fn look_up(&mut self, attempt: impl Fn(u32) -> u32) {
        self.attempts.clear();
        self.attempts.extend(self.calls.iter().map(|call| attempt(*call)));
        self.lots.clear();
        self.bits.clear();
    }

    /// The stream of attempt number `i`.
    #[inline]
    pub(crate) fn stream<'d, D: Draws>(&self, i: usize, draws: &'d mut D) -> D::Stream<'d> {
        let (call, attempt) = (self.calls[i], self.attempts[i]);
        match self.bits.get(i) {
            Some(bits) => draws.resume(Purpose::Attempt, call, attempt, *bits),
            None => draws.at(Purpose::Attempt, call, attempt),
        }
    }
}

/// The upper 53 bits as a number in `[0, 1)`.
#[inline]
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Up to so many numbers, counting the smaller ones of each is faster than selecting: no branch depends on a draw.
const FEW: usize = 24;

/// Marks the `k` smallest of more than `k` different numbers; `room` is overwritten.
pub(crate) fn mark_smallest(numbers: &[u64], k: usize, room: &mut Vec<u64>, marks: &mut [bool]) {
    if numbers.len() <= FEW {
        for (mark, number) in marks.iter_mut().zip(numbers) {
            *mark = numbers.iter().map(|other| usize::from(other < number)).sum::<usize>() < k;
        }
    } else {
        room.clear();
        room.extend_from_slice(numbers);
        let limit = *room.select_nth_unstable(k).1;
        for (mark, number) in marks.iter_mut().zip(numbers) {
            *mark = *number < limit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_the_smallest() {
        for n in [2_u64, 5, 24, 25, 200] {
            let numbers: Vec<u64> = (0..n).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 3).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            for k in [0, 1, n as usize / 2, n as usize - 1] {
                let mut marks = vec![false; n as usize];
                mark_smallest(&numbers, k, &mut Vec::new(), &mut marks);
                assert!(numbers.iter().zip(marks).all(|(number, mark)| mark == (*number < sorted[k])));
            }
        }
    }
}
