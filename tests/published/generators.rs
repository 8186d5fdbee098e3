//! The generators of the published programs, number by number.

use retrysim::{
    Policy, Unit,
    draw::{CPython, Mulberry32, Stream},
};
use serde_json::Value;

use crate::{
    support::{list, run, scenario, vectors},
    ticks::Ticks,
};

const SEEDS: [u64; 3] = [0, 1, 19];

fn target(seed: u64, what: &str) -> Value {
    vectors("herd")["rng_vectors"][format!("Random({seed}): {what}")].clone()
}

/// Numbers that Python printed with all digits that matter.
fn float(value: &Value) -> u64 {
    value.as_str().unwrap().parse::<f64>().unwrap().to_bits()
}

#[test]
fn cpython_random_and_words() {
    for seed in SEEDS {
        let mut generator = CPython::new(seed);
        for expected in list(&target(seed, "random() x3")) {
            assert_eq!(generator.unit().to_bits(), float(expected), "seed {seed}");
        }
        let mut generator = CPython::new(seed);
        for expected in list(&target(seed, "getrandbits(32) x4")) {
            // Below 2^32 - 1 a number of 32 bits is drawn as it is, so this is `getrandbits(32)`.
            assert_eq!(u64::from(generator.below(u32::MAX)), expected.as_u64().unwrap(), "seed {seed}");
        }
    }
}

/// Samples in a row from one generator: pool and set methods, populations smaller than the sample, none.
#[test]
fn cpython_sample() {
    let what = "sample(range(n), min(5, n)) for n = 0,1,3,5,6,21,22,1000 in a row";
    for seed in SEEDS {
        let mut generator = CPython::new(seed);
        let mut picked = Vec::new();
        for (n, expected) in [0_u32, 1, 3, 5, 6, 21, 22, 1000].into_iter().zip(list(&target(seed, what))) {
            generator.sample(n, n.min(5), &mut picked);
            let expected: Vec<u32> = list(expected).iter().map(|i| i.as_u64().unwrap() as u32).collect();
            assert_eq!(picked, expected, "seed {seed}, n = {n}");
        }
        let next = target(seed, "random() after those samples");
        assert_eq!(generator.unit().to_bits(), float(&next), "seed {seed}, after the samples");
    }
}

/// `uniform(a, b)` is the jitter stage on a second: `a + (b - a) * random()`.
#[test]
fn cpython_uniform() {
    let policy =
        Policy::from_toml("delay = [{ const = '1s' }, { jitter = [0.8, 1.2] }]").unwrap().compile(Unit::S);
    for seed in SEEDS {
        let delay = policy.delay(1, None, &mut policy.memory(), &mut CPython::new(seed)).unwrap();
        assert_eq!(delay.to_bits(), float(&target(seed, "uniform(0.8, 1.2)")), "seed {seed}");
    }
}

/// The Poisson numbers of an open workload: one client, and a service that is down and so draws nothing.
#[test]
fn cpython_poisson() {
    let down = scenario(
        "budget",
        &[
            ("workload.clients", "1"),
            ("horizon", "'400ms'"),
            ("service.outages", "[{from='0s', until='1s'}]"),
        ],
    );
    for seed in SEEDS {
        let mut seen = Ticks::new(40, 0.01);
        run(&down, "no_retry", &mut CPython::new(seed), &mut seen);
        let expected: Vec<u32> =
            (list(&target(seed, "40 x poisson(0.3)")).iter()).map(|n| n.as_u64().unwrap() as u32).collect();
        assert_eq!(seen.arrivals, expected, "seed {seed}");
    }
}

#[test]
fn mulberry32_words() {
    let devices = vectors("devices");
    let seeds = devices["mulberry32_first5_u32"].as_object().unwrap();
    assert_eq!(seeds.len(), 8);
    for (seed, words) in seeds {
        let mut generator = Mulberry32::new(seed.parse().unwrap());
        for word in list(words) {
            assert_eq!(format!("0x{:08x}", generator.word()), word.as_str().unwrap(), "seed {seed}");
        }
    }
}

/// A device's first send: 2,000 ms times one draw.
#[test]
fn mulberry32_initial_spread() {
    let devices = vectors("devices");
    for (seed, expected) in devices["initial_spread"].as_object().unwrap() {
        let mut generator = Mulberry32::new(seed.parse().unwrap());
        for bits in list(&expected["first3_due_bits"]) {
            let due = 2000.0 * generator.unit();
            assert_eq!(format!("0x{:016x}", due.to_bits()), bits.as_str().unwrap(), "seed {seed}");
        }
    }
}
