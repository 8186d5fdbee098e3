//! B: cap, maximum, order.

use crate::{ALMOST_ONE, delay, delays, mean, policy, run, share};

/// B1: the cap before the jitter: delays above the maximum, up to 75 s.
#[test]
fn b1_the_jitter_exceeds_the_maximum() {
    let b1 = policy("delay = [{ exp = { base = '1s' } }, { cap = '60s' }, { jitter = [0.75, 1.25] }]");
    assert!((delay(&b1, 10, ALMOST_ONE) - 75.0).abs() < 1e-9);
    let above = share(&delays(&b1, 10, 10_000), |delay| delay > 60.0);
    assert!((above - 0.5).abs() < 4.5 * 0.005, "{above}");
}

/// B2: the cap after the jitter: half of the clients wait exactly the maximum where the curve meets it, then all.
#[test]
fn b2_the_clamp_removes_the_jitter() {
    let b2 = policy("delay = [{ exp = { base = '60s' } }, { jitter = [0.75, 1.25] }, { cap = '60s' }]");
    let exactly = |n| share(&delays(&b2, n, 10_000), |delay| delay == 60.0);
    assert!((exactly(1) - 0.5).abs() < 4.5 * 0.005, "{}", exactly(1));
    assert_eq!(exactly(2), 1.0);
    assert_eq!(exactly(9), 1.0);
}

/// B3: two clean ways out. Neither exceeds the maximum, neither has a lump; the means are 20 % and 12.5 % shorter.
#[test]
fn b3_bounded_and_spread() {
    let divided = policy("delay = [{ exp = { base = '1s' } }, { cap = '48s' }, { jitter = [0.75, 1.25] }]");
    let inside = policy(
        "delay = [{ exp = { base = '1s' } }, { cap = '60s' },
                  { uniform = { lo = { v = 0.75 }, hi = { v = 1.25, max = '60s' } } }]",
    );
    for (policy, shorter) in [(divided, 0.2), (inside, 0.125)] {
        let delays = delays(&policy, 12, 40_000);
        assert!(delays.iter().all(|delay| *delay <= 60.0));
        assert!(share(&delays, |delay| delay == 60.0) < 0.001);
        // The widest of the two is 24 s wide: a mean is good to 0.16 s at 4.5 standard errors.
        assert!((mean(&delays) - 60.0 * (1.0 - shorter)).abs() < 0.16, "{}", mean(&delays));
    }
}

/// B4: reaching the cap ends the retries: five attempts, after 1, 2, 4 and 8 s, and not ten minutes of them.
#[test]
fn b4_the_cap_is_a_stop() {
    let (_, logs) = run(r#"
        name = "b4"
        horizon = "30m"
        workload = { kind = "burst", clients = 1 }
        service = { kind = "failures", probability = 1 }
        policy.wait = { delay = [{ exp = { base = "1s" } }, { cap = "20s" }], stop = { attempts = 32, at_cap = true } }
        policy.timer = { delay = [{ exp = { base = "1s" } }, { cap = "20s" }], stop = { attempts = 32 } }
        "#);
    let starts: Vec<f64> = logs[0].iter().map(|seen| seen.start).collect();
    assert_eq!(starts, [0.0, 1.0, 3.0, 7.0, 15.0]);
    assert_eq!(logs[1].len(), 32);
    assert!(logs[1].last().unwrap().start > 500.0);
}

/// B6: 1,100 retries: finite, capped, never negative.
#[test]
fn b6_overflow_stays_below_the_maximum() {
    for stages in [
        "{ polly_v2 = { base = '1s' } }, { cap = '30s' }",
        "{ exp = { base = '1s', factor = 10 } }, { jitter = [0, 1] }, { cap = '30s' }",
        "{ prev = { first = '1s', factor = 10 } }, { jitter = [0.5, 1.5] }, { cap = '30s' }",
        "{ poly = { power = 90 } }, { cap = '30s' }",
        "{ fib = { unit = '1s' } }, { cap = '30s' }",
    ] {
        let policy = policy(&format!("delay = [{stages}]"));
        for u in [0.0, 0.5, ALMOST_ONE] {
            for delay in policy.compile(retrysim_core::Unit::S).fixed_delays(1_100, None, u) {
                assert!((0.0..=30.0).contains(&delay), "{stages}: {delay}");
            }
        }
    }
}

/// B9: base^n instead of base x 2^n.
#[test]
fn b9_the_base_is_the_factor() {
    let policy = policy("delay = [{ exp = { base = '10ms', factor = 10 } }]");
    let delays = policy.compile(retrysim_core::Unit::Ms).fixed_delays(3, None, 0.5);
    assert_eq!(delays, [10.0, 100.0, 1000.0]);
}
