//! Delays of many clients, drawn under a fixed seed.

use crate::{
    draw::{Draws, Fixed, Philox, Purpose},
    measure::to_nanos,
    policy::{Policy, stop::Timely},
    span::Unit,
};

/// Clients that are sampled.
const CLIENTS: u32 = 4_000;

/// Retries of each.
pub(super) const RETRIES: u32 = 64;

/// A retry that fewer clients reach tells nothing.
const ENOUGH: usize = 400;

/// Shares from here on count as a half: 2.5 standard errors less, so that an exact half always does.
pub(super) const HALF: f64 = 0.48;

const SEED: u64 = 0;

/// Delays before one retry, in nanoseconds; client by client, not sorted.
pub(super) struct Retry {
    /// Its number; 1 is the first.
    pub n: u32,
    /// What each client waits.
    pub own: Vec<u64>,
    /// What it would wait under the other policy, after the same past and with the same draws.
    pub other: Vec<u64>,
}

/// What clients of `policy` wait, beside what `other` would make of each of their retries.
pub(super) fn sample(policy: &Policy, other: &Policy) -> Vec<Retry> {
    let (compiled, other) = (policy.compile(Unit::S), other.compile(Unit::S));
    let limits = compiled.own.limits;
    let mut retries: Vec<Retry> = (1..limits.max_attempts.min(RETRIES + 1))
        .map(|n| Retry { n, own: Vec::new(), other: Vec::new() })
        .collect();
    for client in 0..CLIENTS {
        let (mut draws, mut memory) = (Philox::new(SEED, u64::from(client)), compiled.memory());
        let mut elapsed = 0.0;
        for retry in &mut retries {
            if limits.is_spent(elapsed) {
                break;
            }
            let (mut past, stream) = (memory, draws.at(Purpose::Attempt, 0, retry.n));
            let another = other.own.delay.before_retry(retry.n, &mut past, &mut { stream });
            let own = compiled.own.delay.before_retry(retry.n, &mut memory, &mut { stream });
            memory.previous = own;
            let Timely::Wait(wait) = limits.admit(elapsed, own) else { break };
            elapsed += wait;
            retry.own.push(to_nanos(own));
            retry.other.push(to_nanos(another));
        }
    }
    retries.retain(|retry| retry.own.len() >= ENOUGH);
    retries
}

/// What clients wait before their first retry, in nanoseconds and ascending; none if stop rules forbid it.
pub(super) fn first_delays(policy: &Policy) -> Vec<u64> {
    let mut once = policy.clone();
    (once.stop.attempts, once.stop.retries) = (Some(2), None);
    let mut delays = sample(&once, &once).pop().map(|first| first.own).unwrap_or_default();
    delays.sort_unstable();
    delays
}

/// Delays in seconds with every draw in its middle, stop rules and hints aside.
pub(super) fn typical_delays(policy: &Policy, retries: u32) -> impl Iterator<Item = f64> {
    let delay = policy.compile(Unit::S).own.delay;
    let mut memory = delay.memory();
    (1..=retries).map(move |n| {
        memory.previous = delay.before_retry(n, &mut memory, &mut Fixed(0.5));
        memory.previous
    })
}
