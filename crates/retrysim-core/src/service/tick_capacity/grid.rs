//! Moments and ticks: when a tick begins and its answer arrives, and in which tick a request arrives.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdInt, f64x8, u64x8};

use super::AnswersAt;

/// The grid of ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Length of a tick, in units.
    pub tick: f64,
    /// Ticks before the horizon.
    pub ticks: usize,
    /// When a tick's answers arrive.
    pub answers_at: AnswersAt,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ticks are below 2^26; a float beyond the last tick saturates and is dropped"
)]
impl Grid {
    /// When `tick` begins.
    #[inline]
    pub fn at(self, tick: usize) -> f64 {
        // A conversion of 32 bits is one instruction; of 64 without a sign, six.
        f64::from(tick as u32) * self.tick
    }

    /// When the answer of `tick` arrives.
    #[inline]
    pub fn answer(self, tick: usize) -> f64 {
        match self.answers_at {
            AnswersAt::TickEnd => self.at(tick + 1),
            AnswersAt::TickStart => self.at(tick),
        }
    }

    /// The tick in which a first send at `time` arrives.
    #[inline]
    pub fn first_tick(self, time: f64) -> usize {
        match self.answers_at {
            AnswersAt::TickEnd => (time / self.tick) as usize,
            AnswersAt::TickStart => self.reached(time),
        }
    }

    /// The tick in which the retry arrives that `wait` after a refusal in `tick` sends.
    #[inline]
    pub fn retry_tick(self, tick: usize, wait: f64) -> usize {
        match self.answers_at {
            AnswersAt::TickEnd => tick + 1 + round_half_even(wait / self.tick),
            AnswersAt::TickStart => self.reached(self.at(tick) + wait).max(tick + 1),
        }
    }

    /// What [`Grid::first_tick`] gives for each time.
    #[inline(always)]
    pub fn first_ticks<S: Simd>(self, simd: S, times: f64x8<S>) -> u64x8<S> {
        match self.answers_at {
            AnswersAt::TickEnd => round_all(simd, (times / f64x8::splat(simd, self.tick)).trunc()),
            AnswersAt::TickStart => round_all(simd, self.all_reached(simd, times)),
        }
    }

    /// What [`Grid::at`] gives for each tick.
    #[inline(always)]
    pub fn all_at<S: Simd>(self, simd: S, ticks: u64x8<S>) -> f64x8<S> {
        ticks.to_float::<f64x8<S>>() * f64x8::splat(simd, self.tick)
    }

    /// What [`Grid::retry_tick`] gives for each tick and wait.
    #[inline(always)]
    pub fn retry_ticks<S: Simd>(self, simd: S, ticks: u64x8<S>, waits: f64x8<S>) -> u64x8<S> {
        let length = f64x8::splat(simd, self.tick);
        let next = ticks + u64x8::splat(simd, 1);
        match self.answers_at {
            AnswersAt::TickEnd => next + round_all(simd, waits / length),
            AnswersAt::TickStart => {
                let times = self.all_at(simd, ticks) + waits;
                round_all(simd, self.all_reached(simd, times)).max(next)
            }
        }
    }

    /// What [`Grid::reached`] gives for each time, as a float.
    #[inline(always)]
    fn all_reached<S: Simd>(self, simd: S, time: f64x8<S>) -> f64x8<S> {
        let all = |x: f64| f64x8::splat(simd, x);
        let (zero, one) = (all(0.0), all(1.0));
        let (length, ticks) = (all(self.tick), all(f64::from(self.ticks as u32)));
        let mut tick = ((time / length).min(ticks).trunc() - one).max(zero);
        for _ in 0..3 {
            let is_before = tick.simd_lt(ticks) & (tick * length).simd_lt(time);
            tick += is_before.select(one, zero);
        }
        tick
    }

    /// The first tick that begins at or after `time`, decided by comparison, not by the quotient alone; the
    /// number of ticks if there is none.
    #[inline]
    fn reached(self, time: f64) -> usize {
        // Below 2^26 ticks the quotient is off by less than one tick, and a tick's begin by its last bit: the one
        // looked for is at most three after the one before the quotient.
        let quotient = (time / self.tick).min(f64::from(self.ticks as u32)) as u32 as usize;
        let mut tick = quotient.saturating_sub(1);
        for _ in 0..3 {
            tick += usize::from((tick < self.ticks) & (self.at(tick) < time));
        }
        tick
    }
}

/// Beyond every horizon.
const FAR: f64 = 2_147_483_648.0;

/// What is added to a number leaves it without a fraction, and in the low bits.
const NO_FRACTION: f64 = 4_503_599_627_370_496.0;

/// A number that is not negative, rounded to the nearest whole one, halves to even; what lies beyond every
/// horizon, to [`FAR`].
///
/// By the rounding of an addition, which leaves the whole number in the low bits: without SSE 4.1 the standard
/// function is a call into software, and a saturating conversion is a chain of comparisons.
#[inline]
fn round_half_even(x: f64) -> usize {
    (x.min(FAR) + NO_FRACTION).to_bits() as usize - NO_FRACTION.to_bits() as usize
}

/// What [`round_half_even`] gives for each number.
#[inline(always)]
fn round_all<S: Simd>(simd: S, x: f64x8<S>) -> u64x8<S> {
    let sum = x.min(f64x8::splat(simd, FAR)) + f64x8::splat(simd, NO_FRACTION);
    sum.to_bits() - u64x8::splat(simd, NO_FRACTION.to_bits())
}
