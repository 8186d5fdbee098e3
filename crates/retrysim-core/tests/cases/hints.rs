//! C: Retry-After.

use retrysim_core::{
    Span, Unit,
    draw::Fixed,
    policy::header::{Reads, Said},
};

use crate::{policy, run};

/// C1: a date, a day, and "soon".
#[test]
fn c1_what_headers_say() {
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    let reads = Reads::default();
    for (header, expected) in [
        ("120", Said::Wait(Span::from_secs(120))),
        ("86400", Said::Wait(Span::from_secs(86_400))),
        ("Mon, 30 Nov 2026 12:00:30 GMT", Said::Wait(Span::from_secs(30))),
        ("Monday, 30-Nov-26 12:00:30 GMT", Said::Wait(Span::from_secs(30))),
        ("Mon Nov 30 12:00:30 2026", Said::Wait(Span::from_secs(30))),
        ("Wed, 21 Oct 2015 07:28:00 GMT", Said::Nothing),
        ("soon", Said::Nothing),
        ("", Said::Nothing),
        ("-5", Said::Nothing),
        ("0.5", Said::Nothing),
        ("2026-12-01T00:00:00Z", Said::Nothing),
        ("99999999999999999999999", Said::Nothing),
    ] {
        assert_eq!(reads.read(header, now), expected, "{header:?}");
    }
}

/// The delay before the first retry with this hint, in the middle of the jitter; `None` gives up.
fn after(policy: &retrysim_core::Policy, hint: f64) -> Option<f64> {
    let compiled = policy.compile(Unit::S);
    compiled.delay(1, Some(hint), &mut compiled.memory(), &mut Fixed(0.5))
}

/// C5: hints of 59, 61, 121 and 600 s. Old: followed to 60 s, then a cliff; Python now: up to 120 s, then no
/// retry; Node: whatever it says.
#[test]
fn c5_three_ways_with_a_long_hint() {
    let own = "delay = [{ exp = { base = '500ms' } }, { cap = '8s' }, { jitter = [1, 0.75] }]\n";
    let of = |hint: &str| policy(&format!("{own}hint = {hint}"));
    let old = of("{ use = 'replace', over = { limit = '60s', do = 'ignore' }, ignores_zero = true }");
    let python = of("{ use = 'replace', over = { limit = '120s', do = 'stop' }, ignores_zero = true }");
    let node = of("{ use = 'replace' }");
    let hints = [0.0, 59.0, 61.0, 121.0, 600.0];
    assert_eq!(hints.map(|hint| after(&old, hint)), [0.4375, 59.0, 0.4375, 0.4375, 0.4375].map(Some));
    assert_eq!(hints.map(|hint| after(&python, hint)), [Some(0.4375), Some(59.0), Some(61.0), None, None]);
    assert_eq!(hints.map(|hint| after(&node, hint)), [0.0, 59.0, 61.0, 121.0, 600.0].map(Some));
}

/// C4: a limit of 120 s for hints, a real window of 171 s: every retry before it ends is refused.
#[test]
fn c4_the_limit_is_shorter_than_the_window() {
    let (runs, logs) = run(r#"
        name = "c4"
        horizon = "10m"
        workload = { kind = "burst", clients = 1 }
        service = { kind = "failures", retry_after = "171s", script = [["throttle", "throttle", "throttle", "throttle"]] }
        policy.clamped = { delay = [{ const = "1s" }], hint = { use = "replace", over = { limit = "120s", do = "clamp" } }, stop = { attempts = 3 } }
        policy.patient = { delay = [{ const = "1s" }], hint = { use = "replace" }, stop = { attempts = 3 } }
        "#);
    let starts = |policy: usize| -> Vec<f64> { logs[policy].iter().map(|seen| seen.start).collect() };
    assert_eq!(starts(0), [0.0, 120.0, 240.0], "the first retry comes 51 s too early");
    assert_eq!(starts(1), [0.0, 171.0, 342.0]);
    assert_eq!(crate::total(&runs, "clamped", "successes"), 0.0);
}

/// C6: the hint is followed after 429 only, but 524 carries it too: 3 retries within 15 s, all before the origin
/// is back after 120 s.
#[test]
fn c6_followed_after_one_class_only() {
    let own = policy(
        "delay = [{ exp = { base = '2s' } }, { jitter = [0.5, 1] }]
         hint = { use = 'replace', after = ['throttle'] }
         stop = { retries = 3 }",
    );
    let compiled = own.compile(Unit::S);
    let all: f64 = compiled.fixed_delays(3, None, crate::ALMOST_ONE).iter().sum();
    assert!(all < 15.0, "{all}");
    assert_eq!(after(&own, 120.0), Some(120.0), "after a throttling answer");
}
