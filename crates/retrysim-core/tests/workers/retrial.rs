//! Retrial queues: who finds all workers busy tries again after an exponential delay, for ever.

use retrysim_core::Scenario;

use crate::{close, queues::erlang_b, scenario, seen::watch};

/// Poisson calls at `rate` to workers without a queue that take a second on average; retries at rate `retries` each.
fn retrial(rate: f64, workers: u32, retry_after_ms: u32, horizon: f64) -> Scenario {
    scenario(
        &format!(
            "horizon = '{horizon}s'
             workload = {{ kind = 'open', clients = 1, rate = {rate} }}
             service = {{ kind = 'workers', workers = {workers}, queue = 0, work = {{ exponential = {{ mean = '1s' }} }} }}"
        ),
        &format!("delay = [{{ const = '{retry_after_ms}ms' }}, {{ special = 'exponential' }}]"),
    )
}

/// Falin and Templeton, Retrial Queues (1997), section 1.1: with `rho` the load and retries at rate `theta`, the orbit
/// holds `rho (lambda + rho theta) / ((1 - rho) theta)` calls on average; the worker is busy for a share `rho` of the
/// time, and nobody is there at all for a share `(1 - rho)^(1 + lambda / theta)`.
#[test]
fn one_worker() {
    const WARM_UP: f64 = 2_000.0;
    const HORIZON: f64 = 30_000.0;
    for (rate, retry_after_ms, orbit, empty) in
        [(0.5, 5_000, 3.0, 0.0884), (0.8, 1_000, 6.4, 0.0552), (0.3, 200, 0.154_286, 0.6852)]
    {
        let scenario = retrial(rate, 1, retry_after_ms, HORIZON);
        let mut measured = [const { Vec::new() }; 3];
        for seen in watch(&scenario, 60) {
            let mut changes = seen.retrials();
            changes.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut at, mut waiting, mut busy) = (WARM_UP, 0, 0);
            let mut integrals = [0.0; 3];
            for (time, to_orbit, to_work) in changes.into_iter().chain([(HORIZON, 0, 0)]) {
                if time > at {
                    let passed = time - at;
                    integrals[0] += passed * f64::from(waiting);
                    integrals[1] += passed * f64::from(busy);
                    integrals[2] += if waiting + busy == 0 { passed } else { 0.0 };
                    at = time;
                }
                (waiting, busy) = (waiting + to_orbit, busy + to_work);
            }
            for (measured, integral) in measured.iter_mut().zip(integrals) {
                measured.push(integral / (HORIZON - WARM_UP));
            }
        }
        close("in orbit", &measured[0], orbit, 1e-6);
        close("busy", &measured[1], rate, 1e-6);
        close("nobody", &measured[2], empty, 5e-5);
    }
}

/// Cohen (1957): if retries are rare, those that come at rate `r` in all are a Poisson stream like the new calls, and
/// `r = (lambda + r) B((lambda + r) / mu, c)` with Erlang's B.
#[test]
fn rare_retries_are_a_stream_like_any_other() {
    const WARM_UP: f64 = 8_000.0;
    const HORIZON: f64 = 40_000.0;
    let (rate, workers) = (2.4, 4);
    let mut r = 0.0;
    for _ in 0..1_000 {
        r = (rate + r) * erlang_b(rate + r, workers);
    }
    let rates: Vec<f64> = watch(&retrial(rate, workers, 400_000, HORIZON), 40)
        .iter()
        .map(|seen| seen.refused_since(WARM_UP) / (HORIZON - WARM_UP))
        .collect();
    // The formula holds in the limit; at 400 s it is a per cent off at the most.
    close("retries per second", &rates, r, 0.01 * r);
}
