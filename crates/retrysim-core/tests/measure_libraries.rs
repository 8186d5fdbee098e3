//! Retry libraries as they are, measured: what their documents don't say of their delays.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{iter, time::Duration};

use backon::{BackoffBuilder, ExponentialBuilder};
use exponential_backoff::Backoff as ExponentialBackoffRs;
use retrysim_core::measure::{Measured, measure, measure_process};
use tokio::{runtime::Runtime, time::Instant};
use tower::{
    retry::backoff::{Backoff, ExponentialBackoffMaker, MakeBackoff},
    util::rng::HasherRng,
};

const CLIENTS: usize = 10_000;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A runtime whose clock stands still, so that a timer's deadline tells its length.
fn stopped_clock() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

fn maker(min: Duration, max: Duration, jitter: f64) -> ExponentialBackoffMaker {
    ExponentialBackoffMaker::new(min, max, jitter, HasherRng::new()).unwrap()
}

/// The delays of one backoff of tower; inside a runtime whose clock stands still.
fn tower_delays(mut backoff: impl Backoff<Future = tokio::time::Sleep>) -> impl Iterator<Item = Duration> {
    iter::repeat_with(move || backoff.next_backoff().deadline() - Instant::now())
}

/// One maker a client: what separate processes wait.
fn tower(min: Duration, max: Duration, jitter: f64) -> Measured {
    let runtime = stopped_clock();
    let _inside = runtime.enter();
    let clients = (0..CLIENTS).map(|_| tower_delays(maker(min, max, jitter).make_backoff()));
    measure("tower 0.5.3", clients, 8).unwrap()
}

#[test]
fn tower_truncates_the_jitter_of_whole_seconds() {
    let tower = tower(secs(1), secs(60), 0.5);
    let [first, second, third, fourth, .., eighth] = &tower.retries[..] else { panic!("eight retries") };
    assert_eq!((first.distinct, first.common_s, first.jitter), (1, 1.0, 0.0));
    assert_eq!((second.distinct, second.common_s, second.jitter), (1, 2.0, 0.0));
    assert_eq!((third.distinct, third.min_s, third.max_s), (2, 4.0, 5.0));
    assert!((third.common_share - 0.5).abs() < 0.03, "{}", third.common_share);
    assert_eq!((fourth.distinct, fourth.min_s, fourth.max_s), (4, 8.0, 11.0));
    assert_eq!((eighth.distinct, eighth.common_s), (1, 60.0));
    assert_eq!(tower.lost_jitter, Some(7));
}

#[test]
fn tower_jitters_fractions_of_a_second() {
    let tower = tower(Duration::from_millis(50), secs(10), 0.99);
    let first = &tower.retries[0];
    assert!(first.distinct > CLIENTS / 2, "{}", first.distinct);
    assert!((first.mean_s - 0.07475).abs() < 6.0 * first.mean_se_s, "{}", first.mean_s);
}

#[test]
fn backoffs_of_one_tower_maker_draw_the_same() {
    let runtime = stopped_clock();
    let _inside = runtime.enter();
    let mut one = maker(Duration::from_millis(100), secs(10), 0.5);
    let process = measure_process(|| tower_delays(one.make_backoff()), 1_000).unwrap();
    assert_eq!((process.clients, process.distinct, process.common_share), (1_000, 1, 1.0));

    let mut makers: Vec<_> = (0..20).map(|_| maker(Duration::from_millis(100), secs(10), 0.5)).collect();
    let requests = (0..20 * 500).map(|request| tower_delays(makers[request % 20].make_backoff()));
    let fleet = measure("20 processes of 500 requests", requests, 1).unwrap();
    assert_eq!((fleet.clients, fleet.retries[0].distinct), (10_000, 20));
}

#[test]
fn backons_jitter_doubles_its_maximum() {
    let builder = ExponentialBuilder::default().with_jitter().with_max_delay(secs(60)).without_max_times();
    let backon = measure("backon 1.6.0", (0..CLIENTS).map(|_| builder.build()), 8).unwrap();
    let capped = &backon.retries[7];
    assert!(capped.min_s >= 60.0 && capped.max_s > 119.0 && capped.max_s <= 120.0, "{}", capped.max_s);
    assert!((capped.mean_s - 90.0).abs() < 6.0 * capped.mean_se_s, "{}", capped.mean_s);
    let process = measure_process(|| builder.build(), 1_000).unwrap();
    assert!(process.distinct > 990, "{}", process.distinct);
}

#[test]
fn tokio_retry_multiplies_by_its_first_delay() {
    let delays = tokio_retry::strategy::ExponentialBackoff::from_millis(100);
    let measured = measure("tokio-retry 0.3.2", [delays], 4).unwrap();
    let means: Vec<f64> = measured.retries.iter().map(|retry| retry.mean_s).collect();
    assert_eq!(means, [0.1, 10.0, 1_000.0, 100_000.0]);
}

#[test]
fn exponential_backoffs_jitter_is_two_lumps() {
    let clients = (0..CLIENTS)
        .map(|_| ExponentialBackoffRs::new(9, Duration::from_millis(100), secs(10)).into_iter().flatten());
    let measured = measure("exponential-backoff 2.1.1", clients, 8).unwrap();
    let first = &measured.retries[0];
    assert_eq!((first.common_s, first.min_s), (0.1, 0.1));
    assert!((first.common_share - 0.5).abs() < 0.03, "the floor: {}", first.common_share);

    // 200 ms less 0 to 29 %, or 15 to 29 % more, and nothing between.
    let second = &measured.retries[1];
    assert_eq!((second.distinct, second.min_s, second.max_s), (45, 0.142, 0.258));
    let density = &second.density;
    let width = (density.to_s - density.from_s) / 40.0;
    let ends = iter::successors(Some(density.from_s), |end| Some(end + width));
    let inside = ends.zip(&density.counts).filter(|(from, _)| *from > 0.201 && from + width < 0.23);
    let counts: Vec<usize> = inside.map(|(_, count)| *count).collect();
    assert_eq!(counts, [0; 9]);
    assert!((measured.retries[7].common_share - 0.87).abs() < 0.02, "{}", measured.retries[7].common_share);
}
