//! Delays of four Rust libraries, measured, as a table.
//!
//! `cargo run --release -p retrysim-core --example measure_libraries`

use std::{error::Error, iter, time::Duration};

use backon::{BackoffBuilder, ExponentialBuilder};
use retrysim_core::measure::{Measured, measure, measure_process};
use tower::{
    retry::backoff::{Backoff, ExponentialBackoffMaker, MakeBackoff},
    util::rng::HasherRng,
};

const CLIENTS: usize = 10_000;
const RETRIES: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    // tower gives timers, whose deadlines tell the delay while the clock stands still.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let _inside = runtime.enter();
    let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
    let mut maker = ExponentialBackoffMaker::new(second / 10, minute, 0.5, HasherRng::new())?;
    let makers = (0..CLIENTS).map(|_| ExponentialBackoffMaker::new(second, minute, 0.5, HasherRng::new()));
    let makers = makers.collect::<Result<Vec<_>, _>>()?;
    let backon = ExponentialBuilder::default().with_jitter().without_max_times();

    println!(
        "{:<36} {:>5} {:>12} {:>8} {:>8} {:>12} {:>7}",
        "library", "retry", "mean (s)", "jitter", "distinct", "commonest", "share"
    );
    let towers = makers.into_iter().map(|mut maker| tower_delays(maker.make_backoff()));
    show(&measure("tower 0.5.3, 1 s to 60 s, jitter 0.5", towers, RETRIES)?);
    show(&measure("backon 1.6.0, jitter", (0..CLIENTS).map(|_| backon.build()), RETRIES)?);
    let tokio_retry = tokio_retry::strategy::ExponentialBackoff::from_millis(100);
    show(&measure("tokio-retry 0.3.2, from_millis(100)", iter::repeat_n(tokio_retry, CLIENTS), 4)?);
    let lumps = exponential_backoff::Backoff::new(9, second / 10, second * 10);
    let lumps = iter::repeat_with(|| lumps.clone().into_iter().flatten()).take(CLIENTS);
    show(&measure("exponential-backoff 2.1.1", lumps, RETRIES)?);

    println!("\nfirst delays of 1,000 requests in one process");
    let process = measure_process(|| tower_delays(maker.make_backoff()), 1_000)?;
    println!("tower, one maker   {:>5} different", process.distinct);
    let process = measure_process(|| backon.build(), 1_000)?;
    println!("backon             {:>5} different", process.distinct);
    Ok(())
}

fn tower_delays(mut backoff: impl Backoff<Future = tokio::time::Sleep>) -> impl Iterator<Item = Duration> {
    iter::repeat_with(move || backoff.next_backoff().deadline() - tokio::time::Instant::now())
}

fn show(measured: &Measured) {
    let mut name = measured.name.as_str();
    for retry in &measured.retries {
        println!(
            "{name:<36} {:>5} {:>12.3} {:>6.0} % {:>8} {:>12.3} {:>5.0} %",
            retry.retry,
            retry.mean_s,
            retry.jitter * 100.0,
            retry.distinct,
            retry.common_s,
            retry.common_share * 100.0
        );
        name = "";
    }
    let lost = measured.lost_jitter.map_or("keeps what it has".into(), |n| format!("lost at retry {n}"));
    println!("{:<36} jitter: {lost}", "");
}
