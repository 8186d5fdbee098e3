//! Random slots of a policy beside its delay: budgets, limiters, breakers, state.

use proptest::{option, prelude::*};
use retrysim_core::policy::{
    breaker::{Breaker, Open, Ratio, Refused, Trip},
    budget::{Budget, Concurrency, CountsAt, Deposit, Deposits, Gates, Slots, Sre},
    limiter::{Cubic, Limiter, Together, TokenBucket},
    state::{Rng, State},
};

use super::{ms, scope, stages};

pub fn breaker() -> impl Strategy<Value = Breaker> {
    let ratio = (0.0..=1.0_f64, 1_u32..20, ms(1..3_000), option::of(1_u32..20)).prop_map(
        |(share, min_calls, window, calls)| {
            let window = calls.is_none().then_some(window);
            Trip::Ratio(Ratio { share, min_calls, window, calls })
        },
    );
    let after = prop_oneof![(1_u32..6).prop_map(Trip::Consecutive), ratio];
    let open = prop_oneof![ms(0..3_000).prop_map(Open::For), stages().prop_map(Open::Stages)];
    let refused = prop_oneof![Just(Refused::Fail), Just(Refused::Retry)];
    (after, open, 1_u32..4, refused, scope()).prop_map(|(after, open, probes, refused, scope)| Breaker {
        after,
        open,
        probes,
        refused,
        scope,
    })
}

/// What a limiter or a throttle acts on.
pub fn gates() -> impl Strategy<Value = Gates> {
    prop_oneof![Just(Gates::EverySend), Just(Gates::Retries)]
}

pub fn limiter() -> impl Strategy<Value = Limiter> {
    let together = prop_oneof![Just(Together::Max), Just(Together::Sum)];
    let bucket = (0.1..50.0_f64, 1.0..20.0_f64, gates(), together, scope()).prop_map(
        |(rate, burst, gates, combine, scope)| {
            Limiter::TokenBucket(TokenBucket { rate, burst, gates, combine, scope })
        },
    );
    let cubic = (0.0..=1.0_f64, 0.1..1.0_f64, 0.1..20.0_f64, 0.0..=1.0_f64, ms(1..1_000), scope()).prop_map(
        |(beta, scale, min_rate, smooth, slot, scope)| {
            Limiter::Cubic(Cubic { beta, scale, min_rate, smooth, slot, scope })
        },
    );
    prop_oneof![bucket, cubic]
}

pub fn deposits() -> impl Strategy<Value = Budget> {
    let slots = prop_oneof![Just(Slots::Tower), Just(Slots::Finagle)];
    let deposit = prop_oneof![Just(Deposit::Request), Just(Deposit::Success)];
    let amounts = (0.0..3.0_f64, ms(1..20_000), 0_u32..20, 1_u32..2_000);
    (amounts, slots, deposit, option::of(0.0..1.0_f64), scope()).prop_map(
        |((ratio, ttl, min_per_s, scale), slots, deposit, per_call, scope)| {
            Budget::Deposits(Deposits { ratio, ttl, min_per_s, scale, slots, deposit, per_call, scope })
        },
    )
}

pub fn concurrency() -> impl Strategy<Value = Budget> {
    (0.0..1.0_f64, 0_u32..5, any::<bool>(), scope()).prop_map(|(share, min, counts_backoff, scope)| {
        Budget::Concurrency(Concurrency { share, min, counts_backoff, scope })
    })
}

pub fn sre(gates: impl Strategy<Value = Gates>) -> impl Strategy<Value = Budget> {
    let counts_at = prop_oneof![Just(CountsAt::Send), Just(CountsAt::Answer)];
    (0.0..3.0_f64, option::of(ms(1..5_000)), gates, any::<bool>(), counts_at, scope()).prop_map(
        |(k, window, gates, counts_refused, counts_at, scope)| {
            Budget::Sre(Sre { k, window, gates, counts_refused, counts_at, scope })
        },
    )
}

pub fn state() -> impl Strategy<Value = State> {
    let rng = prop_oneof![3 => Just(Rng::Draw), 1 => Just(Rng::Maker), 1 => Just(Rng::Process)];
    (scope(), option::of(ms(0..5_000)), rng).prop_map(|(scope, reset_after, rng)| State {
        scope,
        reset_after,
        rng,
    })
}
