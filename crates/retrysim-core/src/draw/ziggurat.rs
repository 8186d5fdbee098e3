//! Standard normal numbers side by side: those that [`StandardNormal`] decides at once.
//!
//! It throws a point into one of 256 layers that cover the curve; 98 % of the points fall where the whole layer lies
//! under the curve, and the number is the point's place. The others are left to [`StandardNormal`] itself. (Marsaglia, Tsang:
//! "The Ziggurat Method for Generating Random Variables", 2000.)

use std::{convert::Infallible, sync::LazyLock};

use fearless_simd::{Bytes, Simd, SimdBase, f64x8, mask64x8, u64x8};
use rand_core::TryRng;
use rand_distr::{Distribution, StandardNormal};

/// Number of layers.
const LAYERS: usize = 256;

/// How far each layer reaches, and how far it lies under the curve; that of the last one is nothing.
static LAYER_WIDTHS: LazyLock<[[f64; 2]; LAYERS]> = LazyLock::new(|| {
    // In each layer the point half way to the end, which is taken: all numbers but the first one are as large as can be.
    let half_way =
        |layer: usize| -> f64 { StandardNormal.sample(&mut At { first: Some(HALF << 12 | layer as u64) }) };
    let mut widths = [[0.0; 2]; LAYERS];
    for layer in 0..LAYERS {
        widths[layer][0] = 2.0 * half_way(layer);
        if layer > 0 {
            widths[layer - 1][1] = widths[layer][0];
        }
    }
    widths
});

/// The place 0.5 on the way from -1 to 1, as a fraction of 52 bits.
const HALF: u64 = 3 << 50;

/// Gives a number, then the largest one.
struct At {
    first: Option<u64>,
}

impl TryRng for At {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::MAX)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.first.take().unwrap_or(u64::MAX))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(u8::MAX);
        Ok(())
    }
}

/// What [`StandardNormal`] makes of each random number, and whether it needs no other one for it.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "layers are few")]
pub(crate) fn normals<S: Simd>(simd: S, numbers: u64x8<S>) -> (f64x8<S>, mask64x8<S>) {
    let widths = &*LAYER_WIDTHS;
    let layers = (numbers & u64x8::splat(simd, LAYERS as u64 - 1)).to_array();
    let [mut reach, mut inside] = [[0.0; 8]; 2];
    for i in 0..8 {
        [reach[i], inside[i]] = widths[layers[i] as usize % LAYERS];
    }
    // From 2 to 4 by the exponent.
    let place: f64x8<S> = ((numbers >> 12) | u64x8::splat(simd, 2.0_f64.to_bits())).bitcast();
    let normals = (place - f64x8::splat(simd, 3.0)) * f64x8::load_array(simd, reach);
    (normals, normals.abs().simd_lt(f64x8::load_array(simd, inside)))
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, SimdMask, dispatch};
    use rand_core::Rng;

    use super::*;
    use crate::draw::{Draws, Philox, Purpose};

    /// Gives one number, and tells when it is asked for another.
    struct One(u64, bool);

    impl TryRng for One {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(0)
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            let number = if self.0 == u64::MAX { u64::MAX / 3 } else { self.0 };
            self.1 |= self.0 == u64::MAX;
            self.0 = u64::MAX;
            Ok(number)
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
            Ok(())
        }
    }

    #[test]
    fn numbers_that_are_decided_are_those_of_the_library() {
        let mut stream = Philox::new(3, 0).at(Purpose::Statistics, 0, 0);
        let mut decided = 0;
        for i in 0..40_000 {
            let mut numbers: [u64; 8] = std::array::from_fn(|_| stream.next_u64());
            // Every layer, and both ends of it.
            numbers[0] = [i & 0xff, !0xff | i][i as usize / 256 % 2];
            let (normals, are_decided) = dispatch!(Level::new(), simd => {
                let (normals, are_decided) = normals(simd, u64x8::load_array(simd, numbers));
                (normals.to_array(), are_decided.to_bitmask())
            });
            for lane in 0..8 {
                let mut one = One(numbers[lane], false);
                let expected: f64 = StandardNormal.sample(&mut one);
                if are_decided >> lane & 1 == 1 {
                    assert_eq!((normals[lane].to_bits(), one.1), (expected.to_bits(), false));
                    decided += 1;
                } else {
                    assert!(one.1, "{:x} is decided at once", numbers[lane]);
                }
            }
        }
        assert!(decided > 274_000, "{decided}");
    }
}
