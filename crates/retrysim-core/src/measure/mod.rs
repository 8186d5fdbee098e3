//! What a source of delays gives, measured: a library's iterator or a policy of ours, client by client.
//!
//! Each sequence belongs to one client: its first delay is what the client waits before its first retry.
//!
//! ```
//! use std::time::Duration;
//! use retrysim_core::measure::measure;
//!
//! // A thousand clients, none of them with jitter.
//! let sequences = (0..1_000).map(|_| (0..8).map(|n| Duration::from_millis(100) * (1 << n)));
//! let measured = measure("doubling", sequences, 3)?;
//! assert_eq!(measured.retries[2].p50_s, 0.4);
//! assert_eq!(measured.retries[2].common_share, 1.0);
//! # Ok::<(), retrysim_core::Error>(())
//! ```

mod correlation;
mod retry;

use std::time::Duration;

use serde::Serialize;

use self::correlation::Correlation;
pub use self::retry::{Density, Retry};
pub(crate) use self::retry::{Lumps, from_nanos, spread, to_nanos};
use crate::{
    draw::{Draws, Philox, Purpose},
    error::Error,
    policy::Policy,
    span::Unit,
    stats,
};

/// Delays that are held at the most: 1.6 GB.
pub const MOST_DELAYS: usize = 200_000_000;

/// Delays of many clients, measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What was measured.
    pub name: String,
    /// How many clients, those without any retry included.
    pub clients: usize,
    /// Retry by retry, as far as any client has one.
    pub retries: Vec<Retry>,
    /// All delays of a client together.
    pub total: Total,
    /// The first retry that at least half of its clients make after exactly the same delay, although an
    /// earlier retry was spread.
    pub lost_jitter: Option<usize>,
}

/// Sums of all measured delays of a client, in seconds; NaN (null in files) for no clients.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Total {
    /// Mean.
    pub mean_s: f64,
    /// Smallest.
    pub min_s: f64,
    /// 5 % quantile (linear, as all quantiles here).
    pub p05_s: f64,
    /// Lower quartile.
    pub p25_s: f64,
    /// Median.
    pub p50_s: f64,
    /// Upper quartile.
    pub p75_s: f64,
    /// 95 % quantile.
    pub p95_s: f64,
    /// Largest.
    pub max_s: f64,
}

impl Total {
    fn of(waits: &[f64]) -> Self {
        let sorted = stats::sorted(waits);
        let at = |p| stats::quantile_linear(&sorted, p);
        Self {
            mean_s: stats::mean_sd(&sorted).0,
            min_s: at(0.0),
            p05_s: at(0.05),
            p25_s: at(0.25),
            p50_s: at(0.5),
            p75_s: at(0.75),
            p95_s: at(0.95),
            max_s: at(1.0),
        }
    }
}

/// Measures the first `retries` delays of each sequence. A sequence that ends early has no later retries.
///
/// Delays count in whole nanoseconds; longer ones than 584 years count as that.
///
/// # Errors
/// [`Error::Invalid`] for more than [`MOST_DELAYS`] delays: before any is drawn if the number of clients is
/// known, else at the first that is too many.
pub fn measure<S>(
    name: &str,
    sequences: impl IntoIterator<Item = S>,
    retries: usize,
) -> Result<Measured, Error>
where
    S: IntoIterator<Item = Duration>,
{
    let sequences = sequences.into_iter();
    allow("clients", sequences.size_hint().0, MOST_DELAYS / retries.max(1))?;
    let mut columns: Vec<Vec<u64>> = Vec::new();
    let mut correlations: Vec<Correlation> = Vec::new();
    let mut waits = Vec::new();
    let mut delays = 0;
    for sequence in sequences {
        let (mut wait, mut before) = (0.0, None);
        for (n, delay) in sequence.into_iter().take(retries).enumerate() {
            delays += 1;
            allow("delays", delays, MOST_DELAYS)?;
            if n == columns.len() {
                columns.push(Vec::new());
                correlations.push(Correlation::default());
            }
            let nanos = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
            let secs = from_nanos(nanos);
            columns[n].push(nanos);
            if let Some(before) = before.replace(secs) {
                correlations[n].add(before, secs);
            }
            wait += secs;
        }
        allow("clients", waits.len() + 1, MOST_DELAYS)?;
        waits.push(wait);
    }
    let retries: Vec<Retry> = (1..)
        .zip(columns.into_iter().zip(&correlations))
        .map(|(retry, (nanos, correlation))| Retry::of(retry, nanos, correlation.pearson()))
        .collect();
    let spread = retries.iter().position(|retry| !retry.is_lumped()).unwrap_or(retries.len());
    let lost = retries[spread..].iter().find(|retry| retry.is_lumped());
    Ok(Measured {
        name: name.to_owned(),
        clients: waits.len(),
        lost_jitter: lost.map(|retry| retry.retry),
        total: Total::of(&waits),
        retries,
    })
}

/// Refuses `count` of `field` if more than `most` are too many to be held.
fn allow(field: &str, count: usize, most: usize) -> Result<(), Error> {
    if count <= most { Ok(()) } else { Err(Error::invalid(field, count, format!("at most {most}"))) }
}

/// Measures a policy as [`measure`] does a library: `clients` independent sequences of `retries` delays under
/// `seed`, with the default generator. Stop rules are not applied, and no server gives hints: a policy that
/// requires one has no retries.
///
/// # Errors
/// [`Error::Invalid`] for a policy that isn't one, or more than [`MOST_DELAYS`] delays, before any is drawn.
pub fn measure_policy(
    name: &str,
    policy: &Policy,
    clients: u32,
    seed: u64,
    retries: u32,
) -> Result<Measured, Error> {
    policy.validate()?;
    let compiled = policy.compile(Unit::S);
    let compiled = &compiled;
    let sequences = (0..clients).map(|client| {
        let (mut draws, mut memory) = (Philox::new(seed, u64::from(client)), compiled.memory());
        (1..=retries).map_while(move |n| {
            let delay = compiled.delay(n, None, &mut memory, &mut draws.at(Purpose::Attempt, 0, n))?;
            Some(Duration::try_from_secs_f64(delay).unwrap_or(Duration::MAX))
        })
    });
    measure(name, sequences, usize::try_from(retries).unwrap_or(usize::MAX))
}

/// First delays of clients of one process, whose sequences come from one maker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Process {
    /// How many clients have a first delay.
    pub clients: usize,
    /// How many different first delays they have; 1 means that they all return at once.
    pub distinct: usize,
    /// The commonest first delay, in seconds; NaN for no clients.
    pub common_s: f64,
    /// The share of clients that have it.
    pub common_share: f64,
}

/// Asks one maker for the sequences of `clients` clients, and compares the delays before their first retries.
///
/// # Errors
/// [`Error::Invalid`] for more than [`MOST_DELAYS`] clients.
pub fn measure_process<S>(make: impl FnMut() -> S, clients: usize) -> Result<Process, Error>
where
    S: IntoIterator<Item = Duration>,
{
    let first = measure("first delays", std::iter::repeat_with(make).take(clients), 1)?;
    let none = Process { clients: 0, distinct: 0, common_s: f64::NAN, common_share: f64::NAN };
    Ok(first.retries.first().map_or(none, |retry| Process {
        clients: retry.count,
        distinct: retry.distinct,
        common_s: retry.common_s,
        common_share: retry.common_share,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn retry_by_retry() {
        let sequences = [vec![MS(1), MS(4)], vec![MS(2), MS(8)], vec![MS(3)], vec![]];
        let measured = measure("four", sequences, 10).unwrap();
        assert_eq!(measured.clients, 4);
        let counts: Vec<usize> = measured.retries.iter().map(|retry| retry.count).collect();
        assert_eq!(counts, [3, 2]);
        let first = &measured.retries[0];
        assert_eq!((first.mean_s, first.sd_s, first.p50_s, first.distinct), (0.002, 0.001, 0.002, 3));
        assert!((first.mean_se_s - 0.001 / 3_f64.sqrt()).abs() < 1e-15);
        assert!((first.jitter - 0.45).abs() < 1e-12);
        assert!(first.correlation.is_nan());
        assert!((measured.retries[1].correlation - 1.0).abs() < 1e-12);
        assert_eq!((measured.total.min_s, measured.total.max_s), (0.0, 0.01));
    }

    #[test]
    fn jitter_that_gets_lost() {
        let policy = Policy::exponential(MS(1_000), 2.0).jitter(0.5, 1.5).cap(MS(5_000));
        let measured = measure_policy("capped", &policy, 2_000, 1, 8).unwrap();
        assert_eq!(measured.lost_jitter, Some(4), "8 s * U(0.5, 1.5) is below 5 s in an eighth of the cases");
        assert_eq!(measured.retries[7].common_share, 1.0);
        assert_eq!(measured.retries[7].jitter, 0.0);
        let never_had = measure_policy("constant", &Policy::constant(MS(5)), 10, 1, 8).unwrap();
        assert_eq!(never_had.lost_jitter, None);
    }

    #[test]
    fn too_many_are_refused_before_they_are_drawn() {
        let endless = (0..1_000_000_usize).map(|_| std::iter::repeat(Duration::ZERO));
        let error = measure("endless", endless, 1_000).unwrap_err();
        assert_eq!(error.to_string(), "clients = 1000000 is not allowed; allowed: at most 200000");
        assert!(measure_policy("many", &Policy::immediate(), u32::MAX, 1, u32::MAX).is_err());
    }

    #[test]
    fn nothing_is_measured_as_nothing() {
        let nothing = measure("nothing", Vec::<[Duration; 1]>::new(), 3).unwrap();
        assert_eq!((nothing.clients, nothing.retries.len(), nothing.lost_jitter), (0, 0, None));
        assert!(nothing.total.mean_s.is_nan());
        let json = serde_json::to_value(&nothing).unwrap();
        assert!(json["total"]["mean_s"].is_null());
        assert_eq!(measure("no retries", [[MS(1)]], 0).unwrap().clients, 1);
        assert_eq!(measure_process(|| [MS(1)], 0).unwrap().clients, 0);
        assert_eq!(measure_process(|| [MS(1)], 100).unwrap().distinct, 1);
    }
}
