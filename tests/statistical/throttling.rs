//! gRPC's throttling: a token for each failure, `ratio` back for each success, retries above half of the
//! tokens only. It is a breaker, not a budget: past p = ratio / (1 + ratio) no retry is left.

use retrysim::Scenario;

use crate::{
    support::scenario,
    z::{Sample, Zs, runs},
};

/// Attempts of a call at the most.
const ATTEMPTS: usize = 4;

fn throttled(calls: u32, p: f64, ratio: f64) -> Scenario {
    let budget = format!(
        "[{{ bucket = {{ size = 10, gate = 'above_half', debit = 'on_failure', credit = {{ success = {ratio:?} }}, scope = 'process' }} }}]"
    );
    let set = [
        ("workload.clients", &*calls.to_string()),
        ("service.probability", &format!("{p:?}")),
        ("policy.throttled.stop.attempts", &ATTEMPTS.to_string()),
        ("policy.throttled.budget", &budget),
    ];
    scenario("amplification", &set)
}

/// Expected attempts of `calls` calls, from the Markov chain of the tokens at the start of a call. Tokens
/// are counted in eighths, as a ratio of 1/8 allows without rounding; the bucket is full at the start.
fn expected_attempts(calls: u32, p: f64) -> f64 {
    const FULL: usize = 80;
    const ONE: usize = 8;
    let mut at_start = [0.0; FULL + 1];
    at_start[FULL] = 1.0;
    let mut attempts = 0.0;
    for _ in 0..calls {
        let mut at_end = [0.0; FULL + 1];
        let mut trying = at_start;
        for attempt in 1..=ATTEMPTS {
            attempts += trying.iter().sum::<f64>();
            let mut retrying = [0.0; FULL + 1];
            for (tokens, mass) in trying.into_iter().enumerate() {
                at_end[(tokens + 1).min(FULL)] += (1.0 - p) * mass;
                let left = tokens.saturating_sub(ONE);
                let goes_on = attempt < ATTEMPTS && left > FULL / 2;
                (if goes_on { &mut retrying } else { &mut at_end })[left] += p * mass;
            }
            trying = retrying;
        }
        at_start = at_end;
    }
    attempts
}

/// Below, near and above the threshold of 1/9. Five comparisons: a false alarm in 1 of 30,000.
#[test]
fn load_by_markov_chain() {
    const CALLS: u32 = 2_000;
    let mut zs = Zs::default();
    for p in [0.05, 0.1, 0.12, 0.2, 0.5] {
        let runs = runs(&throttled(CALLS, p, 0.125), "throttled", 1_000);
        zs.mean(
            format!("p = {p}"),
            Sample::column(&runs, "throttled", "attempts"),
            expected_attempts(CALLS, p),
        );
    }
    zs.check();
}

/// The ratio of the proposal, 0.1: the threshold is 1/11. In a long run of 400,000 calls the load is that
/// of unlimited retries below it and 1.00 above.
#[test]
fn threshold() {
    let load =
        |p| runs(&throttled(400_000, p, 0.1), "throttled", 4).column("throttled", "amplification").unwrap();
    let unlimited = |p: f64| (1.0 - p.powi(4)) / (1.0 - p);
    // Far below, a run of failures that empties half of the bucket is rare: a tenth of a per cent is lost.
    assert!(load(0.03).iter().all(|load| (load / unlimited(0.03) - 1.0).abs() < 2e-3), "{:?}", load(0.03));
    for p in [0.2, 0.5] {
        assert!(load(p).iter().all(|load| (1.0..1.005).contains(load)), "p = {p}: {:?}", load(p));
    }
}
