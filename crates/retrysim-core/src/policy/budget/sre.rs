//! Client-side throttling (Google's SRE book, chapter 21): requests are held back at random when few are accepted.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Account, Event, Scope, Verdict};
use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// A request is refused by its own caller with probability `max(0, (requests - k accepts) / (requests + 1))`.
///
/// `requests` counts what was wanted within the window, those refused included; `accepts` counts successes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sre {
    /// Requests an accepted one pays for; 2 in the book.
    #[serde(default = "two")]
    pub k: f64,
    /// Length of the window; nothing is ever forgotten unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Span>,
    /// What may be refused.
    #[serde(default)]
    pub gates: Gates,
    /// Whether a refused request counts as a request.
    #[serde(default = "yes")]
    pub counts_refused: bool,
    /// When a request that is sent counts.
    #[serde(default)]
    pub counts_at: CountsAt,
    /// Who shares the counts.
    #[serde(default)]
    pub scope: Scope,
}

/// What a rule acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gates {
    /// Every send, first attempts included.
    #[default]
    EverySend,
    /// Retries only.
    Retries,
}

/// When a request that is sent counts as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountsAt {
    /// When it is sent.
    #[default]
    Send,
    /// When its answer comes, as its outcome does: a slow service is seen late (go-zero).
    Answer,
}

const fn two() -> f64 {
    2.0
}

const fn yes() -> bool {
    true
}

impl Sre {
    /// Whether first attempts are held back as well.
    #[must_use]
    pub const fn acts_on_sends(&self) -> bool {
        matches!(self.gates, Gates::EverySend)
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        in_range("k", self.k, 0.0, f64::MAX)?;
        self.window.map_or(Ok(()), |window| window.at_least("window", Span::from_nanos(1)))
    }
}

/// An [`Sre`] in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    k: f64,
    window: f64,
    gates: Gates,
    counts_refused: bool,
    counts_at: CountsAt,
}

/// When requests were wanted, and when some were accepted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    requests: Counter,
    accepts: Counter,
}

/// A count over a window; without one, a number.
#[derive(Clone, Debug, Default)]
struct Counter {
    times: VecDeque<f64>,
    count: u64,
}

impl Counter {
    fn add(&mut self, now: f64, window: f64) {
        self.count += 1;
        if window.is_finite() {
            self.times.push_back(now);
        }
    }

    fn forget(&mut self, before: f64) {
        while self.times.front().is_some_and(|time| *time < before) {
            self.times.pop_front();
            self.count -= 1;
        }
    }
}

impl Compiled {
    pub fn new(budget: &Sre, unit: Unit) -> Self {
        Self {
            k: budget.k,
            window: budget.window.map_or(f64::INFINITY, |window| window.in_unit(unit)),
            gates: budget.gates,
            counts_refused: budget.counts_refused,
            counts_at: budget.counts_at,
        }
    }

    pub const fn acts_on_sends(&self) -> bool {
        matches!(self.gates, Gates::EverySend)
    }

    /// The probability that a request is refused.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub fn refusal(&self, counts: &Counts) -> f64 {
        let (requests, accepts) = (counts.requests.count as f64, counts.accepts.count as f64);
        ((requests - self.k * accepts) / (requests + 1.0)).max(0.0)
    }

    fn count(&self, counts: &mut Counts, at: CountsAt, now: f64) {
        if self.counts_at == at {
            counts.requests.add(now, self.window);
        }
    }

    /// A request was refused.
    pub fn on_refusal(&self, counts: &mut Counts, now: f64) {
        if self.counts_refused {
            counts.requests.add(now, self.window);
        }
    }
}

impl Account for Compiled {
    type State = Counts;

    fn start(&self) -> Counts {
        Counts::default()
    }

    fn on_send(&self, counts: &mut Counts, event: Event) {
        self.count(counts, CountsAt::Send, event.now);
    }

    fn on_success(&self, counts: &mut Counts, event: Event) {
        self.count(counts, CountsAt::Answer, event.now);
        counts.accepts.add(event.now, self.window);
    }

    fn on_failure(&self, counts: &mut Counts, event: Event) {
        self.count(counts, CountsAt::Answer, event.now);
        self.catch_up(counts, event.now);
    }

    fn catch_up(&self, counts: &mut Counts, now: f64) {
        counts.requests.forget(now - self.window);
        counts.accepts.forget(now - self.window);
    }

    fn allows(&self, counts: &Counts, _: Event) -> Verdict {
        if self.gates == Gates::EverySend {
            // The retry is held back when it is about to be sent.
            return Verdict::Granted;
        }
        match self.refusal(counts) {
            p if p > 0.0 => Verdict::DeniedWith(p),
            _ => Verdict::Granted,
        }
    }
}
