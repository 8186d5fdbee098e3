//! D: budgets, quotas, breakers.

use retrysim_core::{
    Unit,
    callers::{Call, Callers, Decision, Failure},
    draw::Philox,
    draw::{Draws, Purpose},
    policy::{Policy, class::Class, scope::Population},
};

use crate::{policy, run, total};

const ALL: Population = Population { clients: 1, processes: 1 };

/// Calls of one client, each with one failed attempt: whether a retry is granted.
struct Client<'p> {
    callers: Callers<'p>,
    next: u32,
}

impl<'p> Client<'p> {
    fn new(policy: &'p retrysim_core::policy::Compiled) -> Self {
        Self { callers: Callers::new(policy, ALL), next: 0 }
    }

    fn send(&mut self, now: f64) -> Call {
        let call = self.callers.call(self.next, 0, now);
        self.next += 1;
        self.callers.on_send(&call, now);
        call
    }

    fn fails(&mut self, call: &mut Call, now: f64) -> bool {
        let failure = Failure { class: Class::Error, hint: None, sent: now };
        let mut draws = Philox::new(3, 0);
        let mut stream = draws.at(Purpose::Attempt, call.id, call.attempt);
        matches!(self.callers.on_failure(call, now, failure, &mut stream), Decision::Retry(_))
    }

    /// Retries granted to `wanted` calls that fail at `now`.
    fn granted(&mut self, wanted: u32, now: f64) -> u32 {
        (0..wanted)
            .map(|_| {
                let mut call = self.send(now);
                u32::from(self.fails(&mut call, now))
            })
            .sum()
    }
}

fn compiled(toml: &str) -> retrysim_core::policy::Compiled {
    let policy: Policy = policy(toml);
    policy.compile(Unit::S)
}

/// D1: the percentage is truncated: 0.3, 0.4, 0.6 of 10,000 deposits.
#[test]
fn d1_a_percentage_with_three_values() {
    for (ratio, expected) in
        [(0.05, 500), (0.15, 1_666), (0.2, 2_000), (0.3, 3_333), (0.4, 5_000), (0.6, 10_000)]
    {
        let tower =
            compiled(&format!("budget = [{{ deposits = {{ ratio = {ratio}, scale = 1, min_per_s = 0 }} }}]"));
        let mut client = Client::new(&tower);
        let mut calls: Vec<Call> = (0..10_000).map(|_| client.send(0.0)).collect();
        let granted = calls.iter_mut().map(|call| usize::from(client.fails(call, 0.0))).sum::<usize>();
        assert_eq!(granted, expected, "{ratio}");
    }
}

/// D2: "at least 10 a second" is a burst of 100 every 11 s.
#[test]
fn d2_the_reserve_is_a_burst() {
    let tower = compiled("budget = [{ deposits = { ratio = 0.0, scale = 1, min_per_s = 10 } }]");
    let mut client = Client::new(&tower);
    let granted: Vec<u32> = (1..=24).map(|second| client.granted(50, f64::from(second))).collect();
    assert_eq!(granted, [50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 50]);
}

/// D4: a retry that waits in backoff is a retry under way but no request in flight: of 1,000 that fail at once, a
/// budget of 100 % grants a part if backoff counts, and all if it does not.
#[test]
fn d4_refusals_while_nothing_is_in_flight() {
    let granted = |counts: bool, share: f64| {
        let envoy = compiled(&format!(
            "delay = [{{ const = '10s' }}]\nbudget = [{{ concurrency = {{ share = {share}, counts_backoff = {counts} }} }}]"
        ));
        let mut client = Client::new(&envoy);
        let mut calls: Vec<Call> = (0..1000).map(|_| client.send(0.0)).collect();
        calls.iter_mut().map(|call| usize::from(client.fails(call, 1.0))).sum::<usize>()
    };
    // The k-th failure leaves 1000 - k in flight and meets k - 1 retries: half of them pass.
    assert_eq!(granted(true, 1.0), 500);
    // The base shrinks as requests become retries: not 200, but k <= 0.2 (1000 - k), a sixth.
    assert_eq!(granted(true, 0.2), 166);
    assert_eq!(granted(false, 0.2), 995, "all but the last few, for which a fifth is less than one");
}

/// D5: at 5 requests a second and 2 % the share is nothing; a minimum of 3 is some, of 100 everything.
#[test]
fn d5_a_share_of_nothing() {
    let granted = |min: u32| {
        let envoy = compiled(&format!(
            "delay = [{{ const = '10s' }}]\nbudget = [{{ concurrency = {{ share = 0.02, min = {min} }} }}]"
        ));
        let mut client = Client::new(&envoy);
        (0..50).map(|i| client.granted(1, f64::from(i) / 5.0)).sum::<u32>()
    };
    assert_eq!([0, 3, 100].map(granted), [0, 3, 50]);
}

/// D7: the quota is never refilled: 100 failures, an hour of health, one failure: no retry.
#[test]
fn d7_one_incident_for_good() {
    let after_an_hour = |credit: &str| {
        let aws = compiled(&format!(
            "delay = [{{ const = '1s' }}]\nstop = {{ attempts = 3 }}\nbudget = [{{ bucket = {{ size = 500, cost = 5, credit = {credit} }} }}]"
        ));
        let mut client = Client::new(&aws);
        let granted = client.granted(101, 0.0);
        for second in 1..=3600 {
            let call = client.send(f64::from(second));
            client.callers.on_success(&call, f64::from(second));
        }
        (granted, client.granted(1, 3601.0))
    };
    assert_eq!(after_an_hour("{}"), (100, 0));
    assert_eq!(after_an_hour("{ first_success = 1, refund = true }"), (100, 1));
}

/// D8: a retried call that ends in 404 gives nothing back: 1 % of transient errors drains the bucket.
#[test]
fn d8_drained_in_steady_state() {
    let script = |end: &str| {
        let mut script = vec![format!("[\"{end}\"]"); 99];
        script.push(format!("[\"error\", \"{end}\"]"));
        script.join(", ")
    };
    let retries = |end: &str| {
        let (runs, _) = run(&format!(
            r#"
            name = "d8"
            horizon = "1h"
            workload = {{ kind = "burst", clients = 30000 }}
            service = {{ kind = "failures", script = [{}] }}
            policy.aws = {{ delay = [{{ const = "1s" }}], stop = {{ attempts = 3 }}, budget = [{{ bucket = {{ size = 500, cost = 5, credit = {{ first_success = 1, refund = true }}, scope = "process" }} }}] }}
            "#,
            script(end)
        ));
        total(&runs, "aws", "retries")
    };
    assert_eq!(retries("rejected"), 100.0, "500 tokens at 5 each, and none comes back");
    assert_eq!(retries("ok"), 300.0, "every transient error is retried");
}

/// D11: without a bucket an outage means three times the load, with one about once.
#[test]
fn d11_the_bucket_was_never_set() {
    let load = |budget: &str| {
        let (runs, _) = run(&format!(
            r#"
            name = "d11"
            horizon = "1h"
            workload = {{ kind = "burst", clients = 10000 }}
            service = {{ kind = "failures", probability = 1 }}
            policy.aws = {{ stop = {{ attempts = 3 }}{budget} }}
            "#
        ));
        total(&runs, "aws", "amplification")
    };
    assert_eq!(load(""), 3.0);
    let bucket = ", budget = [{ bucket = { size = 500, cost = 5, credit = { first_success = 1, refund = true }, scope = 'process' } }]";
    assert_eq!(load(bucket), 1.01);
}

/// D13: without a window the throttle forgets nothing: after 1,000 failures it holds back until 1,000 successes.
#[test]
fn d13_a_thousand_successes() {
    let gax = compiled("delay = [{ const = '1s' }]\nbudget = [{ sre = { k = 2, gates = 'retries' } }]");
    let mut client = Client::new(&gax);
    for _ in 0..1000 {
        let mut call = client.send(0.0);
        client.fails(&mut call, 0.0);
    }
    let mut refused_last = 0;
    for success in 1..=1500 {
        let call = client.send(1.0);
        client.callers.on_success(&call, 1.0);
        // The retry of a call that is not counted itself, twenty times: is any of them held back?
        let held_back = (0..20).any(|_| {
            let mut call = client.callers.call(1_000_000 + success, 0, 1.0);
            !client.fails(&mut call, 1.0)
        });
        if held_back {
            refused_last = success;
        }
    }
    // Close to the end a refusal is rare (1 in 2,000 a draw); it never comes later.
    assert!((700..1000).contains(&refused_last), "{refused_last}");
}

/// D10: an empty quota fails calls at once, and who calls in a loop without a wait of its own calls faster: the
/// request rate rises when the quota is empty.
#[test]
fn d10_an_empty_quota_speeds_up_the_loop() {
    let (_, logs) = run(r#"
        name = "d10"
        horizon = "60s"
        workload = { kind = "closed", clients = 5, think = { constant = "100ms" } }
        service = { kind = "workers", workers = 50, work = { constant = "10ms" }, outages = [{ from = "0s", until = "60s" }] }
        policy.aws = { delay = [{ exp = { base = "1s" } }, { cap = "20s" }, { jitter = [0, 1] }], stop = { attempts = 3 }, budget = [{ bucket = { size = 500, cost = 5, credit = { first_success = 1, refund = true }, scope = "process" } }] }
        "#);
    let rate = |from: f64, until: f64| {
        let within = logs[0].iter().filter(|seen| (from..until).contains(&seen.start)).count();
        within as f64 / (until - from)
    };
    // With tokens a call takes 1.6 s for three attempts, without any 0.1 s for one: 9.4 and 50 requests a second.
    assert!((8.0..11.0).contains(&rate(0.0, 10.0)), "{}", rate(0.0, 10.0));
    assert!((rate(50.0, 60.0) - 50.0).abs() < 1.0, "{}", rate(50.0, 60.0));
}

/// D12: a throttle that counts answers, and not what it refuses: with answers that take 5 s it begins 5 s late, and
/// settles lower. Of 100 requests a second none succeeds; the window is 10 s.
#[test]
fn d12_late_and_low() {
    let (_, logs) = run(r#"
        name = "d12"
        horizon = "300s"
        workload = { kind = "open", clients = 1, rate = 100, arrivals = "regular" }
        service = { kind = "workers", work = { constant = "5s" }, failure = 1 }
        policy.book = { stop = { attempts = 1 }, budget = [{ sre = { k = 2, window = "10s" } }] }
        policy.zero = { stop = { attempts = 1 }, budget = [{ sre = { k = 2, window = "10s", counts_refused = false, counts_at = "answer" } }] }
        "#);
    let sent = |policy: usize, from: f64, until: f64| {
        logs[policy].iter().filter(|seen| (from..until).contains(&seen.start)).count() as f64
    };
    assert!(sent(0, 0.0, 5.0) < 30.0, "the book's formula holds back from the second request on");
    assert_eq!(sent(1, 0.0, 5.0), 500.0, "until the first answer everything is sent");
    // Refusals counted: 1,000 wanted in 10 s, one let through. Not counted: r = 1,000 / (r + 1) in 10 s.
    let (book, zero) = (sent(0, 50.0, 290.0) / 24.0, sent(1, 50.0, 290.0) / 24.0);
    assert!((0.5..1.6).contains(&book), "{book}");
    assert!((27.0..38.0).contains(&zero), "{zero}");
}

/// D2 again, under traffic that does not tick in whole seconds: tower's slots skip one each time they end late, and
/// the burst comes back after 6 s; Finagle's come back after the nine or ten seconds that were meant.
#[test]
fn d2_the_echo_of_real_traffic() {
    let bursts = |slots: &str| -> Vec<f64> {
        let budget = compiled(&format!(
            "budget = [{{ deposits = {{ ratio = 0.0, scale = 1, min_per_s = 10, slots = '{slots}' }} }}]"
        ));
        let mut client = Client::new(&budget);
        let granted = (1..=800).map(|i| f64::from(i) * 0.0251).map(|now| (now, client.granted(4, now)));
        let mut last = f64::NEG_INFINITY;
        let mut bursts = Vec::new();
        for (now, granted) in granted {
            if granted > 0 && now - last > 1.0 {
                bursts.push(now);
            }
            if granted > 0 {
                last = now;
            }
        }
        bursts
    };
    let gap = |bursts: &[f64]| bursts[1] - bursts[0];
    let (tower, finagle) = (bursts("tower"), bursts("finagle"));
    assert!((5.5..6.5).contains(&gap(&tower)), "{tower:?}");
    assert!((9.5..10.5).contains(&gap(&finagle)), "{finagle:?}");
}
