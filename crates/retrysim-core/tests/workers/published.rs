//! Figures that others have printed of such services.

use retrysim_core::{Scenario, record::Outcome, stats::mean_sd};

use crate::{
    close, mean, runs, scenario,
    seen::{One, watch},
};

/// The printed value is one run of another program: it lies within `Z` standard deviations of our runs' mean, give or
/// take half a unit of its last digit.
#[track_caller]
fn like_one_of(what: &str, values: &[f64], printed: f64, digit: f64) {
    let (mean, sd, _) = mean_sd(values);
    println!("{what}: {mean:.5} (a run: {sd:.5}), printed {printed}");
    assert!(
        (mean - printed).abs() <= crate::Z * sd + digit / 2.0,
        "{what}: {mean} ({sd} a run), not {printed}"
    );
}

/// Marc Brooker, "Fixing retries with token buckets and circuit breakers" (28 February 2022): 100 clients that call ten
/// times a second each for ten seconds, attempts fail with probability `p` and all else is perfect.
fn brooker(p: f64, policy: &str) -> Scenario {
    scenario(
        &format!(
            "horizon = '10s'
             workload = {{ kind = 'open', clients = 100, rate = 10 }}
             service = {{ kind = 'workers', work = {{ constant = '0s' }}, failure = {p} }}"
        ),
        policy,
    )
}

#[test]
fn three_retries() {
    for (p, load, share) in [(0.1, 1.1075, 0.9998), (0.2, 1.244, 0.999), (0.5, 1.857, 0.940)] {
        let scenario = brooker(p, "stop = { retries = 3 }");
        let [loads, shares] = runs(&scenario, 100, ["amplification", "success_share"]);
        close("load", &loads, (1.0 - f64::powi(p, 4)) / (1.0 - p), 0.0);
        close("success", &shares, 1.0 - f64::powi(p, 4), 0.0);
        like_one_of("load", &loads, load, 1e-3);
        like_one_of("success", &shares, share, 1e-3);
    }
}

/// Five tokens, a tenth of one more with each call. His program wants more than one token for a retry; tokens are
/// tenths, so that this is at least one of a bucket that has a tenth less.
#[test]
fn a_token_bucket() {
    let policy = "budget = [{ bucket = { size = 4.9, credit = { request = 0.1 } } }]";
    for (p, load, share) in [(0.1, 1.1005, 0.9925), (0.2, 1.136, 0.906), (0.5, 1.140, 0.564)] {
        let [loads, shares] = runs(&brooker(p, policy), 100, ["amplification", "success_share"]);
        like_one_of("load", &loads, load, 1e-3);
        like_one_of("success", &shares, share, 1e-3);
    }
}
/// Bronson et al., "Metastable Failures in Distributed Systems" (HotOS 2021), section 2: a database that answers 300
/// queries per second, and clients that try once more if there is no answer within a second.
fn database(rate: u32, horizon: u32, trouble: &str, budget: &str) -> Scenario {
    scenario(
        &format!(
            "horizon = '{horizon}s'
             workload = {{ kind = 'open', clients = 1, rate = {rate} }}
             [service]
             kind = 'workers'
             workers = 1
             work = {{ constant = '3333333ns' }}
             timeout = '1s'
             {trouble}"
        ),
        &format!("stop = {{ attempts = 2 }}\n{budget}"),
    )
}

/// It stalls for ten seconds, and what arrives meanwhile waits.
const STALL: &str = "brownouts = [{ from = '20s', until = '30s', workers = 0 }]";

/// Attempts and successes per second in the last `seconds` of a run.
fn at_the_end(scenario: &Scenario, seconds: f64) -> [Vec<f64>; 2] {
    let from = scenario.horizon.secs() - seconds;
    let mut rates = [const { Vec::new() }; 2];
    for seen in watch(scenario, 20) {
        let count = |wanted: fn(&One) -> bool| {
            let count = seen.0.iter().filter(|one| one.over >= from && wanted(one)).count();
            f64::from(u32::try_from(count).unwrap()) / seconds
        };
        rates[0].push(count(|_| true));
        rates[1].push(count(|one| one.outcome == Outcome::Ok));
    }
    rates
}

#[test]
fn a_stall_of_ten_seconds_is_never_over() {
    let [offered, good] = at_the_end(&database(280, 400, STALL, ""), 200.0);
    close("offered", &offered, 560.0, 0.0);
    assert!(good.iter().all(|good| *good == 0.0), "{good:?}");
    let [good] = runs(&database(280, 400, "", ""), 20, ["success_share"]);
    assert!(good.iter().all(|good| *good > 0.999), "without a stall all is well: {good:?}");
}

/// Twice the rate must be below 300: the paper's limit is 150.
#[test]
fn below_half_the_capacity_it_recovers() {
    let [recovered] = runs(&database(140, 500, STALL, ""), 20, ["recovered_s"]);
    // 1400 that have waited and 1260 more in the place of those who gave up must become 300, with 20 a second to
    // spare: 118 s, and a standard deviation of 13 s, since the number of calls varies and counts twice.
    close("recovered", &recovered, 118.0, 2.0);
    assert!(recovered.iter().all(|after| (60.0..180.0).contains(after)), "{recovered:?}");
    let [recovered] = runs(&database(160, 500, STALL, ""), 20, ["recovered_s"]);
    assert!(recovered.iter().all(|after| after.is_nan()), "{recovered:?}");
}

/// A budget of retries must leave something to spare: fewer than 300 - 280 a second.
#[test]
fn with_few_retries_it_recovers() {
    let budget = |per_s| {
        format!("budget = [{{ bucket = {{ size = 1, credit = {{ per_s = {per_s} }}, scope = 'fleet' }} }}]")
    };
    let [recovered] = runs(&database(280, 600, STALL, &budget(10)), 20, ["recovered_s"]);
    // 2900 that have waited must become 300, with ten a second to spare; the standard deviation is 27 s.
    close("recovered", &recovered, 260.0, 2.0);
    assert!(recovered.iter().all(|after| (100.0..450.0).contains(after)), "{recovered:?}");
    let [recovered] = runs(&database(280, 600, STALL, &budget(30)), 20, ["recovered_s"]);
    assert!(recovered.iter().all(|after| after.is_nan()), "{recovered:?}");
}

/// The README of joemag1/queueingsimulator, where a tick is a millisecond here: ten workers that take 50 ticks on
/// average and one more to look into the queue, a thousand places, a thousand ticks of patience; who fails tries
/// again with probability one half, and learns of a late answer only when it comes. In the spike, the first thousand
/// requests take ten times as long.
fn ticks(rate: u32, service: &str) -> Scenario {
    scenario(
        &format!(
            "unit = 'ms'
             horizon = '1000s'
             workload = {{ kind = 'open', clients = 1, rate = {rate}, arrivals = 'regular' }}
             [service]
             kind = 'workers'
             workers = 10
             work = {{ normal = {{ mean = '49.5ms', sd = '12.5ms' }} }}
             queue = 1000
             poll = '1ms'
             timeout = '1s'
             notices = 'answer'
             {service}"
        ),
        "stop = { gives_up = 0.5 }",
    )
}

#[test]
fn joemag() {
    let spike = "cold = { attempts = 1000, factor = 10 }";
    for (name, rate, service, printed) in [
        ("lifo", 100, format!("{spike}\norder = 'lifo'"), 0.79),
        ("fifo", 100, spike.to_owned(), 9.91),
        ("too much", 500, String::new(), 86.74),
    ] {
        let [timeouts, throttled, attempts] =
            runs(&ticks(rate, &service), 20, ["timeouts", "throttled", "attempts"]);
        let failures: Vec<f64> =
            (0..20).map(|i| 100.0 * (timeouts[i] + throttled[i]) / attempts[i]).collect();
        like_one_of(name, &failures, printed, 0.01);
    }
}

/// The example of Metafor's README: 9.5 calls a second to a worker that does ten, 100 places, three seconds of
/// patience, four retries at once. Once the queue is long, it stays long. Metafor says 96.86 for the queue and 10 for
/// the throughput; its failures (0.7055 a second) are those that leave its orbit of 20 places, which has no twin here.
#[test]
fn metafor() {
    let scenario = scenario(
        "horizon = '4000s'
         workload = { kind = 'open', clients = 1, rate = 9.5 }
         [service]
         kind = 'workers'
         workers = 1
         work = { exponential = { mean = '100ms' } }
         queue = 100
         timeout = '3s'
         brownouts = [{ from = '0s', until = '20s', workers = 0 }]",
        "stop = { retries = 4 }\non = { throttle = { retry = false } }",
    );
    let names = ["mean_in_queue", "answered", "throttled", "attempts", "goodput_per_s"];
    let [queue, answered, throttled, attempts, good] = runs(&scenario, 20, names);
    // Every attempt that is taken in times out, and is followed by another one, five in all; 10 a second are taken
    // in: the share q of them is the root of 9.5 (q + q^2 + q^3 + q^4 + q^5) = 10.
    let taken = |q: f64| 9.5 * (1..=5).map(|k| q.powi(k)).sum::<f64>();
    let mut q = [0.0, 1.0];
    for _ in 0..60 {
        let half = f64::midpoint(q[0], q[1]);
        q[usize::from(taken(half) > 10.0)] = half;
    }
    let per_s: Vec<f64> = attempts.iter().map(|n| n / 4000.0).collect();
    close("attempts", &per_s, 10.0 / q[0], 0.1);
    let done: Vec<f64> = (0..20).map(|i| (answered[i] - throttled[i]) / 3980.0).collect();
    close("throughput", &done, 10.0, 0.0);
    println!("in the queue {:?}, good {:?}", mean(&queue), mean(&good));
    assert!(queue.iter().all(|queue| (96.0..100.0).contains(queue)), "{queue:?}");
    assert!(good.iter().all(|good| *good < 0.1), "{good:?}");
}

/// Client-side throttling (Site Reliability Engineering, chapter 21): a service that accepts 400 a second, clients that
/// want 2400. With every accepted request paying for `k`, it sees about `400 k`; within a short window, since what a
/// bad beginning leaves behind is made good by a factor of `k` in a window.
#[test]
fn sre_throttle() {
    for (k, sees, slack) in [(2.0, 800.0, 4.0), (1.1, 440.0, 3.0)] {
        let scenario = scenario(
            "horizon = '200s'
             workload = { kind = 'open', clients = 1, rate = 2400 }
             service = { kind = 'workers', workers = 1, work = { constant = '2500us' }, queue = 20 }",
            &format!("stop = {{ attempts = 1 }}\nbudget = [{{ sre = {{ k = {k}, window = '5s' }} }}]"),
        );
        let [seen, _] = at_the_end(&scenario, 100.0);
        close("seen by the service", &seen, sees, slack);
    }
}
