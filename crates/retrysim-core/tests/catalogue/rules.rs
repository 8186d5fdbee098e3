//! Budgets and limiters, driven as kernels drive them.

use retrysim_core::{
    Catalogue, Policy, Unit,
    callers::{Callers, Decision, Failure, Sending},
    draw::Fixed,
    policy::{Compiled, budget::Budget, class::Class},
};
use serde_json::Value;

use super::{
    delays::RELATIVE,
    vectors::{ALONE, class, covered, name, policy, rows},
};

/// The budgets alone: retries at once, without any other limit.
fn budgets_alone(policy: &Policy) -> Compiled {
    Policy { budget: policy.budget.clone(), ..Policy::immediate() }.compile(Unit::S)
}

/// What follows the failure of a call's first attempt; the attempt's send was reported if it counts.
fn fails(callers: &mut Callers<'_>, now: f64, class: Class, u: f64) -> Decision {
    let mut call = callers.call(0, 0, now);
    callers.on_failure(&mut call, now, Failure { class, hint: None, sent: now }, &mut Fixed(u))
}

fn sends(callers: &mut Callers<'_>, now: f64) {
    let call = callers.call(0, 0, now);
    callers.on_send(&call, now);
}

fn succeeds(callers: &mut Callers<'_>, now: f64) {
    let call = callers.call(0, 0, now);
    callers.on_success(&call, now);
}

fn is_granted(decision: Decision) -> bool {
    matches!(decision, Decision::Retry(_))
}

/// Retries granted until the first refusal.
fn granted(callers: &mut Callers<'_>, now: f64, class: Class) -> u64 {
    let mut granted = 0;
    while is_granted(fails(callers, now, class, 0.5)) {
        granted += 1;
    }
    granted
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn quotas_pay_for_so_many_retries() {
    let all = covered("quota");
    assert_eq!(all.len(), 2);
    for vector in &all {
        let policy = budgets_alone(&policy(vector));
        for row in rows(vector) {
            let mut callers = Callers::new(&policy, ALONE);
            assert_eq!(
                granted(&mut callers, 0.0, class(row)),
                whole(&row["retries"]),
                "{} {row}",
                name(vector)
            );
            assert_eq!(callers.level(0, 0.0).unwrap().0, row["left"].as_f64().unwrap(), "{}", name(vector));
        }
    }
}

#[test]
fn tokens_close_and_open_again() {
    let all = covered("tokens");
    assert_eq!(all.len(), 2);
    for vector in &all {
        let (name, policy) = (name(vector), budgets_alone(&policy(vector)));
        let mut callers = Callers::new(&policy, ALONE);
        for failure in 1..=whole(&vector["failures"]) {
            let granted = is_granted(fails(&mut callers, 0.0, Class::Error, 0.5));
            assert_eq!(
                granted,
                failure < whole(&vector["failures_until_closed"]),
                "{name}: failure {failure}"
            );
        }
        for success in 1..=whole(&vector["successes_until_open"]) {
            succeeds(&mut callers, 0.0);
            let is_open = callers.level(0, 0.0).unwrap().1;
            assert_eq!(
                is_open,
                success == whole(&vector["successes_until_open"]),
                "{name}: success {success}"
            );
        }
    }
}

/// A retry is refused if the draw is below the probability: tried just below and just above it.
#[test]
fn refusals_follow_the_formula() {
    let all = covered("refusals");
    assert_eq!(all.len(), 1);
    for vector in &all {
        let policy = budgets_alone(&policy(vector));
        let mut callers = Callers::new(&policy, ALONE);
        let (mut requests, mut accepts) = (0, 0);
        for row in rows(vector) {
            while requests < whole(&row["requests"]) {
                sends(&mut callers, 0.0);
                requests += 1;
            }
            while accepts < whole(&row["accepts"]) {
                succeeds(&mut callers, 0.0);
                accepts += 1;
            }
            let p = row["refused"].as_f64().unwrap();
            if p > 0.0 {
                assert!(
                    !is_granted(fails(&mut callers, 0.0, Class::Error, p - RELATIVE)),
                    "{} {row}",
                    name(vector)
                );
            }
            assert!(
                is_granted(fails(&mut callers, 0.0, Class::Error, p + RELATIVE)),
                "{} {row}",
                name(vector)
            );
        }
    }
}

/// A ratio is one over a whole number: what isn't, grants more.
#[test]
fn ratios_are_truncated() {
    let all = covered("ratios");
    assert_eq!(all.len(), 1);
    for vector in &all {
        for row in rows(vector) {
            let mut policy = policy(vector);
            let Some(Budget::Deposits(deposits)) = policy.budget.first_mut() else { panic!("no deposits") };
            (deposits.ratio, deposits.min_per_s) = (row["ratio"].as_f64().unwrap(), 0);
            let policy = budgets_alone(&policy);
            let mut callers = Callers::new(&policy, ALONE);
            (0..whole(&row["requests"])).for_each(|_| sends(&mut callers, 0.0));
            assert_eq!(
                granted(&mut callers, 0.0, Class::Error),
                whole(&row["retries"]),
                "{} {row}",
                name(vector)
            );
        }
    }
}

/// Retries granted in each second, of as many as there are calls. The clock moves on before each call, so that the
/// last one of a second falls on the full second.
fn granted_by_second(policy: &Policy, rate: u32, seconds: u32, counts_calls: bool) -> Vec<u32> {
    let policy = budgets_alone(policy);
    let mut callers = Callers::new(&policy, ALONE);
    let mut second = |second: u32| {
        let calls = (1..=rate).map(|call| f64::from(second * rate + call) / f64::from(rate));
        let mut granted = 0;
        for now in calls {
            if counts_calls {
                sends(&mut callers, now);
            }
            granted += u32::from(is_granted(fails(&mut callers, now, Class::Error, 0.5)));
        }
        granted
    };
    (0..seconds).map(&mut second).collect()
}

/// So many calls a second, all of which fail: the reserve comes back as a burst, every 11 s.
#[test]
fn seconds_of_failures() {
    let all = covered("seconds");
    assert_eq!(all.len(), 1);
    for vector in &all {
        let rate = u32::try_from(whole(&vector["rate"])).unwrap();
        let ours = granted_by_second(&policy(vector), rate, 30, true);
        assert_eq!(serde_json::json!(ours), vector["granted"], "{}", name(vector));
    }
}

/// An idle client that wants 50 retries a second, of calls that are not counted: 100 at once, then every 11 s.
#[test]
fn an_idle_reserve_is_a_burst() {
    let policy = Catalogue::bundled().policy("linkerd-serviceprofile").unwrap();
    let ours = granted_by_second(policy, 50, 14, false);
    assert_eq!(ours, [50, 50, 0, 0, 0, 0, 0, 0, 0, 0, 1, 49, 50, 0]);
}

/// The cubic curve after a throttling answer, read off the distance between two sends that wait for tokens.
///
/// Answers come at the rate of the first row until the rate that is measured is just that.
#[test]
fn the_rate_comes_back_along_a_cubic_curve() {
    let all = covered("cubic");
    assert_eq!(all.len(), 1);
    for vector in &all {
        let policy = Policy { limiter: policy(vector).limiter, ..Policy::immediate() }.compile(Unit::S);
        let begins: Vec<_> =
            rows(vector).iter().enumerate().filter(|(_, row)| row["k"].is_f64()).map(|(i, _)| i).collect();
        assert_eq!(begins.len(), 2);
        let (first, second) = rows(vector).split_at(begins[1]);
        for (rows, per_s) in [(first, 100_u32), (second, 80)] {
            let mut callers = Callers::new(&policy, ALONE);
            let began = rows[0]["t"].as_f64().unwrap();
            // 30 s are 60 slots: what was measured before is forgotten to the last bit.
            let at = |answer: u32| f64::from(answer) / f64::from(per_s);
            (1..30 * per_s).for_each(|answer| succeeds(&mut callers, at(answer)));
            let mut answer = 30 * per_s;
            fails(&mut callers, at(answer), Class::Throttle, 0.5);
            for row in rows {
                let now = 30.0 + row["t"].as_f64().unwrap() - began;
                while at(answer + 1) < now {
                    answer += 1;
                    succeeds(&mut callers, at(answer));
                }
                if row["event"] == "success" {
                    answer += 1;
                    succeeds(&mut callers, now);
                }
                // Some tokens may have been saved: the first sends need not wait.
                let mut wait = |now| loop {
                    let mut call = callers.call(0, 0, now);
                    if let Sending::At(at) = callers.ask(&mut call, now, &mut Fixed(0.5)) {
                        break at;
                    }
                };
                let first = wait(now);
                let rate = 1.0 / (wait(first) - first);
                let theirs = row["rate"].as_f64().unwrap();
                assert!((rate - theirs).abs() < RELATIVE * theirs, "{}: {rate} for {row}", name(vector));
            }
        }
    }
}
