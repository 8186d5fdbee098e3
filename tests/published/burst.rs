//! The burst's policies without jitter: wave by wave, and for eighteen caps.

use retrysim::{
    draw::Philox,
    record::{Attempt, Outcome, Recorder},
};
use serde_json::Value;

use crate::support::{entry, list, number, run, scenario, vectors};

/// Calls and successes by attempt, with the time of the wave; all clients move in step.
#[derive(Default)]
struct Waves(Vec<(f64, u32, u32)>);

impl Recorder for Waves {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let wave = attempt.call.attempt as usize;
        if self.0.len() < wave {
            self.0.resize(wave, (attempt.start, 0, 0));
        }
        let (at, calls, served) = &mut self.0[wave - 1];
        assert_eq!(*at, attempt.start, "a wave is one moment");
        *calls += 1;
        *served += u32::from(attempt.outcome == Outcome::Ok);
    }
}

fn check_waves(policy: &str, target: &Value) {
    let mut waves = Waves::default();
    let totals = run(&scenario("burst", &[]), policy, &mut Philox::new(0, 0), &mut waves);
    assert_eq!(totals.get("attempts"), number(&target["reproduced"]), "{policy}");
    let target = list(&target["waves"]);
    assert_eq!(waves.0.len(), target.len(), "{policy}");
    for ((at, calls, served), target) in waves.0.into_iter().zip(target) {
        assert_eq!(at, number(&target["time_ms"]), "{policy}");
        assert_eq!(f64::from(calls), number(&target["calls"]), "{policy} at {at}");
        assert_eq!(f64::from(served), number(&target["served"]), "{policy} at {at}");
    }
}

#[test]
fn waves() {
    let vectors = vectors("burst");
    check_waves("immediate", entry(&vectors["doc002"], "002.immediate.calls"));
    check_waves("exponential", entry(&vectors["doc002"], "002.exponential.calls"));
}

#[test]
fn served_and_given_up() {
    let vectors = vectors("burst");
    let totals = |policy, spread| {
        let scenario = scenario("burst", &[("workload.spread", spread)]);
        run(&scenario, policy, &mut Philox::new(0, 0), &mut retrysim::record::Totals)
    };
    // Any spread of up to 100 ms gives the same counts.
    for spread in ["'0s'", "'50ms'", "'100ms'"] {
        let served = number(&entry(&vectors["doc002"], "002.immediate.served")["reproduced"]);
        assert_eq!(totals("immediate", spread).get("successes"), served, "{spread}");
        let target = &entry(&vectors["doc002"], "002.exponential.served")["reproduced"];
        let ours = totals("exponential", spread);
        assert_eq!(ours.get("successes"), number(&target["served"]), "{spread}");
        assert_eq!(ours.get("gave_up"), number(&target["gave_up"]), "{spread}");
        assert_eq!(ours.get("attempts"), 1360.0, "{spread}");
    }
}

/// The cap is inferred from "almost ten seconds": what every other one would have given.
#[test]
fn caps() {
    let vectors = vectors("burst");
    let scan = &entry(&vectors["doc002"], "002.exponential.last_success_ms")["cap_scan"];
    assert_eq!(scan.as_object().unwrap().len(), 18);
    for (cap, target) in scan.as_object().unwrap() {
        let delay = format!("[{{ exp = {{ base = '100ms' }} }}, {{ cap = '{cap}ms' }}]");
        let scenario = scenario("burst", &[("policy.exponential.delay", &delay)]);
        let totals = run(&scenario, "exponential", &mut Philox::new(0, 0), &mut retrysim::record::Totals);
        assert_eq!(totals.get("successes"), number(&target["served"]), "cap {cap}");
        assert_eq!(totals.get("attempts"), number(&target["calls"]), "cap {cap}");
        assert_eq!(totals.get("last_success_s"), number(&target["last_success_ms"]) / 1e3, "cap {cap}");
    }
}

/// One budget for all clients: while it runs dry in the outage, every token is one call and serves nobody.
#[test]
fn a_shared_budget_that_runs_dry() {
    let vectors = vectors("amplification");
    let targets = &entry(&vectors["doc001"], "001x002.shared_budget")["reproduced"];
    for target in list(targets).iter().filter(|target| number(&target["tokens"]) <= 200.0) {
        let bucket = format!("[{{ bucket = {{ size = {}, scope = 'process' }} }}]", target["tokens"]);
        let scenario = scenario("burst", &[("policy.full.budget", &bucket)]);
        for seed in 0..20 {
            let totals = run(&scenario, "full", &mut Philox::new(seed, 0), &mut retrysim::record::Totals);
            assert_eq!(totals.get("attempts"), number(&target["calls"]), "{bucket} seed {seed}");
            assert_eq!(totals.get("successes"), number(&target["served"]), "{bucket} seed {seed}");
        }
    }
}
