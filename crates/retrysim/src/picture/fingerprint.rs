//! The delays of policies, retry by retry: fingerprints, and one number of each retry.

use retrysim_core::{
    Error as CoreError, Policy, Scenario,
    measure::{Measured, Retry},
};

use super::count;
use crate::{
    delays::sequences,
    error::Error,
    figure::{self, Axis, Figure, Fingerprint, Heat, Layer, Panel, RetryDelay, Scale, label_of},
};

/// Sequences behind a fingerprint, and the bins of its densities.
const SEQUENCES: u32 = 20_000;

const BINS: usize = 60;

/// Retries that can be told apart in a figure.
const MOST_RETRIES: u32 = 50;

/// A share of draws with one and the same delay from which it counts as a point mass.
const MASS: f64 = 0.01;

/// Density of the delay by number of the retry, point masses marked, from 20,000 sequences a policy.
///
/// ```
/// let herd = retrysim::bundled::scenario("herd")?;
/// let figure = retrysim::picture::fingerprint(&herd, &["full".into()], 4, "Delays")?;
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a policy that isn't there, no retries or more than 50.
pub fn fingerprint(
    scenario: &Scenario,
    policies: &[String],
    retries: u32,
    title: &str,
) -> Result<Figure, Error> {
    if !(1..=MOST_RETRIES).contains(&retries) {
        return Err(CoreError::invalid("retries", retries, format!("1 to {MOST_RETRIES}")).into());
    }
    let named = |name: &String| Ok((name.clone(), scenario.policy(name)?.clone()));
    let policies = policies.iter().map(named).collect::<Result<Vec<_>, Error>>()?;
    let figure = fingerprint_of(&policies, retries, title);
    Ok(figure.note(format!("{} · {}", scenario.name, note())))
}

/// [`fingerprint`] of policies that stand in no scenario.
#[must_use]
pub fn fingerprint_of(policies: &[(String, Policy)], retries: u32, title: &str) -> Figure {
    let print = |(name, policy): &(String, Policy)| {
        let delays = sequences(policy, retries, None, SEQUENCES, 0);
        let rows = delays.iter().zip(1..).map(|(delays, retry)| retry_delay(retry, delays)).collect();
        Fingerprint { policy: name.clone(), retries: rows }
    };
    let prints: Vec<Fingerprint> = policies.iter().map(print).collect();
    figure::fingerprint(title, Axis::linear("delay", "s"), &prints).note(note())
}

/// One number of each retry, such as the jitter that is left, as a heat map: a row a policy, as far as all of them
/// retry. `what` stands at the colour bar.
///
/// ```
/// use retrysim::{Policy, Span, measure::measure_policy, picture};
///
/// let full = Policy::exponential(Span::from_secs(1), 2.0).jitter(0.0, 1.0);
/// let measured = [measure_policy("full", &full, 1_000, 0, 3)?];
/// let figure = picture::by_retry(&measured, "jitter left (%)", |retry| (100.0 * retry.jitter).round(), "Jitter");
/// assert!(figure.check().is_ok());
/// # Ok::<(), retrysim::Error>(())
/// ```
#[must_use]
pub fn by_retry(measured: &[Measured], what: &str, of: impl Fn(&Retry) -> f64, title: &str) -> Figure {
    let retries = measured.iter().map(|measured| measured.retries.len()).min().unwrap_or(0);
    // The first policy stands at the top.
    let rows = || measured.iter().rev();
    let z = rows().map(|measured| measured.retries[..retries].iter().map(&of).collect()).collect();
    let heat = Heat { columns: retries, z, label: what.to_owned(), scale: Scale::Linear };
    let x = Axis::categories("retry number", (1..=retries).map(|retry| retry.to_string()));
    let y = Axis::categories("", rows().map(|measured| label_of(&measured.name)));
    let panel = Panel { layers: vec![Layer::Heat(heat)], ..Panel::default() };
    let height = u32::try_from(measured.len()).unwrap_or(u32::MAX).saturating_mul(26).saturating_add(190);
    let figure = Figure::new(title, x, y, vec![panel]);
    let width = figure.width;
    figure.size(width, height.clamp(380, 8192))
}

fn note() -> String {
    format!(
        "{} sequences a policy; stems are delays with a share of their own",
        figure::group_digits(&SEQUENCES.to_string())
    )
}

fn retry_delay(retry: u32, sorted: &[f64]) -> RetryDelay {
    let share = |n: usize| count(n as u64) / count(sorted.len().max(1) as u64);
    #[expect(clippy::float_cmp, reason = "a point mass is one and the same number")]
    let groups: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
    let masses: Vec<(f64, f64)> = groups
        .iter()
        .filter(|group| share(group.len()) >= MASS)
        .map(|group| (group[0], share(group.len())))
        .collect();
    let spread: Vec<f64> = groups
        .iter()
        .filter(|group| share(group.len()) < MASS)
        .flat_map(|group| group.iter().copied())
        .collect();
    let (Some(low), Some(high)) = (spread.first(), spread.last()) else {
        return RetryDelay { retry, density: Vec::new(), masses };
    };
    let width = (high - low) / count(BINS as u64);
    if width <= 0.0 {
        return RetryDelay { retry, density: Vec::new(), masses };
    }
    let mut bins = vec![0_usize; BINS];
    for delay in &spread {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bin's number")]
        let bin = ((delay - low) / width) as usize;
        bins[bin.min(BINS - 1)] += 1;
    }
    let middle = |i: usize| low + (count(i as u64) + 0.5) * width;
    let density = bins.iter().enumerate().map(|(i, n)| (middle(i), share(*n) / width)).collect();
    RetryDelay { retry, density, masses }
}
