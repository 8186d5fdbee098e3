//! Delays stay delays, and a policy survives being written down.

use proptest::prelude::*;
use retrysim_core::{
    Policy, Span, Unit,
    draw::{Draws, Fixed, Philox, Purpose},
    policy::{
        delay::LONGEST_SECS,
        hint::{Combine, Hint},
        stage::{Doublings, Exp, Fib, Linear, Poly, Special, Stage},
    },
};

use crate::{cases, generate};

/// Retries looked at one by one.
const RETRIES: u32 = 5_000;

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn delays_are_finite_and_within_bounds(delay in generate::stages(), seed: u64, unit in units()) {
        let compiled = policy(delay).compile(unit);
        let longest = LONGEST_SECS * 1e9 / unit.nanos();
        let (mut draws, mut memory) = (Philox::new(seed, 0), compiled.memory());
        for n in 1..=RETRIES {
            let delay = compiled.delay(n, None, &mut memory, &mut draws.at(Purpose::Attempt, 0, n)).unwrap();
            prop_assert!((0.0..=longest).contains(&delay), "{} before retry {}", delay, n);
        }
    }

    #[test]
    fn the_table_and_what_follows_it_are_one_curve(delay in generate::stages()) {
        let deterministic: Vec<Stage> =
            delay.into_iter().take_while(|stage| stage.is_deterministic() && !vanishes(stage)).collect();
        prop_assume!(!deterministic.is_empty());
        let plain = policy(deterministic.clone());
        // A jitter of nothing keeps the stages behind it out of the table.
        let unrolled = policy(deterministic[..1].to_vec())
            .stage(Stage::Jitter([1.0, 1.0]));
        let unrolled = deterministic[1..].iter().cloned().fold(unrolled, Policy::stage);
        for n in [1, 2, 3, 10, 63, 64, 65, 66, 100, 400, 1_000, 1_023, 1_024, 1_025, 4_999] {
            if at(&policy(deterministic[..1].to_vec()), n) >= LONGEST_SECS {
                break;
            }
            let (a, b) = (at(&plain, n), at(&unrolled, n));
            prop_assert!((a - b).abs() <= 1e-12 * b.abs(), "{} in the table, {} without, before retry {}", a, b, n);
        }
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_policy_survives_toml(policy in generate::policy()) {
        let text = toml::to_string(&policy).unwrap();
        prop_assert_eq!(Policy::from_toml(&text).unwrap(), policy, "{}", text);
    }
}

/// 2^1024 is infinite, and nothing times infinity must still be nothing (jd/tenacity issue 710).
#[test]
fn nothing_stays_nothing_however_many_retries() {
    let zero = Span::ZERO;
    let curves = [
        Stage::Exp(Exp { base: zero, factor: 2.0, shift: 0.0, offset: zero }),
        Stage::Poly(Poly { power: 100.0, offset: zero, unit: zero }),
        Stage::Fib(Fib { unit: zero }),
        Stage::Doublings(Doublings { base: zero, max_doublings: u32::MAX }),
        Stage::Linear(Linear { base: zero, step: zero }),
    ];
    for curve in curves {
        for n in [1, 1_000, 1_024, 1_025, 1_500, 5_000, 999_999] {
            let delay = at(&policy(vec![curve.clone()]), n);
            assert_eq!(delay.to_bits(), 0, "{curve:?} gives {delay} before retry {n}");
        }
    }
    let scaled = Policy::exponential(Span::from_secs(1), 2.0).stage(Stage::Scale(0.0));
    assert_eq!(at(&scaled, 2_000).to_bits(), 0, "an overflow times 0");
}

/// The inverse of the exponential distribution, whatever the curve before it.
#[test]
fn exponential_delays() {
    let policy = Policy::exponential(Span::from_secs(3), 2.0).stage(Stage::Special(Special::Exponential));
    let delays = policy.compile(Unit::S).fixed_delays(3, None, 0.75);
    for (delay, mean) in delays.into_iter().zip([3.0, 6.0, 12.0]) {
        assert!((delay - mean * 4.0_f64.ln()).abs() < 1e-12, "{delay}");
    }
}

/// The server may say anything; what comes of it is still a delay.
#[test]
fn a_hint_leads_to_a_delay() {
    let hours = 1e6 * 3_600.0;
    for combine in [Combine::Replace, Combine::Floor, Combine::Uniform([f64::MAX, f64::MAX])] {
        let policy = Policy::constant(Span::from_secs(1)).hint(Hint::new(combine));
        policy.validate().unwrap();
        let compiled = policy.compile(Unit::S);
        for hint in [0.0, 30.0, hours] {
            let delay = compiled.delay(1, Some(hint), &mut compiled.memory(), &mut Fixed(0.5)).unwrap();
            assert!((0.0..=LONGEST_SECS).contains(&delay), "{policy:?} makes {delay} of {hint}");
        }
    }
}

/// Nothing times an overflow, which has a test of its own.
fn vanishes(stage: &Stage) -> bool {
    match stage {
        Stage::Exp(Exp { base: length, .. })
        | Stage::Poly(Poly { unit: length, .. })
        | Stage::Fib(Fib { unit: length })
        | Stage::Doublings(Doublings { base: length, .. }) => *length == Span::ZERO,
        Stage::Scale(factor) => *factor == 0.0,
        _ => false,
    }
}

fn policy(delay: Vec<Stage>) -> Policy {
    let policy = Policy { delay, ..Policy::default() };
    policy.validate().unwrap();
    policy
}

/// The delay before retry `n` of a policy that draws nothing that matters.
fn at(policy: &Policy, n: u32) -> f64 {
    let compiled = policy.compile(Unit::S);
    compiled.delay(n, None, &mut compiled.memory(), &mut Fixed(0.5)).unwrap()
}

fn units() -> impl Strategy<Value = Unit> {
    prop_oneof![Just(Unit::S), Just(Unit::Ms)]
}
