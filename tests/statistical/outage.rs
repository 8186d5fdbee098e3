//! A long outage: how often a client knocks once its waits have reached the cap.
//!
//! Five comparisons at 4.5 standard errors: a false alarm in 1 of 30,000.

use retrysim::Scenario;

use crate::{
    support::scenario,
    waits::stationary_mean,
    z::{Sample, Zs, runs},
};

/// 100 clients, down until the end, `caps` times 100 ms.
fn down(caps: u32, delay: &str) -> Scenario {
    let until = format!("'{}ms'", caps * 100);
    let set = [
        ("workload.clients", "100"),
        ("horizon", &*until),
        ("service.outages", &format!("[{{ from = '0s', until = {until} }}]")),
        ("policy.knocking.delay", delay),
    ];
    scenario("burst", &set)
}

fn attempts(caps: u32, delay: &str) -> Vec<f64> {
    let runs = runs(&down(caps, delay), "knocking", 200);
    runs.column("knocking", "attempts").unwrap().iter().map(|attempts| attempts / 100.0).collect()
}

/// Without jitter exactly one a cap, the first attempt at time 0 included.
#[test]
fn without_jitter() {
    assert!(attempts(40, "[{ const = '100ms' }]").iter().all(|n| *n == 40.0));
}

/// Renewals with waits of mean m and variance v: T / m + (v - m^2) / (2 m^2) retries in a time T, up to a
/// term that vanishes exponentially. So 4/3 a cap for equal jitter and 2 for full jitter in the long run.
#[test]
fn equal_and_full_jitter() {
    let mut zs = Zs::default();
    for (jitter, low) in [("[0.5, 1]", 0.5), ("[0, 1]", 0.0)] {
        let (mean, variance) = ((1.0 + low) / 2.0, (1.0_f64 - low).powi(2) / 12.0);
        for caps in [40, 80] {
            let retries = f64::from(caps) / mean + (variance - mean * mean) / (2.0 * mean * mean);
            let sample =
                Sample::of(&attempts(caps, &format!("[{{ const = '100ms' }}, {{ jitter = {jitter} }}]")));
            zs.mean(format!("{jitter}, {caps} caps"), sample, 1.0 + retries);
        }
    }
    zs.check();
}

/// Decorrelated jitter isn't a renewal process; its rate is 1 over the stationary mean (1 / 0.657 a cap).
/// The difference of two long outages under the same seed leaves only that.
#[test]
fn decorrelated() {
    let delay = "[{ prev = { first = '5ms' } }, { uniform = { lo = { abs = '5ms' }, hi = { prev = 3 } } }, { cap = '100ms' }]";
    let (short, long) = (attempts(40, delay), attempts(120, delay));
    let more: Vec<f64> = long.iter().zip(short).map(|(long, short)| (long - short) / 80.0).collect();
    let mut zs = Zs::default();
    zs.mean("rate", Sample::of(&more), 20.0 / stationary_mean(20.0));
    zs.check();
}
