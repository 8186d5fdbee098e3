//! The catalogue of policies that libraries ship, as a frame.

use polars::prelude::DataFrame;
use retrysim_core::{Policy, measure::measure_policy};

pub use retrysim_core::catalogue::{Catalogue, Entry, Evidence, Kind, Variant};

use crate::{
    error::Error,
    frame::{Cells, column, of_columns},
};

/// Sequences behind the mean of a first delay.
const SEQUENCES: u32 = 2_000;

/// A row an entry: what it is, how sure, and the policy in a few numbers.
///
/// `attempts` is null where nothing limits them, `first_s` the mean delay before the first retry (2,000 sequences,
/// no hint); `slots` names what the policy has beside delay and stop.
///
/// ```
/// use retrysim::catalogue::{self, Catalogue};
///
/// let entries: Vec<_> = Catalogue::bundled().entries().collect();
/// assert_eq!(catalogue::frame(&entries)?.height(), 104);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Frame`] if polars refuses the columns.
pub fn frame(entries: &[&Entry]) -> Result<DataFrame, Error> {
    let text = |of: &dyn Fn(&Entry) -> String| Cells::Text(entries.iter().map(|entry| of(entry)).collect());
    let number = |of: &dyn Fn(&Entry) -> f64| Cells::Number(entries.iter().map(|entry| of(entry)).collect());
    of_columns(vec![
        column("id", text(&|entry| entry.id.clone())),
        column("name", text(&|entry| entry.name.clone())),
        column("kind", text(&|entry| entry.kind.name().to_owned())),
        column("evidence", text(&|entry| entry.evidence.name().to_owned())),
        column("version", text(&|entry| entry.version.clone().unwrap_or_default())),
        column("first_s", number(&|entry| first(&entry.policy))),
        column("attempts", number(&|entry| attempts(&entry.policy))),
        column("slots", text(&|entry| slots(&entry.policy).join(", "))),
        column("variants", text(&|entry| entry.variants.keys().cloned().collect::<Vec<_>>().join(", "))),
    ])
}

/// The mean delay before the first retry; NaN if there is none.
fn first(policy: &Policy) -> f64 {
    let measured = measure_policy("", policy, SEQUENCES, 0, 1);
    measured.ok().and_then(|measured| measured.retries.first().map(|retry| retry.mean_s)).unwrap_or(f64::NAN)
}

fn attempts(policy: &Policy) -> f64 {
    match policy.max_attempts() {
        u32::MAX => f64::NAN,
        attempts => f64::from(attempts),
    }
}

/// What a policy has beside delay and stop.
fn slots(policy: &Policy) -> Vec<&'static str> {
    let budgets = policy.budget.iter().map(retrysim_core::policy::budget::Budget::kind);
    let others = [
        (policy.hint.is_some(), "hint"),
        (policy.limiter.is_some(), "limiter"),
        (policy.breaker.is_some(), "breaker"),
        (policy.hedge.is_some(), "hedge"),
        (policy.anchor != Default::default(), "anchor"),
        (policy.state != Default::default(), "state"),
        (!policy.on.is_empty(), "on"),
    ];
    budgets.chain(others.into_iter().filter_map(|(has, name)| has.then_some(name))).collect()
}
