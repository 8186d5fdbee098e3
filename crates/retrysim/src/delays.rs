//! The delays of a policy by itself, retry by retry.

use polars::prelude::DataFrame;
use retrysim_core::{
    Error as CoreError, Policy, Span, Unit,
    callers::MAX_ATTEMPTS,
    draw::{Draws, Philox, Purpose},
    policy::{Compiled, class::Class},
    stats,
};
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    frame::{Cells, column, of_columns},
};

/// Quantiles over draws, with their columns.
const QUANTILES: [(&str, f64); 7] = [
    ("min_s", 0.0),
    ("p05_s", 0.05),
    ("p25_s", 0.25),
    ("p50_s", 0.5),
    ("p75_s", 0.75),
    ("p95_s", 0.95),
    ("max_s", 1.0),
];

/// Delays that are drawn at the most.
const MAX_NUMBERS: u64 = 200_000_000;

/// What to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delays {
    /// The policy. Its stop rules are not applied.
    pub policy: Policy,
    /// How many retries.
    pub retries: u32,
    /// The server's hint with every failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Span>,
    /// How random numbers are chosen.
    pub draw: Draw,
}

/// How random numbers are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// All are the same, in `[0, 1)`.
    Fixed(f64),
    /// This many independent sequences.
    Sequences {
        /// How many.
        draws: u32,
        /// Their seed.
        seed: u64,
    },
}

impl Delays {
    /// A row a retry: `delay_s` where draws are fixed; mean, extremes and linear quantiles over sequences.
    ///
    /// ```
    /// use retrysim::{Policy, Span, delays::{Delays, Draw}};
    ///
    /// let policy = Policy::exponential(Span::from_millis(100), 2.0).jitter(0.0, 1.0);
    /// let delays = Delays { policy, retries: 3, hint: None, draw: Draw::Fixed(0.5) }.frame()?;
    /// assert_eq!(delays.height(), 3);
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Core`] for a fixed number outside `[0, 1)` or more delays than can be held.
    pub fn frame(&self) -> Result<DataFrame, Error> {
        if self.retries > MAX_ATTEMPTS {
            let allowed = format!("at most {MAX_ATTEMPTS}");
            return Err(CoreError::invalid("retries", self.retries, allowed).into());
        }
        match self.draw {
            Draw::Fixed(u) => check_u(u).and_then(|()| self.fixed(u)),
            Draw::Sequences { draws, seed } => self.drawn(draws, seed),
        }
    }

    fn fixed(&self, u: f64) -> Result<DataFrame, Error> {
        let delays = self.policy.compile(Unit::S).fixed_delays(self.retries, self.hint.map(Span::secs), u);
        of_columns(vec![column("retry", numbers(delays.len())), column("delay_s", Cells::Number(delays))])
    }

    fn drawn(&self, draws: u32, seed: u64) -> Result<DataFrame, Error> {
        let most = MAX_NUMBERS / u64::from(self.retries.max(1));
        if u64::from(draws) > most || draws < 2 {
            let allowed = format!("2 to {most} with {} retries", self.retries);
            return Err(CoreError::invalid("draws", draws, allowed).into());
        }
        let sorted = sequences(&self.policy, self.retries, self.hint, draws, seed);
        let mean = sorted.iter().map(|delays| stats::mean_sd(delays).0).collect();
        let mut columns = vec![column("retry", numbers(sorted.len())), column("mean_s", Cells::Number(mean))];
        columns.extend(QUANTILES.map(|(name, p)| {
            column(
                name,
                Cells::Number(sorted.iter().map(|delays| stats::quantile_linear(delays, p)).collect()),
            )
        }));
        of_columns(columns)
    }
}

/// What policies make of a server's hint: the delay before the first retry after a throttling answer, with every
/// draw at `u`. A row a policy; a column without a hint, and one for each hint.
///
/// ```
/// use retrysim::{Catalogue, Span, delays, export};
///
/// let policies = ["stripe", "openai-python"].map(|name| Ok((name.to_owned(), Catalogue::bundled().policy(name)?.clone())));
/// let policies = policies.into_iter().collect::<Result<Vec<_>, retrysim::Error>>()?;
/// let table = delays::after_hints(&policies, &[Span::from_secs(1), Span::from_secs(600)], 0.5)?;
/// assert!(export::csv(&table)?.contains("openai-python,0.4375 s,1 s,gives up"));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Core`] for a `u` outside `[0, 1)`.
pub fn after_hints(policies: &[(String, Policy)], hints: &[Span], u: f64) -> Result<DataFrame, Error> {
    check_u(u)?;
    let throttled: Vec<_> = policies
        .iter()
        .map(|(_, policy)| policy.after(Class::Throttle).map(|policy| policy.compile(Unit::S)))
        .collect();
    let of_hint = |hint: Option<Span>| {
        let cell = |policy: &Option<Compiled>| {
            let delays = policy.as_ref().map(|policy| policy.fixed_delays(1, hint.map(Span::secs), u));
            delays.and_then(|delays| delays.first().copied()).map_or_else(|| "gives up".into(), readable)
        };
        Cells::Text(throttled.iter().map(cell).collect())
    };
    let names = policies.iter().map(|(name, _)| name.clone()).collect();
    let mut columns = vec![column("policy", Cells::Text(names)), column("no hint", of_hint(None))];
    columns.extend(hints.iter().map(|hint| column(&readable(hint.secs()), of_hint(Some(*hint)))));
    of_columns(columns)
}

/// A delay for readers: seconds to the tenth of a millisecond, or hours and minutes if it is long.
#[expect(clippy::cast_possible_truncation, reason = "saturates at 292 years")]
fn readable(secs: f64) -> String {
    if secs < 1000.0 {
        format!("{} s", (secs * 1e4).round() / 1e4)
    } else {
        Span::from_secs(secs.round() as i64).to_string()
    }
}

fn check_u(u: f64) -> Result<(), Error> {
    if (0.0..1.0).contains(&u) {
        Ok(())
    } else {
        Err(CoreError::invalid("u", u, "a number u with 0 <= u < 1").into())
    }
}

fn numbers(retries: usize) -> Cells {
    Cells::Whole((1..).take(retries).collect())
}

/// Delays in seconds by retry over independent sequences, sorted; a retry that a hint forbids is left out.
pub(crate) fn sequences(
    policy: &Policy,
    retries: u32,
    hint: Option<Span>,
    draws: u32,
    seed: u64,
) -> Vec<Vec<f64>> {
    let compiled = policy.compile(Unit::S);
    let hint = hint.map(Span::secs);
    let mut by_retry = vec![Vec::with_capacity(draws as usize); retries as usize];
    for sequence in 0..draws {
        let mut source = Philox::new(seed, u64::from(sequence));
        let mut memory = compiled.memory();
        for (n, delays) in (1..).zip(&mut by_retry) {
            let mut stream = source.at(Purpose::Attempt, 0, n);
            let Some(delay) = compiled.delay(n, hint, &mut memory, &mut stream) else { break };
            delays.push(delay);
        }
    }
    by_retry.iter_mut().for_each(|delays| delays.sort_by(f64::total_cmp));
    by_retry
}
