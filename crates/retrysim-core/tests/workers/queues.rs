//! Queues without retries.

use crate::{close, runs, scenario};

/// Poisson calls at `rate` to workers that take a second on average.
fn queue(rate: f64, workers: u32, places: &str, horizon: u32) -> retrysim_core::Scenario {
    scenario(
        &format!(
            "horizon = '{horizon}s'
             workload = {{ kind = 'open', clients = 1, rate = {rate} }}
             service = {{ kind = 'workers', workers = {workers}, work = {{ exponential = {{ mean = '1s' }} }}{places} }}"
        ),
        "stop = { attempts = 1 }",
    )
}

/// Erlang's B formula: the share of calls that find `workers` busy, by its recursion.
pub fn erlang_b(load: f64, workers: u32) -> f64 {
    (1..=workers).fold(1.0, |b, n| load * b / (f64::from(n) + load * b))
}

/// Erlang's C formula: the share of calls that wait.
fn erlang_c(load: f64, workers: u32) -> f64 {
    let b = erlang_b(load, workers);
    let c = f64::from(workers);
    c * b / (c - load * (1.0 - b))
}

#[test]
fn one_worker() {
    for rho in [0.5, 0.8] {
        let names = ["mean_in_queue", "mean_in_service", "latency_mean_s", "utilisation"];
        let [queue, service, latency, utilisation] = runs(&queue(rho, 1, "", 40_000), 60, names);
        let in_system: Vec<f64> = queue.iter().zip(&service).map(|(a, b)| a + b).collect();
        // The run begins empty, which takes rho / (1 - rho)^3 off the integral of the number in the system.
        let slack = rho / f64::powi(1.0 - rho, 3) / 40_000.0;
        close("in the system", &in_system, rho / (1.0 - rho), slack);
        close("latency", &latency, 1.0 / (1.0 - rho), slack / rho);
        close("utilisation", &utilisation, rho, slack);
    }
}

#[test]
fn three_workers() {
    let load = 2.4;
    let [waiting, latency] = runs(&queue(load, 3, "", 40_000), 60, ["mean_in_queue", "latency_mean_s"]);
    let wait = erlang_c(load, 3) / (3.0 - load);
    close("in the queue", &waiting, load * wait, 1e-3);
    close("latency", &latency, 1.0 + wait, 1e-3);
}

#[test]
fn loss() {
    for (load, workers) in [(1.0, 1), (2.5, 3), (8.0, 10)] {
        let scenario = queue(load, workers, ", queue = 0", 20_000);
        let [throttled, calls, busy] = runs(&scenario, 60, ["throttled", "calls", "mean_in_service"]);
        let lost: Vec<f64> = throttled.iter().zip(&calls).map(|(lost, calls)| lost / calls).collect();
        let b = erlang_b(load, workers);
        close("lost", &lost, b, 1e-4);
        close("busy", &busy, load * (1.0 - b), 1e-3);
    }
}

/// Six clients that think for four seconds and a worker that takes one: the machine repair model, where `k` wait or are
/// worked on with a probability that grows as `6! / (6 - k)! (1 / 4)^k`.
#[test]
fn clients_that_think() {
    let scenario = scenario(
        "horizon = '20000s'
         workload = { kind = 'closed', clients = 6, think = { exponential = { mean = '4s' } } }
         service = { kind = 'workers', workers = 1, work = { exponential = { mean = '1s' } } }",
        "stop = { attempts = 1 }",
    );
    let [goodput, latency] = runs(&scenario, 40, ["goodput_per_s", "latency_mean_s"]);
    let mut weight = 1.0;
    let mut sum = 1.0;
    for k in 0..6 {
        weight *= f64::from(6 - k) / 4.0;
        sum += weight;
    }
    let throughput = 1.0 - 1.0 / sum;
    close("throughput", &goodput, throughput, 1e-3);
    close("latency", &latency, 6.0 / throughput - 4.0, 1e-3);
}

#[test]
fn regular_calls() {
    let scenario = scenario(
        "horizon = '10s'
         workload = { kind = 'open', clients = 3, rate = 2, arrivals = 'regular' }
         service = { kind = 'workers', work = { constant = '0s' } }",
        "stop = { attempts = 1 }",
    );
    let [calls, successes, peak] = runs(&scenario, 20, ["calls", "successes", "peak_per_s"]);
    assert!(calls.iter().chain(&successes).all(|calls| *calls == 60.0), "{calls:?}");
    assert!(peak.iter().all(|peak| *peak == 6.0), "{peak:?}");
}

/// Barrer (1957), one worker and clients that leave the queue after a time `tau`: with `a = e^(-(1 - rho) tau)` a share
/// `(1 - rho) rho a / (1 - rho^2 a)` of them leaves. It makes no difference to that share whether they leave when their
/// time is over, or are passed over when it is their turn.
#[test]
fn impatient_clients() {
    let (rho, tau) = (0.9, 2.0);
    let a = f64::exp(-(1.0 - rho) * tau);
    let expected = (1.0 - rho) * rho * a / (1.0 - rho * rho * a);
    for (rule, column) in [
        ("shed = '2s'", "throttled"),
        ("timeout = '2s', propagates_deadline = true", "dropped"),
        ("timeout = '2s', cancels = true", "dropped"),
    ] {
        let [left, attempts] = runs(&queue(rho, 1, &format!(", {rule}"), 20_000), 40, [column, "attempts"]);
        let share: Vec<f64> = left.iter().zip(&attempts).map(|(left, attempts)| left / attempts).collect();
        close(rule, &share, expected, 1e-4);
    }
}

/// Two exponential copies, the second one `delay` later: a share `e^-delay` of the calls needs it, and a call takes
/// `1 - e^-delay / 2` on average.
#[test]
fn copies() {
    for (delay, wait) in [("0s", 0.0), ("500ms", 0.5), ("2s", 2.0)] {
        let scenario = scenario(
            "horizon = '20000s'
             workload = { kind = 'open', clients = 1, rate = 1 }
             service = { kind = 'workers', work = { exponential = { mean = '1s' } } }",
            &format!("hedge = {{ delay = '{delay}', max = 1 }}"),
        );
        let [latency, hedges, calls] = runs(&scenario, 30, ["latency_mean_s", "hedges", "calls"]);
        close("latency", &latency, 1.0 - f64::exp(-wait) / 2.0, 1e-4);
        let share: Vec<f64> = hedges.iter().zip(&calls).map(|(hedges, calls)| hedges / calls).collect();
        close("copies", &share, f64::exp(-wait), 1e-4);
    }
}
