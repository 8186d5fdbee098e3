//! The function that the burst's document prints, as a policy: six attempts, full jitter from 250 ms to 8 s,
//! a hint of the server as a floor (clamped at 60 s), and no wait that would end after 30 s.
//!
//! The targets are ranges over 2,000 calls of the function itself; here 500 calls each. The function also
//! sleeps after its last failure, which no policy does: that sleep is not checked.

use std::collections::HashSet;

use retrysim::{
    Policy, Scenario, Unit,
    draw::{Fixed, Philox},
    record::{Attempt, Recorder},
};

use crate::support::{number, numbers, run, scenario, vectors};

const DELAY: &str = "[{ exp = { base = '250ms' } }, { cap = '8s' }, { jitter = [0, 1] }]";

fn function(set: &[(&str, &str)]) -> Scenario {
    let policy = [
        ("workload.clients", "500"),
        ("policy.function.delay", DELAY),
        ("policy.function.stop", "{ attempts = 6, elapsed = '30s', check = 'would_exceed' }"),
        ("policy.function.hint", "{ use = 'floor', over = { limit = '60s', do = 'clamp' } }"),
    ];
    scenario("amplification", &[&policy, set].concat())
}

/// Attempts of each call, the end of the last one, and the first waits.
#[derive(Default)]
struct Calls {
    sends: Vec<f64>,
    total_s: Vec<f64>,
    first_wait_s: Vec<f64>,
}

impl Recorder for Calls {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let call = attempt.call.id as usize;
        self.sends.resize(call + 1, 0.0);
        self.total_s.resize(call + 1, 0.0);
        self.sends[call] += 1.0;
        self.total_s[call] = attempt.end;
        if attempt.call.attempt == 2 {
            self.first_wait_s.push(attempt.start);
        }
    }
}

fn range(values: &[f64]) -> [f64; 2] {
    [values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max)]
}

fn distinct(values: &[f64]) -> usize {
    values.iter().map(|value| value.to_bits()).collect::<HashSet<_>>().len()
}

fn calls(set: &[(&str, &str)]) -> Calls {
    let mut calls = Calls::default();
    run(&function(set), "function", &mut Philox::new(0, 0), &mut calls);
    calls
}

#[test]
fn hints() {
    let hints = vectors("burst")["function_send_with_retries"]["hints"].clone();
    // Text that is no whole number is no hint: the policy layer sees whole seconds only.
    let whole = hints
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(hint, target)| Some((hint.parse::<u32>().ok()?, target)));
    let mut seen = 0;
    for (hint, target) in whole {
        let calls =
            calls(&[("service.script", "[['throttle']]"), ("service.retry_after", &format!("'{hint}s'"))]);
        assert_eq!(range(&calls.sends).to_vec(), numbers(&target["sends"]), "hint {hint}");
        // All clients wait exactly the hint once it is above the backoff: the jitter is gone.
        let expected = number(&target["distinct_first_sleeps"]).min(500.0);
        assert_eq!(distinct(&calls.first_wait_s) as f64, expected, "hint {hint}");
        if calls.sends[0] < 6.0 {
            assert_eq!(range(&calls.total_s).to_vec(), numbers(&target["total_s"]), "hint {hint}");
        }
        seen += 1;
    }
    assert_eq!(seen, 11);
}

/// The deadline ignores how long the next send takes.
#[test]
fn latency() {
    let latency = vectors("burst")["function_send_with_retries"]["latency"].clone();
    for (seconds, target) in latency.as_object().unwrap() {
        let millis = seconds.parse::<f64>().unwrap() * 1e3;
        let calls = calls(&[("service.call", &format!("'{millis}ms'"))]);
        assert_eq!(range(&calls.sends).to_vec(), numbers(&target["sends"]), "{seconds} s a send");
    }
}

#[test]
fn status_400_is_not_retried() {
    let target = vectors("burst")["function_send_with_retries"]["status_400"].clone();
    let calls = calls(&[("service.script", "[['rejected']]")]);
    assert_eq!(range(&calls.sends), [number(&target["sends"]); 2]);
}

/// Upper ends of the waits: the delay at a draw of 1, which the stream never gives, but the formula takes.
#[test]
fn bounds() {
    let policy = Policy::from_toml(&format!("delay = {DELAY}")).unwrap().compile(Unit::S);
    let target = numbers(&vectors("burst")["function_send_with_retries"]["bounds_s"]);
    let mut memory = policy.memory();
    let bounds: Vec<f64> =
        (1..=6).map(|n| policy.delay(n, None, &mut memory, &mut Fixed(1.0)).unwrap()).collect();
    assert_eq!(bounds, target);
}
