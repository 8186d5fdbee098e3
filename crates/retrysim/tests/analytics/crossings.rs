//! Where the best jitter changes (optimistic contention): published nowhere, found by independent programs.

use retrysim::experiment::{contention_curves, crossings};

/// 1,000 runs a point: the means of neighbouring points differ by many standard errors, except right at a
/// crossing, which is why the intervals are as wide as they are.
#[test]
fn calls_of_decorrelated_and_full_cross_near_19_clients() {
    let sweep = contention_curves(&[16, 17, 18, 19, 20, 21], 1_000).unwrap();
    let found = crossings(&sweep, "workload.clients", "attempts", "decorrelated", "full").unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let (before, after, at) = found[0];
    assert!((17.0..=20.0).contains(&at) && before < at && at < after, "{found:?}");
}

#[test]
fn time_of_decorrelated_and_full_crosses_near_130_clients() {
    let sweep = contention_curves(&[100, 160], 400).unwrap();
    let found = crossings(&sweep, "workload.clients", "finish_s", "decorrelated", "full").unwrap();
    assert!(found.len() == 1 && (110.0..=150.0).contains(&found[0].2), "{found:?}");
}

/// At 155 clients equal jitter needs 4.5 calls more than full, at 180 it needs 6.8 less; one standard error of
/// a difference is 0.6.
#[test]
fn calls_of_equal_and_full_cross_near_167_clients() {
    let sweep = contention_curves(&[155, 180], 600).unwrap();
    let found = crossings(&sweep, "workload.clients", "attempts", "equal", "full").unwrap();
    assert!(found.len() == 1 && (160.0..=175.0).contains(&found[0].2), "{found:?}");
}
