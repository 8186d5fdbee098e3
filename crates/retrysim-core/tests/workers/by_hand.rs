//! Small cases whose every moment was worked out on paper.

use retrysim_core::{
    Scenario, Span,
    record::Outcome,
    scenario::{Burst, Workload},
};

use crate::{one, scenario, seen::watch};

/// Client, number, when sent, when over, how.
type Row = (u32, u32, f64, f64, Outcome);

fn attempts(scenario: &Scenario) -> Vec<Row> {
    let seen = &watch(scenario, 1)[0].0;
    seen.iter().map(|one| (one.client, one.number, one.sent, one.over, one.outcome)).collect()
}

/// Four clients that call at once, one worker that takes a second.
fn four(service: &str, policy: &str) -> Scenario {
    scenario(
        &format!(
            "horizon = '100s'
             workload = {{ kind = 'burst', clients = 4 }}
             [service]
             kind = 'workers'
             workers = 1
             work = {{ constant = '1s' }}
             {service}"
        ),
        policy,
    )
}

#[test]
fn first_come_first_served() {
    let seen = attempts(&four("", "stop = { attempts = 1 }"));
    let expected = [0, 1, 2, 3].map(|client| (client, 1, 0.0, f64::from(client + 1), Outcome::Ok));
    assert_eq!(seen, expected);
}

#[test]
fn last_come_first_served() {
    let seen = attempts(&four("order = 'lifo'", "stop = { attempts = 1 }"));
    let clients: Vec<u32> = seen.iter().map(|attempt| attempt.0).collect();
    assert_eq!(clients, [0, 3, 2, 1]);
}

/// When each client's attempts were over, and how.
fn ends(seen: &[Row], client: u32) -> Vec<(f64, Outcome)> {
    seen.iter().filter(|attempt| attempt.0 == client).map(|attempt| (attempt.3, attempt.4)).collect()
}

#[test]
fn a_full_queue_refuses_at_once() {
    let scenario = four("queue = 1", "stop = { attempts = 1 }");
    let seen = attempts(&scenario);
    let expected = [
        (2, 1, 0.0, 0.0, Outcome::Refused),
        (3, 1, 0.0, 0.0, Outcome::Refused),
        (0, 1, 0.0, 1.0, Outcome::Ok),
        (1, 1, 0.0, 2.0, Outcome::Ok),
    ];
    assert_eq!(seen, expected);
    let names =
        ["throttled", "success_share", "answered", "latency_p50_s", "latency_p99_s", "latency_mean_s"];
    assert_eq!(one(&scenario, names), [2.0, 0.5, 4.0, 1.0, 2.0, 1.5]);
    assert_eq!(one(&scenario, ["mean_in_queue", "mean_in_service", "goodput_per_s"]), [0.01, 0.02, 0.02]);
}

#[test]
fn a_hint_comes_with_a_full_queue() {
    let policy = "delay = [{ const = '1ms' }]\nhint = { use = 'replace' }\nstop = { attempts = 2 }";
    let seen = attempts(&four("queue = 1\nretry_after = '2s'", policy));
    assert_eq!(ends(&seen, 2), [(0.0, Outcome::Refused), (3.0, Outcome::Ok)]);
    assert_eq!(ends(&seen, 3), [(0.0, Outcome::Refused), (4.0, Outcome::Ok)]);
}

/// At 1.5 s three clients lose patience and send again; the worker goes on with what they have left behind.
#[test]
fn work_for_nobody() {
    let names = ["successes", "timeouts", "wasted_work_s", "attempts", "dropped", "answered"];
    let retry = "stop = { attempts = 2 }";
    let left_behind = one(&four("timeout = '1.5s'", retry), names);
    assert_eq!(left_behind, [1.0, 6.0, 6.0, 7.0, 0.0, 7.0]);
    // Cancelled, two leave the queue and one is worked on to its end at 2 s. Of the retries, one is done at 3 s, just
    // in time; the next one is begun at that moment, and the last one leaves.
    let cancelled = one(&four("timeout = '1.5s'\ncancels = true", retry), names);
    assert_eq!(cancelled, [2.0, 5.0, 2.0, 7.0, 3.0, 4.0]);
    // The worker looks at deadlines: two are passed over at 2 s, two at 3 s.
    let passed_over = one(&four("timeout = '1.5s'\npropagates_deadline = true", retry), names);
    assert_eq!(passed_over, [2.0, 5.0, 1.0, 7.0, 4.0, 3.0]);
}

#[test]
fn what_has_waited_too_long_is_shed() {
    let seen = attempts(&four("shed = '1.2s'", "stop = { attempts = 1 }"));
    assert_eq!(ends(&seen, 1), [(2.0, Outcome::Ok)]);
    assert_eq!(ends(&seen, 2), [(2.0, Outcome::Refused)]);
    assert_eq!(ends(&seen, 3), [(2.0, Outcome::Refused)]);
}

#[test]
fn clients_without_timers_learn_late() {
    let seen = attempts(&four("timeout = '1.5s'\nnotices = 'answer'", "stop = { attempts = 1 }"));
    let expected = [
        (0, 1.0, Outcome::Ok),
        (1, 2.0, Outcome::Timeout),
        (2, 3.0, Outcome::Timeout),
        (3, 4.0, Outcome::Timeout),
    ];
    assert_eq!(seen.iter().map(|seen| (seen.0, seen.3, seen.4)).collect::<Vec<_>>(), expected);
}

#[test]
fn the_way_there_and_back() {
    let seen = attempts(&four("network = { constant = '250ms' }", "stop = { attempts = 1 }"));
    let expected = [0, 1, 2, 3].map(|client| (client, 1, 0.0, f64::from(client) + 1.5, Outcome::Ok));
    assert_eq!(seen, expected);
}

#[test]
fn idle_workers_that_poll() {
    let seen = attempts(&four("poll = '500ms'", "stop = { attempts = 1 }"));
    let expected = [1.0, 2.5, 4.0, 5.5];
    assert_eq!(seen.iter().map(|seen| seen.3).collect::<Vec<_>>(), expected);
}

#[test]
fn brownouts() {
    let ends = |service| -> Vec<f64> {
        attempts(&four(service, "stop = { attempts = 1 }")).iter().map(|seen| seen.3).collect()
    };
    // What is under way is finished.
    assert_eq!(ends("brownouts = [{ from = '500ms', until = '3s', workers = 0 }]"), [1.0, 4.0, 5.0, 6.0]);
    assert_eq!(ends("brownouts = [{ from = '500ms', until = '3s', workers = 2 }]"), [1.0, 1.5, 2.0, 2.5]);
    // The pace at which work begins is its pace to the end.
    assert_eq!(ends("brownouts = [{ from = '1s', until = '2500ms', speed = 0.5 }]"), [1.0, 3.0, 4.0, 5.0]);
    assert_eq!(ends("cold = { attempts = 2, factor = 3 }"), [3.0, 6.0, 7.0, 8.0]);
}

/// One client that tries again half a second after each failure, and a service that is down for two seconds.
#[test]
fn outages() {
    let names = ["attempts", "errors", "timeouts", "dropped", "last_success_s"];
    let down = |how: &str| {
        let service = format!("outages = [{{ from = '0s', until = '2s' }}]\n{how}");
        let mut scenario = four(&service, "delay = [{ const = '500ms' }]");
        scenario.workload = Workload::Burst(Burst::new(1, Span::ZERO));
        one(&scenario, names)
    };
    // Sent at 0, 0.5, 1, 1.5 and 2 s.
    assert_eq!(down(""), [5.0, 4.0, 0.0, 0.0, 3.0]);
    // Sent at 0, 1.5 and 3 s, since silence lasts a second.
    assert_eq!(down("down = 'silent'\ntimeout = '1s'"), [3.0, 0.0, 2.0, 2.0, 4.0]);
}

/// Calls at 1, 2, ... s; the service is down until 6.5 s. Two failures open the breaker for two seconds.
#[test]
fn a_breaker_opens_and_probes() {
    let scenario = scenario(
        "horizon = '12s'
         workload = { kind = 'closed', clients = 1, think = { constant = '1s' } }
         [service]
         kind = 'workers'
         work = { constant = '1s' }
         outages = [{ from = '0s', until = '6.5s' }]",
        "stop = { attempts = 1 }\nbreaker = { after = { consecutive = 2 }, open = '2s' }",
    );
    let names = ["calls", "attempts", "held_back", "errors", "successes", "gave_up"];
    // Sent at 1 and 2; as probes at 4, 6 and 8, the last of which succeeds at 9; and at 10.
    assert_eq!(one(&scenario, names), [9.0, 6.0, 3.0, 4.0, 2.0, 7.0]);
    let [recovered, peak, in_service, utilisation] =
        one(&scenario, ["recovered_s", "peak_per_s", "mean_in_service", "utilisation"]);
    // The call at 7 s fails, in the first second after the outage.
    assert_eq!([recovered, peak, in_service], [1.0, 1.0, 2.0 / 12.0]);
    assert!(utilisation.is_nan());
}

/// The first attempt takes ten seconds, the others one.
#[test]
fn the_first_copy_to_succeed_counts() {
    let call = |service: &str, policy: &str| {
        scenario(
            &format!(
                "horizon = '100s'
                 workload = {{ kind = 'burst', clients = 1 }}
                 [service]
                 kind = 'workers'
                 work = {{ constant = '1s' }}
                 cold = {{ attempts = 1, factor = 10 }}
                 {service}"
            ),
            policy,
        )
    };
    let names = ["attempts", "hedges", "successes", "last_success_s", "wasted_work_s", "gave_up"];
    let hedge = "hedge = { delay = '2s', max = 3 }";
    assert_eq!(one(&call("", hedge), names), [2.0, 1.0, 1.0, 3.0, 10.0, 0.0]);
    // Two more come before the first copy is done.
    let quick = "hedge = { delay = '400ms', max = 3 }";
    assert_eq!(one(&call("", quick), names), [4.0, 3.0, 1.0, 1.4, 12.0, 0.0]);
    // With one worker, copies wait behind the first attempt; two of them leave when it is done.
    let queued = one(&call("workers = 1", quick), names);
    assert_eq!(queued, [4.0, 3.0, 1.0, 10.0, 0.0, 0.0], "the copies are cancelled");
    let kept = "hedge = { delay = '400ms', max = 3, cancel_losers = false }";
    assert_eq!(one(&call("workers = 1", kept), names), [4.0, 3.0, 1.0, 10.0, 3.0, 0.0]);
    // A budget for one copy.
    let budget = format!("{quick}\nbudget = [{{ bucket = {{ size = 1 }} }}]");
    assert_eq!(one(&call("", &budget), names), [2.0, 1.0, 1.0, 1.4, 10.0, 0.0]);
    let limit = format!("{quick}\nstop = {{ attempts = 3 }}");
    assert_eq!(one(&call("", &limit), names), [3.0, 2.0, 1.0, 1.4, 11.0, 0.0]);
}

/// A failed copy sends the next one at once, and the call has failed when the last one has.
#[test]
fn copies_after_failures() {
    let down = "outages = [{ from = '0s', until = '1s' }]";
    let names = ["attempts", "hedges", "successes", "gave_up", "errors"];
    let at_once = "hedge = { delay = '5s', max = 2, on_failure = true }\nstop = { attempts = 3 }";
    assert_eq!(one(&four(down, at_once), names), [12.0, 8.0, 0.0, 4.0, 12.0]);
    // Without it, the failure of the only attempt is that of the call; a retry follows after its delay.
    let later = "hedge = { delay = '5s', max = 2 }\ndelay = [{ const = '1s' }]";
    assert_eq!(one(&four(down, later), names), [8.0, 0.0, 4.0, 0.0, 4.0]);
}

/// A client that calls again and again, each time with a copy: one retry at a time is allowed, and the copy that is
/// left behind is none any more.
#[test]
fn losers_are_taken_off_the_books() {
    let policy = |budget| format!("hedge = {{ delay = '500ms', max = 1 }}\n{budget}");
    let scenario = |budget| {
        scenario(
            "horizon = '10s'
             workload = { kind = 'closed', clients = 1, think = { constant = '1s' } }
             service = { kind = 'workers', work = { constant = '1s' } }",
            &policy(budget),
        )
    };
    // Calls at 1, 3, 5, 7 and 9 s.
    let names = ["calls", "hedges", "successes", "wasted_work_s"];
    assert_eq!(one(&scenario("budget = [{ concurrency = { min = 1 } }]"), names), [5.0, 5.0, 4.0, 4.0]);
    let breaker = "breaker = { after = { consecutive = 1 }, open = '1s', probes = 1 }";
    assert_eq!(one(&scenario(breaker), names), [5.0, 5.0, 4.0, 4.0]);
}

/// Of the sends within a second three tenths may be retries; calls are five seconds apart, and no failure ever reminds
/// the budget of the time.
#[test]
fn budgets_of_copies_look_at_the_clock() {
    let scenario = scenario(
        "horizon = '60s'
         workload = { kind = 'closed', clients = 1, think = { constant = '4s' } }
         service = { kind = 'workers', work = { constant = '1s' } }",
        "hedge = { delay = '500ms', max = 1 }
         budget = [{ window = { ratio = 0.3, window = '1s' } }]",
    );
    assert_eq!(one(&scenario, ["calls", "hedges"]), [12.0, 12.0]);
}

/// An attempt's timeout is the delay before it, at least a second; nothing is ever done in time.
#[test]
fn timeouts_that_follow_the_delay() {
    let sent = |anchor: &str| -> Vec<f64> {
        let scenario = scenario(
            "horizon = '100s'
             workload = { kind = 'burst', clients = 1 }
             service = { kind = 'workers', work = { constant = '50s' } }",
            &format!(
                "delay = [{{ exp = {{ base = '2s' }} }}]\nstop = {{ attempts = 4 }}\nanchor = {{ {anchor} }}"
            ),
        );
        attempts(&scenario).iter().flat_map(|seen| [seen.2, seen.3]).collect()
    };
    assert_eq!(sent("min_timeout = '1s'"), [0.0, 1.0, 3.0, 5.0, 9.0, 13.0, 21.0, 29.0]);
    assert_eq!(
        sent("min_timeout = '1s', from = 'attempt_start'"),
        [0.0, 1.0, 2.0, 4.0, 6.0, 10.0, 14.0, 22.0],
        "delays count from the send"
    );
}

#[test]
fn a_queue_that_was_left_behind() {
    let scenario = scenario(
        "horizon = '2500ms'
         workload = { kind = 'burst', clients = 6 }
         service = { kind = 'workers', workers = 1, work = { constant = '1s' }, queue = 4 }",
        "stop = { attempts = 1 }",
    );
    let names = ["attempts", "answered", "queue_at_end", "in_service_at_end", "throttled", "utilisation"];
    assert_eq!(one(&scenario, names), [6.0, 3.0, 2.0, 1.0, 1.0, 1.0]);
}

#[test]
fn refusals() {
    let refused = |service: &str| {
        let lines = format!(
            "name = 'x'\nhorizon = '1s'\nworkload = {{ kind = 'burst', clients = 1 }}
             service = {{ kind = 'workers', work = {{ constant = '1s' }}, {service} }}\npolicy.p = {{}}"
        );
        Scenario::from_toml(&lines).unwrap_err().to_string()
    };
    for (service, field) in [
        ("workers = 0", "service.workers"),
        ("timeout = '0s'", "service.timeout"),
        ("down = 'silent', outages = [{ from = '0s', until = '1s' }]", "service.down"),
        ("notices = 'answer'", "service.notices"),
        ("notices = 'answer', timeout = '1s', cancels = true", "service.notices"),
        ("brownouts = [{ from = '0s', until = '1s' }]", "service.brownouts[0]"),
        ("brownouts = [{ from = '2s', until = '1s', workers = 1 }]", "service.brownouts[0].until"),
        ("failure = 1.5", "service.failure"),
    ] {
        let message = refused(service);
        assert!(message.contains(field) && message.contains("allowed: "), "{service}: {message}");
    }
}

#[test]
fn clients_must_think() {
    for think in ["{ constant = '0s' }", "{ exponential = { mean = '0s' } }", "{ uniform = ['0s', '0s'] }"] {
        let lines = format!(
            "name = 'x'\nhorizon = '1s'\nworkload = {{ kind = 'closed', clients = 1, think = {think} }}
             service = {{ kind = 'workers', work = {{ constant = '1s' }} }}\npolicy.p = {{}}"
        );
        let message = Scenario::from_toml(&lines).unwrap_err().to_string();
        assert!(message.contains("workload.think") && message.contains("above 0"), "{message}");
    }
}

#[test]
fn other_services_know_no_closed_loop() {
    for service in [
        "{ kind = 'tick_capacity', tick = '1s', capacity = 1 }",
        "{ kind = 'window_capacity', window = '1s', capacity = 1 }",
        "{ kind = 'overload', capacity = 1, call = '1s' }",
        "{ kind = 'failures' }",
        "{ kind = 'contention', network = { constant = '1s' } }",
        "{ kind = 'layers', tiers = ['a'], probability = 0.5 }",
    ] {
        let lines = format!(
            "name = 'x'\nhorizon = '1s'\nworkload = {{ kind = 'closed', clients = 1, think = {{ constant = '1s' }} }}
             service = {service}\npolicy.p = {{ stop = {{ attempts = 1 }} }}"
        );
        let message = Scenario::from_toml(&lines).unwrap_err().to_string();
        assert!(message.contains("workload.kind") && message.contains("closed"), "{service}: {message}");
    }
}
