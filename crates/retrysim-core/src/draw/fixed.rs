//! A stream in which every number is the same: for looking at a policy by itself.

use std::convert::Infallible;

use rand_core::TryRng;

use super::Stream;

/// Always gives the same number in `[0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed(pub f64);

impl TryRng for Fixed {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(0)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(0);
        Ok(())
    }
}

impl Stream for Fixed {
    fn unit(&mut self) -> f64 {
        self.0
    }
}
