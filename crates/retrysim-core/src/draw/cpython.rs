//! `CPython`'s `random.Random`: MT19937 with its own seeding and its own `random`, `uniform` and `sample`.

use std::convert::Infallible;

use rand_core::TryRng;
use rand_mt::Mt;

use super::{Batch, Draws, Purpose, Stream};

/// One sequence for every purpose, in the order of events.
#[derive(Clone, Debug)]
pub struct CPython(Mt);

impl CPython {
    /// The generator after `random.seed(seed)`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "CPython seeds with the 32-bit words of the number")]
    pub fn new(seed: u64) -> Self {
        let words = [seed as u32, (seed >> 32) as u32];
        Self::from_words(if words[1] == 0 { &words[..1] } else { &words })
    }

    /// The generator after `init_by_array(words)`.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Self {
        Self(Mt::new_with_key(words.iter().copied()))
    }

    /// A whole number in `0..n`, as `Random._randbelow`: draws again until the top bits fall below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let shift = n.leading_zeros();
        loop {
            let r = self.0.next_u32().checked_shr(shift).unwrap_or(0);
            if r < n {
                return r;
            }
        }
    }

    /// `k` different indices of `0..n`, as `Random.sample`.
    pub fn sample(&mut self, n: u32, k: u32, picked: &mut Vec<u32>) {
        picked.clear();
        if n <= pool_limit(k) {
            let mut pool: Vec<u32> = (0..n).collect();
            for i in 0..k {
                let j = self.below(n - i) as usize;
                picked.push(pool[j]);
                pool[j] = pool[(n - i - 1) as usize];
            }
        } else {
            let mut taken = vec![false; n as usize];
            for _ in 0..k {
                let mut j = self.below(n);
                while std::mem::replace(&mut taken[j as usize], true) {
                    j = self.below(n);
                }
                picked.push(j);
            }
        }
    }
}

/// Below this population `Random.sample` copies it into a pool.
fn pool_limit(k: u32) -> u32 {
    let mut limit = 21_u32;
    if k > 5 {
        let mut power = 1_u32;
        while power < k.saturating_mul(3) {
            power = power.saturating_mul(4);
        }
        limit = limit.saturating_add(power);
    }
    limit
}

impl Draws for CPython {
    type Stream<'a> = &'a mut Self;
    const KEYED: bool = false;

    fn at(&mut self, _: Purpose, _: u32, _: u32) -> &mut Self {
        self
    }

    fn choose(&mut self, _: &mut Batch, k: usize, marks: &mut [bool]) {
        let mut picked = Vec::new();
        let n = u32::try_from(marks.len()).unwrap_or(u32::MAX);
        self.sample(n, n.min(u32::try_from(k).unwrap_or(u32::MAX)), &mut picked);
        for i in picked {
            marks[i as usize] = true;
        }
    }
}

impl TryRng for CPython {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from(self.0.next_u32()) | u64::from(self.0.next_u32()) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

impl Stream for CPython {
    /// `random()`: 53 bits from two outputs.
    fn unit(&mut self) -> f64 {
        let a = f64::from(self.0.next_u32() >> 5);
        let b = f64::from(self.0.next_u32() >> 6);
        (a * 67_108_864.0 + b) / 9_007_199_254_740_992.0
    }
}

impl Stream for &mut CPython {
    fn unit(&mut self) -> f64 {
        (**self).unit()
    }
}
