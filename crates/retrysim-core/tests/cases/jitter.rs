//! A: jitter that isn't there.

use std::collections::BTreeSet;

use retrysim_core::Catalogue;

use crate::{delay, delays, mean, peak_per_second, policy, run, share, total};

/// A1: 10 % jitter, then a cap of 5 minutes: from some retry on everybody waits exactly 300 s, and who failed
/// together comes back in one rhythm; the cure spreads them over a quarter of an hour.
#[test]
fn a1_a_shared_rhythm_of_five_minutes() {
    let clients = 10_000;
    let scenario = |delay: &str| {
        format!(
            r#"
            name = "a1"
            horizon = "100m"
            workload = {{ kind = "burst", clients = {clients} }}
            service = {{ kind = "window_capacity", window = "1s", capacity = 0 }}
            policy.fleet = {{ delay = [{{ exp = {{ base = "10s" }} }}, {delay}], stop = {{ retries = 60 }} }}
            "#
        )
    };
    let (_, logs) = run(&scenario(r#"{ jitter = [1, 1.1] }, { cap = "300s" }"#));
    let mut last = vec![f64::NAN; clients];
    let mut waits = BTreeSet::new();
    for seen in &logs[0] {
        let wait = seen.start - last[seen.client as usize];
        if seen.attempt > 7 {
            // Starts are sums: to a microsecond.
            waits.insert((wait * 1e6).round() as u64);
        }
        last[seen.client as usize] = seen.start;
    }
    assert_eq!(waits, BTreeSet::from([300_000_000]), "every later wait is 300 s");
    // An hour later the fleet still arrives within a tenth of each 5 minutes.
    let band = |attempts: &[crate::Seen], period: f64| {
        let phases: Vec<f64> =
            attempts.iter().filter(|seen| seen.start > 4000.0).map(|seen| seen.start % period).collect();
        let bins: BTreeSet<u64> = phases.iter().map(|phase| (phase / period * 50.0) as u64).collect();
        bins.len() as f64 / 50.0
    };
    assert!(band(&logs[0], 300.0) < 0.25, "{}", band(&logs[0], 300.0));
    let rhythm = peak_per_second(&logs[0], 4000.0);

    let (_, cured) = run(&scenario(r#"{ cap = "900s" }, { jitter = [1, 2] }"#));
    assert_eq!(band(&cured[0], 300.0), 1.0);
    let flat = peak_per_second(&cured[0], 4000.0);
    // 10,000 clients over 900 s are 11 a second; in the rhythm most come within some 30 s.
    assert!(rhythm > 300 && flat < 40, "{rhythm} and {flat} in one second");
}

/// A4: without jitter two clients do the same; a check worth having.
#[test]
fn a4_two_seeds_must_differ() {
    let plain = delays(&policy("delay = [{ exp = { base = '100ms' } }]"), 3, 100);
    let jittered = delays(&policy("delay = [{ exp = { base = '100ms' } }, { jitter = [0.7, 1.3] }]"), 3, 100);
    let distinct = |delays: &[f64]| delays.iter().map(|delay| delay.to_bits()).collect::<BTreeSet<_>>().len();
    assert_eq!(distinct(&plain), 1);
    assert_eq!(distinct(&jittered), 100);
}

/// A5: at count 19 the delays are ten lumps, 20 s apart; since the change, 200 different whole seconds.
#[test]
fn a5_ten_lumps_and_two_hundred_whole_seconds() {
    let values = |name: &str| -> BTreeSet<u64> {
        let policy = Catalogue::bundled().policy(name).unwrap();
        delays(policy, 20, 100_000).iter().map(|delay| *delay as u64).collect()
    };
    assert_eq!(values("sidekiq-6"), (0..10).map(|lump| 130_336 + 20 * lump).collect());
    assert_eq!(values("sidekiq"), (0..200).map(|more| 130_336 + more).collect());
}

/// A6: one retry policy of gRPC, three implementations: means 0.5, 0.8 and 1 times the curve, densities over
/// [0, 1.2] that are flat where they are not zero.
#[test]
fn a6_three_jitters_of_one_standard() {
    for (lo, hi, expected) in [(0.0, 1.0, 0.5), (0.4, 1.2, 0.8), (0.8, 1.2, 1.0)] {
        let grpc = policy(&format!("delay = [{{ exp = {{ base = '1s' }} }}, {{ jitter = [{lo}, {hi}] }}]"));
        let first = delays(&grpc, 1, 40_000);
        // A uniform number of this width: 4.5 standard errors.
        let se = (hi - lo) / 12_f64.sqrt() / 200.0;
        assert!((mean(&first) - expected).abs() < 4.5 * se, "{lo}..{hi}: mean {}", mean(&first));
        let density = 1.0 / (hi - lo);
        let middle = f64::midpoint(lo, hi);
        let near = share(&first, |delay| (delay - middle).abs() < 0.05) / 0.1;
        assert!(
            (near - density).abs() < 4.5 * (density / (40_000.0 * 0.1)).sqrt(),
            "density {near} of {density}"
        );
    }
}

/// A7: N clients that always wait in the same window need a window of at least N over the accept rate.
#[test]
fn a7_the_first_window_is_too_narrow() {
    let refused = |window: u32| {
        let (runs, _) = run(&format!(
            r#"
            name = "a7"
            horizon = "1h"
            workload = {{ kind = "burst", clients = 3000 }}
            service = {{ kind = "window_capacity", window = "1s", capacity = 20, outages = [{{ from = "0s", until = "1s" }}] }}
            policy.reset = {{ delay = [{{ const = "30s" }}, {{ add = ["0s", "{window}s"] }}], stop = {{ retries = 1 }} }}
            "#
        ));
        total(&runs, "reset", "gave_up") / 3000.0
    };
    // 3,000 over 60 s are 50 a second for 20 that are accepted: three of five are refused again.
    assert!((refused(60) - 0.6).abs() < 0.01, "{}", refused(60));
    // w_min = N / c = 150 s is the edge: only the noise of a uniform draw is refused; twice as much is plenty.
    assert!(refused(150) < 0.12, "{}", refused(150));
    assert!(refused(300) < 0.002, "{}", refused(300));
}

/// A8: without jitter the fleet reconnects in step, at 1, 3, 7, 15 s and then every 10 s.
#[test]
fn a8_spikes_for_ever() {
    let (_, logs) = run(r#"
        name = "a8"
        horizon = "60s"
        workload = { kind = "burst", clients = 450 }
        service = { kind = "window_capacity", window = "1s", capacity = 0 }
        policy.fleet = { delay = [{ exp = { base = "1s" } }, { cap = "10s" }], stop = { retries = 99 } }
        "#);
    let starts: BTreeSet<u64> = logs[0].iter().map(|seen| (seen.start * 1000.0).round() as u64).collect();
    assert_eq!(starts, BTreeSet::from([0, 1, 3, 7, 15, 25, 35, 45, 55].map(|s| s * 1000)));
    assert_eq!(logs[0].len(), 450 * 9);
}

/// A9: the peak of reconnections against the wait of a single victim: 6..12 s and 3..36 s.
#[test]
fn a9_peak_against_wait() {
    let first = |lo: u32, hi: u32| {
        let (_, logs) = run(&format!(
            r#"
            name = "a9"
            horizon = "60s"
            workload = {{ kind = "burst", clients = 50000 }}
            service = {{ kind = "window_capacity", window = "1s", capacity = 0 }}
            policy.cable = {{ delay = [{{ const = "0s" }}, {{ add = ["{lo}s", "{hi}s"] }}], stop = {{ retries = 1 }} }}
            "#
        ));
        let retries: Vec<_> = logs[0].iter().filter(|seen| seen.attempt == 2).copied().collect();
        let waits: Vec<f64> = retries.iter().map(|seen| seen.start).collect();
        (mean(&waits), peak_per_second(&retries, 0.0) as f64)
    };
    let ((narrow_wait, narrow_peak), (wide_wait, wide_peak)) = (first(6, 12), first(3, 36));
    assert!((narrow_wait - 9.0).abs() < 0.05 && (wide_wait - 19.5).abs() < 0.2, "{narrow_wait}, {wide_wait}");
    // 50,000 over 6 s and over 33 s, and what chance adds to the fullest second (under 4.5 standard deviations).
    for (peak, expected) in [(narrow_peak, 50_000.0 / 6.0), (wide_peak, 50_000.0 / 33.0)] {
        assert!(peak >= expected && peak < expected + 4.5 * f64::sqrt(expected), "{peak} of {expected}");
    }
}

/// A11: everybody obeys `Retry-After: 60` to the millisecond and fails again; `U(h, 1.25 h)` cures it.
#[test]
fn a11_obedience_in_step() {
    let (_, logs) = run(r#"
        name = "a11"
        horizon = "10m"
        workload = { kind = "burst", clients = 50 }
        service = { kind = "window_capacity", window = "1s", capacity = 10, retry_after = "60s" }
        policy.exact = { hint = { use = "replace" }, stop = { attempts = 3 } }
        policy.spread = { hint = { use = { uniform = [1, 1.25] } }, stop = { attempts = 3 } }
        "#);
    let at = |policy: usize, attempt: u32| -> Vec<f64> {
        logs[policy].iter().filter(|seen| seen.attempt == attempt).map(|seen| seen.start).collect()
    };
    assert_eq!(at(0, 2), vec![60.0; 40]);
    assert_eq!(at(0, 3), vec![120.0; 30]);
    assert_eq!(logs[0].iter().filter(|seen| seen.ok).count(), 30);
    // 40 clients over 15 s meet 150 places.
    assert_eq!(logs[1].iter().filter(|seen| seen.ok).count(), 50);
    assert!(at(1, 3).is_empty());
}

/// A12: the seconds' share of the jitter is truncated: everybody at 1 s, everybody after 2 s, then half after 4 s
/// and half after 5 s.
#[test]
fn a12_whole_seconds() {
    let tower = policy(
        "delay = [{ exp = { base = '1s' } }, { cap = '60s' }, { special = { split_seconds = [0, 0.5] } }, { cap = '60s' }]",
    );
    assert_eq!(share(&delays(&tower, 1, 10_000), |delay| delay == 1.0), 1.0);
    assert_eq!(share(&delays(&tower, 2, 10_000), |delay| delay == 2.0), 1.0);
    let third = delays(&tower, 3, 10_000);
    let (four, five) = (share(&third, |delay| delay == 4.0), share(&third, |delay| delay == 5.0));
    assert_eq!(four + five, 1.0);
    assert!((four - 0.5).abs() < 4.5 * 0.005, "{four}");
    assert_eq!(share(&delays(&tower, 7, 10_000), |delay| delay == 60.0), 1.0);
}

/// A13: the generator is cloned with its state: 20 processes with 500 requests each come back at 20 moments.
#[test]
fn a13_one_draw_a_process() {
    let (_, logs) = run(r#"
        name = "a13"
        horizon = "10m"
        workload = { kind = "burst", clients = 10000, processes = 20 }
        service = { kind = "window_capacity", window = "1s", capacity = 0 }
        policy.maker = { delay = [{ exp = { base = "50ms" } }, { jitter = [1, 1.99] }], stop = { retries = 3 }, state = { rng = "maker" } }
        policy.draw = { delay = [{ exp = { base = "50ms" } }, { jitter = [1, 1.99] }], stop = { retries = 3 } }
        "#);
    let moments = |log: &[crate::Seen], attempt: u32| {
        let of = log.iter().filter(|seen| seen.attempt == attempt);
        of.map(|seen| seen.start.to_bits()).collect::<BTreeSet<_>>().len()
    };
    for attempt in 2..=4 {
        assert_eq!(moments(&logs[0], attempt), 20, "attempt {attempt}");
    }
    assert_eq!(moments(&logs[1], 2), 10_000);
}

/// B12: with the 1,016th delay of socket.io the power overflows, and half of the clients retry at once.
#[test]
fn b12_a_busy_loop_after_an_hour_and_a_half() {
    let socket = policy("delay = [{ exp = { base = '1s' } }, { special = 'backo2_half' }, { cap = '5s' }]");
    let before = delays(&socket, 1_015, 2_000);
    assert_eq!(share(&before, |delay| delay == 5.0), 1.0);
    let after = delays(&socket, 1_016, 2_000);
    let at_once = share(&after, |delay| delay == 0.0);
    assert!((at_once - 0.5).abs() < 4.5 * 0.0112, "{at_once}");
    assert_eq!(share(&after, |delay| delay == 0.0 || delay == 5.0), 1.0);
    // 1,015 delays of at most 5 s: about 85 minutes.
    let total: f64 = (1..=1_015).map(|n| delay(&socket, n, 0.15)).sum();
    assert!((84.0..85.0).contains(&(total / 60.0)), "{} min", total / 60.0);
}
