//! The random part of the contention model, in milliseconds.

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, Normal};

const BASE: f64 = 5.0;
const CAP: f64 = 2000.0;

/// A source of network delays and waits.
pub struct Luck {
    rng: SmallRng,
    network: Normal<f64>,
}

impl Luck {
    pub fn new(rng: SmallRng) -> Self {
        Self { rng, network: Normal::new(10.0, 2.0).expect("a valid distribution") }
    }

    /// One message's way.
    pub fn hop(&mut self) -> f64 {
        self.network.sample(&mut self.rng).abs()
    }

    /// Full jitter.
    pub fn wait(&mut self, failures: i32) -> f64 {
        self.rng.random_range(0.0..CAP.min(BASE * 2_f64.powi(failures)))
    }
}

impl Default for Luck {
    fn default() -> Self {
        Self::new(SmallRng::seed_from_u64(0))
    }
}
