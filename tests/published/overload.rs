//! Six clients on four slots: the policies without jitter, and how long a doomed call must last for the
//! published counts to come out.

use retrysim::{
    draw::Philox,
    record::{self, Attempt, Recorder},
};
use serde_json::Value;

use crate::support::{entry, list, number, run, scenario, vectors};

/// Starts of attempts, and how many ended by the end of the two seconds shown.
#[derive(Default)]
struct Starts {
    at: Vec<f64>,
    finished: u32,
}

impl Recorder for Starts {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.at.push(attempt.start);
        self.finished += u32::from(attempt.end <= 2000.0);
    }
}

fn starts(policy: &str, call: &str) -> Starts {
    let mut starts = Starts::default();
    let scenario = scenario("overload", &[("service.call", call)]);
    run(&scenario, policy, &mut Philox::new(0, 0), &mut starts);
    starts
}

#[test]
fn attempts_and_successes() {
    let vectors = vectors("overload");
    let target = &vectors["doc004_deterministic_by_rule"]["overlap"];
    for policy in ["immediate", "exponential"] {
        let totals = run(&scenario("overload", &[]), policy, &mut Philox::new(0, 0), &mut record::Totals);
        assert_eq!(totals.get("attempts"), number(&target[policy][0]), "{policy}");
        assert_eq!(totals.get("successes"), number(&target[policy][1]), "{policy}");
    }
    let id = |id: &str| number(&entry(&vectors["doc004"], id)["reproduced"]);
    assert_eq!([id("004.immediate.attempts"), id("004.exponential.attempts")], [120.0, 30.0]);
}

/// Every wave of the two policies: 20 of six calls, and five of six.
#[test]
fn waves() {
    let wave = |times: &[f64]| times.iter().flat_map(|at| [*at; 6]).collect::<Vec<_>>();
    let immediate: Vec<f64> = (0..20).map(|k| f64::from(k) * 100.0).collect();
    assert_eq!(starts("immediate", "'100ms'").at, wave(&immediate));
    assert_eq!(starts("exponential", "'100ms'").at, wave(&[0.0, 200.0, 500.0, 1000.0, 1900.0]));
}

/// Only 100 ms gives 120 attempts both started and finished: that is how the length was inferred.
#[test]
fn lengths_of_a_call() {
    let vectors = vectors("overload");
    let scan = list(&vectors["doc004_timeout_length_scan"]);
    assert_eq!(scan.len(), 13);
    for target in scan {
        let call = format!("'{}ms'", target["timeout_ms"]);
        let count = |name: &str| number(&target[name]);
        let immediate = starts("immediate", &call);
        assert_eq!(immediate.at.len() as f64, count("immediate_started"), "{call}");
        assert_eq!(f64::from(immediate.finished), count("immediate_finished"), "{call}");
        assert_eq!(starts("exponential", &call).at.len() as f64, count("exponential_started"), "{call}");
    }
}

/// Step 1: three served at once, a 429 and a 503 served on attempt 2, a 400 never retried.
#[test]
fn step_1() {
    let vectors = vectors("overload");
    let target: &Value = &entry(&vectors["doc004"], "004.step1")["reproduced"];
    let mut starts = Starts::default();
    let totals = run(&scenario("overload_step1", &[]), "exponential", &mut Philox::new(0, 0), &mut starts);
    assert_eq!(totals.get("attempts"), number(&target["attempts"]));
    assert_eq!(totals.get("successes"), number(&target["succeeded"]));
    // The call that was told to come back in 1 s does so, without jitter: sent at 0, answered at 100 ms.
    let mut retries: Vec<f64> = starts.at.into_iter().filter(|at| *at > 0.0).collect();
    retries.sort_unstable_by(f64::total_cmp);
    assert_eq!(retries, [200.0, 1100.0]);
}
