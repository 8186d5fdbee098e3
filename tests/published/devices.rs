//! 2,000 reconnecting devices, run by run: 12 policies and five seeds, down to the moment at which every
//! single device was served and to the generator's state afterwards.

use retrysim::{
    draw::Mulberry32,
    record::{Attempt, Outcome, Recorder},
};
use serde_json::Value;

use crate::support::{Totals, list, number, run, scenario, vectors};

/// The targets' short names, and ours.
pub const POLICIES: [(&str, &str); 12] = [
    ("fixed5", "fixed_5s"),
    ("expo60", "exponential"),
    ("expo300", "exponential_cap_300s"),
    ("full", "full"),
    ("equal", "equal"),
    ("decor", "decorrelated"),
    ("pm10", "proportional_10pct"),
    ("pm25", "proportional_25pct"),
    ("ra_obey", "retry_after_obeyed"),
    ("ra_full", "retry_after_full_jitter"),
    ("ra_floor", "retry_after_floor_1_2x"),
    ("ra_ignore", "retry_after_ignored"),
];

const DEVICES: usize = 2000;
const TICK_MS: usize = 100;
const TICKS: usize = 12_000;
const RECOVERY: usize = 300;

/// Requests by tick, and when each device was served, in ms.
struct Seen {
    arrivals: Vec<u32>,
    done_ms: Vec<Option<u32>>,
}

impl Recorder for Seen {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.arrivals[attempt.start as usize / TICK_MS] += 1;
        if attempt.outcome == Outcome::Ok {
            self.done_ms[attempt.call.client as usize] = Some(attempt.start as u32);
        }
    }
}

impl Seen {
    fn new() -> Self {
        Self { arrivals: vec![0; TICKS], done_ms: vec![None; DEVICES] }
    }

    /// The first tick, in ms, at which `n` devices had been served; -1 if that never happened.
    fn reached(&self, n: usize) -> f64 {
        let mut done: Vec<u32> = self.done_ms.iter().flatten().copied().collect();
        done.sort_unstable();
        done.get(n - 1).map_or(-1.0, |ms| f64::from(*ms))
    }

    /// FNV-1a over the little-endian bytes of every device's time; all ones if it was never served.
    fn done_hash(&self) -> u32 {
        let bytes = self.done_ms.iter().flat_map(|ms| ms.unwrap_or(u32::MAX).to_le_bytes());
        bytes.fold(2_166_136_261, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
    }

    /// Most requests of a tick after the recovery, per second, and the first tick that had them, in ms.
    fn peak(&self) -> (f64, f64) {
        let after = &self.arrivals[RECOVERY..];
        let peak = *after.iter().max().unwrap();
        let first = after.iter().position(|n| *n == peak).unwrap();
        (f64::from(peak) * 10.0, ((RECOVERY + first) * TICK_MS) as f64)
    }

    fn sent(&self, ticks: std::ops::Range<usize>) -> f64 {
        f64::from(self.arrivals[ticks].iter().sum::<u32>())
    }
}

/// How often mulberry32 was asked: its state grows by the same odd number each time, which has an inverse.
fn draws(seed: u32, state: u32) -> u32 {
    const STEP: u32 = 0x6D2B_79F5;
    // Newton's iteration doubles the correct low bits each time: 5, 10, 20, 40.
    let mut inverse = STEP.wrapping_mul(3) ^ 2;
    for _ in 0..3 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(STEP.wrapping_mul(inverse)));
    }
    assert_eq!(STEP.wrapping_mul(inverse), 1);
    state.wrapping_sub(seed).wrapping_mul(inverse)
}

fn check_seen(seen: &Seen, target: &Value, what: &str) {
    let (peak, peak_at) = seen.peak();
    let ours = [
        ("sent_before_recovery", seen.sent(0..RECOVERY)),
        ("sent_after_recovery", seen.sent(RECOVERY..TICKS)),
        ("ok", seen.done_ms.iter().flatten().count() as f64),
        ("peak_qps", peak),
        ("peak_first_at_ms", peak_at),
        ("t50_ms", seen.reached(1000)),
        ("t99_ms", seen.reached(1980)),
        ("end_ms", seen.reached(2000)),
    ];
    for (name, ours) in ours {
        assert_eq!(ours, number(&target[name]), "{what}: {name}");
    }
    assert_eq!(format!("0x{:08x}", seen.done_hash()), target["done_hash"].as_str().unwrap(), "{what}");
}

/// The engine's own totals say the same as the requests it reported one by one.
fn check_totals(totals: &Totals, target: &Value, what: &str) {
    for (ours, theirs) in
        [("sent_after_recovery", "sent_after_recovery"), ("peak_qps", "peak_qps"), ("successes", "ok")]
    {
        assert_eq!(totals.get(ours), number(&target[theirs]), "{what}: {ours}");
    }
    for (ours, theirs) in [("t50_s", "t50_ms"), ("t99_s", "t99_ms"), ("finish_s", "end_ms")] {
        let ms = totals.get(ours) * 1000.0;
        let target = number(&target[theirs]);
        assert!(if target < 0.0 { ms.is_nan() } else { (ms - target).abs() < 1e-6 }, "{what}: {ours} {ms}");
    }
}

#[test]
fn seed_by_seed() {
    let (scenario, vectors) = (scenario("devices", &[]), vectors("devices"));
    assert_eq!(vectors["per_seed"].as_object().unwrap().len(), POLICIES.len());
    for (label, policy) in POLICIES {
        let seeds = list(&vectors["per_seed"][label]);
        assert_eq!(seeds.len(), 5, "{label}");
        for target in seeds {
            let what = format!("{policy} seed {}", target["seed"]);
            let seed = target["seed"].as_u64().unwrap() as u32;
            let (mut generator, mut seen) = (Mulberry32::new(seed), Seen::new());
            let totals = run(&scenario, policy, &mut generator, &mut seen);
            check_seen(&seen, target, &what);
            check_totals(&totals, target, &what);
            assert_eq!(f64::from(draws(seed, generator.state())), number(&target["rng_draws"]), "{what}");
            let state = format!("0x{:08x}", generator.state());
            assert_eq!(state, target["rng_final_state"].as_str().unwrap(), "{what}: state");
        }
    }
}

/// Arrivals in each tick of the initial spread: before the first delay is over they are first sends only.
#[test]
fn first_sends() {
    let vectors = vectors("devices");
    for (seed, expected) in vectors["initial_spread"].as_object().unwrap() {
        let (mut generator, mut seen) = (Mulberry32::new(seed.parse().unwrap()), Seen::new());
        run(&scenario("devices", &[]), "fixed_5s", &mut generator, &mut seen);
        let expected = list(&expected["arrivals_per_first_tick"]);
        for (tick, expected) in expected.iter().enumerate() {
            assert_eq!(f64::from(seen.arrivals[tick]), number(expected), "seed {seed}, tick {tick}");
        }
    }
}
