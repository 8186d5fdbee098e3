//! Every delay of one device, bit by bit: device 1999, seed 7.
//!
//! Four of the twelve formulas are written differently in the source. The engine has one jitter stage,
//! `v * (lo + (hi - lo) * u)`. The source writes equal jitter as `e/2 + u * e/2`, proportional jitter with
//! the literals 0.2 and 0.5 where the engine has `1.1 - 0.9` and `1.25 - 0.75`, and the floor on
//! Retry-After as `h + u * h`. Each side rounds a sum and at most two products, half an ulp each, and the
//! engine's width is off by less than an ulp of the sum, so the two differ by 4 ulp at the most. All other
//! delays are the same products in the same order: equal to the bit.

use retrysim::{
    callers::Decision,
    draw::Mulberry32,
    record::{Attempt, Outcome, Recorder},
};
use serde_json::Value;

use crate::{
    devices::POLICIES,
    support::{list, number, run, scenario, vectors},
};

const DEVICE: u32 = 1999;

fn ulps_allowed(label: &str) -> u64 {
    if matches!(label, "equal" | "pm10" | "pm25" | "ra_floor") { 4 } else { 0 }
}

/// The device's attempts: when, and the delay after it; `None` once it is served.
#[derive(Default)]
struct Trace(Vec<(f64, Option<f64>)>);

impl Recorder for Trace {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        if attempt.call.client != DEVICE {
            return;
        }
        let delay = match attempt.decision {
            Some(Decision::Retry(delay)) => Some(delay),
            None if attempt.outcome == Outcome::Ok => None,
            other => panic!("unexpected {other:?}"),
        };
        self.0.push((attempt.start, delay));
    }
}

fn check(label: &str, (start, delay): (f64, Option<f64>), target: &Value) {
    assert_eq!(start, number(&target["t_ms"]), "{label}");
    let Some(delay) = delay else {
        assert_eq!(target["accepted"], true, "{label} at {start}");
        return;
    };
    let bits = target["delay_bits"].as_str().unwrap_or_else(|| panic!("{label} at {start}: {delay}"));
    let bits = u64::from_str_radix(bits.trim_start_matches("0x"), 16).unwrap();
    let apart = delay.to_bits().abs_diff(bits);
    assert!(apart <= ulps_allowed(label), "{label} at {start}: {delay} is {apart} ulp away");
}

#[test]
fn traces() {
    let (scenario, vectors) = (scenario("devices", &[]), vectors("devices"));
    for (label, policy) in POLICIES {
        let mut trace = Trace::default();
        run(&scenario, policy, &mut Mulberry32::new(7), &mut trace);
        let target = list(&vectors["traces_seed7_device1999"][label]);
        assert_eq!(trace.0.len(), target.len(), "{label}");
        trace.0.iter().zip(target).for_each(|(attempt, target)| check(label, *attempt, target));
    }
}
