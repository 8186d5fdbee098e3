//! Budgets, limiters, breakers and hints as they are shipped, with the numbers that notes give for them.

use retrysim_core::{
    Catalogue, Policy, Unit,
    callers::{Call, Callers, Decision, Failure, Sending},
    draw::Fixed,
    policy::{Compiled, class::Class, scope::Population},
};

use super::vectors::ALONE;

/// A policy of the catalogue without a limit of attempts.
fn unlimited(name: &str) -> Compiled {
    let mut policy = Catalogue::bundled().policy(name).unwrap().clone();
    (policy.stop.attempts, policy.stop.retries) = (None, None);
    policy.compile(Unit::S)
}

fn fails(callers: &mut Callers<'_>, call: &mut Call, now: f64) -> Decision {
    callers.on_failure(call, now, Failure { class: Class::Error, hint: None, sent: now }, &mut Fixed(0.5))
}

/// First attempts of so many calls are under way; then all fail. How many are retried?
fn retried(callers: &mut Callers<'_>, calls: u32) -> usize {
    let mut calls: Vec<_> = (0..calls).map(|id| callers.call(id, 0, 0.0)).collect();
    calls.iter().for_each(|call| callers.on_send(call, 0.0));
    calls
        .iter_mut()
        .map(|call| fails(callers, call, 0.0))
        .filter(|then| matches!(then, Decision::Retry(_)))
        .count()
}

#[test]
fn budgets_pay_for_what_the_notes_say() {
    let cases = [
        ("aws-standard-2.1", 1000, 35),
        ("aws-standard-2.0", 1000, 100),
        ("aws-standard-2.0/rust", 1000, 50),
        ("aws-go-v2-1.17", 1000, 100),
        ("aws-adaptive", 1000, 35),
        ("grpc-retry-a6", 1000, 4),
        ("envoy", 1000, 3),
        ("istio", 1000, 1000),
        ("finagle-budget", 1000, 100),
        // A request's own deposit counts: 100 of reserve and a fifth of 1000.
        ("linkerd-serviceprofile", 1000, 300),
        ("google-cloud-rust-throttlers/circuit-breaker", 1000, 4),
    ];
    for (name, calls, expected) in cases {
        let policy = unlimited(name);
        assert_eq!(retried(&mut Callers::new(&policy, ALONE), calls), expected, "{name}");
    }
}

/// Of 100 requests in flight one fails after the other: the 17th finds 83 in flight and 16 retries in backoff.
#[test]
fn envoy_counts_retries_in_backoff_but_no_longer_their_requests() {
    let policy = unlimited("envoy/retry-budget");
    assert_eq!(retried(&mut Callers::new(&policy, ALONE), 100), 16);
    let mut callers = Callers::new(&policy, ALONE);
    assert_eq!(retried(&mut callers, 3), 3);
    assert_eq!(retried(&mut callers, 1), 0);
}

#[test]
fn a_place_is_free_when_its_retry_has_ended() {
    let policy = unlimited("envoy");
    let mut callers = Callers::new(&policy, ALONE);
    let mut calls: Vec<_> = (0..4).map(|id| callers.call(id, 0, 0.0)).collect();
    for call in &calls {
        callers.on_send(call, 0.0);
    }
    let decisions: Vec<_> = calls.iter_mut().map(|call| fails(&mut callers, call, 0.0)).collect();
    assert!(decisions[..3].iter().all(|decision| matches!(decision, Decision::Retry(_))));
    assert_eq!(decisions[3], Decision::BudgetDenied);
    callers.on_send(&calls[0], 1.0);
    callers.on_success(&calls[0], 2.0);
    assert_eq!(retried(&mut callers, 2), 1);
}

#[test]
fn an_idle_finagle_client_requeues_one_call_20_times_at_once() {
    let policy = unlimited("finagle-budget");
    let mut callers = Callers::new(&policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    let mut retries = 0;
    while fails(&mut callers, &mut call, 0.0) == Decision::Retry(0.0) {
        retries += 1;
    }
    assert_eq!(retries, 20);
}

#[test]
fn a_retried_success_gives_its_cost_back() {
    let policy = unlimited("aws-standard-2.1");
    let mut callers = Callers::new(&policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    callers.on_send(&call, 0.0);
    let throttled = Failure { class: Class::Throttle, hint: None, sent: 0.0 };
    callers.on_failure(&mut call, 0.0, throttled, &mut Fixed(0.5));
    assert_eq!(callers.level(0, 0.0).unwrap().0, 495.0);
    callers.on_send(&call, 1.0);
    callers.on_success(&call, 2.0);
    assert_eq!(callers.level(0, 2.0).unwrap().0, 500.0);
}

/// The SRE throttle refuses first attempts as well: after 99 failures of 99 nearly all of them.
#[test]
fn the_sre_throttle_holds_first_attempts_back() {
    let policy = unlimited("sre-adaptive-throttling");
    let mut callers = Callers::new(&policy, ALONE);
    retried(&mut callers, 99);
    let mut ask = |now, u| callers.ask(&mut callers.call(0, 0, now), now, &mut Fixed(u));
    assert_eq!(ask(0.0, 0.985), Sending::Not(Decision::Refused));
    assert_eq!(ask(0.0, 0.995), Sending::Now);
    assert_eq!(ask(121.0, 0.0), Sending::Now);
}

/// 100 items at once, then one each 100 ms; each item has its own curve.
#[test]
fn the_workqueue_shares_a_bucket() {
    let policy = unlimited("k8s-workqueue");
    let mut callers = Callers::new(&policy, Population { clients: 200, processes: 1 });
    let mut delay = |item| {
        let mut call = callers.call(item, item, 0.0);
        fails(&mut callers, &mut call, 0.0)
    };
    let delays: Vec<_> = (0..102).map(&mut delay).collect();
    assert_eq!(delays[99], Decision::Retry(0.005));
    assert_eq!(delays[100], Decision::Retry(0.1));
    assert_eq!(delays[101], Decision::Retry(0.2));
}

#[test]
fn items_remember_their_failures_until_they_succeed() {
    let policy = Policy { limiter: None, ..Catalogue::bundled().policy("k8s-workqueue").unwrap().clone() };
    let policy = policy.compile(Unit::S);
    let mut callers = Callers::new(&policy, Population { clients: 2, processes: 1 });
    let fails = |callers: &mut Callers<'_>, item| {
        let mut call = callers.call(item, item, 0.0);
        fails(callers, &mut call, 0.0)
    };
    assert_eq!(fails(&mut callers, 0), Decision::Retry(0.005));
    assert_eq!(fails(&mut callers, 0), Decision::Retry(0.01));
    assert_eq!(fails(&mut callers, 1), Decision::Retry(0.005));
    let call = callers.call(0, 0, 0.0);
    callers.on_success(&call, 0.0);
    assert_eq!(fails(&mut callers, 0), Decision::Retry(0.005));
}

#[test]
fn crashes_are_forgotten_after_ten_minutes() {
    let policy = unlimited("k8s-crashloop");
    let mut callers = Callers::new(&policy, ALONE);
    let mut crash = |now| {
        let mut call = callers.call(0, 0, now);
        fails(&mut callers, &mut call, now)
    };
    let delays = [0.0, 0.0, 10.0, 30.0, 629.0, 1229.0].map(&mut crash);
    assert_eq!(delays, [0.0, 10.0, 20.0, 40.0, 80.0, 0.0].map(Decision::Retry));
}

/// A call whose first attempt the breaker lets through.
fn let_through(callers: &mut Callers<'_>, now: f64) -> Option<Call> {
    let mut call = callers.call(0, 0, now);
    (callers.ask(&mut call, now, &mut Fixed(0.5)) == Sending::Now).then_some(call)
}

fn is_open(callers: &mut Callers<'_>, now: f64) -> bool {
    let_through(callers, now).is_none()
}

/// The answer to an attempt that was let through.
fn answer(callers: &mut Callers<'_>, mut call: Call, now: f64, failed: bool) {
    callers.on_send(&call, now);
    if failed {
        fails(callers, &mut call, now);
    } else {
        callers.on_success(&call, now);
    }
}

/// An attempt that is let through, and its answer.
fn answers(callers: &mut Callers<'_>, now: f64, failed: bool) {
    let call = let_through(callers, now).unwrap();
    answer(callers, call, now, failed);
}

#[test]
fn linkerds_breaker_opens_for_1_s_then_2_s() {
    let policy = unlimited("linkerd-breaker");
    let mut callers = Callers::new(&policy, ALONE);
    (0..7).for_each(|_| answers(&mut callers, 0.0, true));
    assert!(is_open(&mut callers, 0.0) && is_open(&mut callers, 0.999));
    let probe = let_through(&mut callers, 1.0).unwrap();
    assert!(is_open(&mut callers, 1.0), "one probe");
    answer(&mut callers, probe, 1.5, true);
    assert!(is_open(&mut callers, 3.499));
    answers(&mut callers, 3.5, false);
    (0..7).for_each(|_| answers(&mut callers, 4.0, true));
    assert!(is_open(&mut callers, 4.999) && !is_open(&mut callers, 5.0), "1 s again");
}

#[test]
fn breakers_of_shares() {
    // Failures of 99 answers, then one more failure; how long it stays open.
    for (name, failures, open) in [("polly-v8-default/breaker", 9, 5.0), ("resilience4j/breaker", 49, 60.0)] {
        let policy = unlimited(name);
        let mut callers = Callers::new(&policy, ALONE);
        (0..99).for_each(|n| answers(&mut callers, 0.0, n < failures));
        assert!(!is_open(&mut callers, 0.0), "{name}: 99 answers");
        answers(&mut callers, 0.0, true);
        assert!(is_open(&mut callers, open - 0.001), "{name}");
        assert!(!is_open(&mut callers, open), "{name}");
    }
    let policy = unlimited("polly-v8-default/breaker");
    let mut callers = Callers::new(&policy, ALONE);
    (0..99).for_each(|_| answers(&mut callers, 0.0, true));
    answers(&mut callers, 31.0, true);
    assert!(!is_open(&mut callers, 31.0), "99 answers are out of the window");
}

#[test]
fn a_slow_failure_to_connect_leaves_no_wait() {
    let policy = unlimited("grpc-connect");
    let mut callers = Callers::new(&policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    let failure = Failure { class: Class::Timeout, hint: None, sent: 0.0 };
    assert_eq!(callers.on_failure(&mut call, 0.25, failure, &mut Fixed(0.5)), Decision::Retry(0.75));
    let failure = Failure { sent: 1.0, ..failure };
    assert_eq!(callers.on_failure(&mut call, 21.0, failure, &mut Fixed(0.5)), Decision::Retry(0.0));
    assert_eq!(policy.min_timeout(), Some(20.0));
}

#[test]
fn a_pushback_restarts_the_schedule() {
    let policy = Catalogue::bundled().policy("grpc-retry-a6").unwrap();
    let policy = Policy { budget: Vec::new(), ..policy.clone() }.compile(Unit::S);
    let mut callers = Callers::new(&policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    let mut fails = |hint| {
        let failure = Failure { class: Class::Throttle, hint, sent: 0.0 };
        callers.on_failure(&mut call, 0.0, failure, &mut Fixed(0.5))
    };
    let delays = [None, Some(7.0), None].map(&mut fails);
    assert_eq!(delays, [0.1, 7.0, 0.1].map(Decision::Retry));
    assert_eq!(fails(None), Decision::Exhausted);
}

#[test]
fn no_hint_no_retry() {
    let policy = unlimited("k8s-rest-client");
    let mut callers = Callers::new(&policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    let failure = Failure { class: Class::Throttle, hint: Some(3.0), sent: 0.0 };
    assert_eq!(callers.on_failure(&mut call, 0.0, failure, &mut Fixed(0.5)), Decision::Retry(3.0));
    let failure = Failure { hint: None, ..failure };
    assert_eq!(callers.on_failure(&mut call, 3.0, failure, &mut Fixed(0.5)), Decision::Exhausted);
}

/// A cap that ends the retries: after 1, 2, 4 and 8 s.
#[test]
fn reaching_the_cap_ends_the_steps() {
    let policy = Catalogue::bundled().policy("k8s-wait-backoff/cap20s").unwrap().compile(Unit::S);
    let mut callers = Callers::new(&policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    let mut fails = || fails(&mut callers, &mut call, 0.0);
    assert_eq!([(); 4].map(|()| fails()), [1.0, 2.0, 4.0, 8.0].map(Decision::Retry));
    assert_eq!(fails(), Decision::Exhausted);
}
