//! So many retries at once: Envoy's `max_retries` breaker and its retry budget.

use serde::{Deserialize, Serialize};

use super::{Account, Event, Scope, Verdict};
use crate::{
    error::{Error, in_range},
    span::Unit,
};

/// Retries under way may be `max(min, share * requests in flight)`, rounded down.
///
/// Envoy's default breaker is `min = 3`; its retry budget is `share = 0.2, min = 3`. A retry that waits in
/// backoff is a retry under way but no request in flight, unless `counts_backoff = false`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrency {
    /// Share of the requests in flight.
    #[serde(default)]
    pub share: f64,
    /// Retries that are always allowed.
    #[serde(default)]
    pub min: u32,
    /// Whether a retry counts from when it is decided, rather than from when it is sent.
    #[serde(default = "yes")]
    pub counts_backoff: bool,
    /// Who shares the places.
    #[serde(default)]
    pub scope: Scope,
}

const fn yes() -> bool {
    true
}

impl Concurrency {
    pub(super) fn validate(&self) -> Result<(), Error> {
        in_range("share", self.share, 0.0, f64::MAX)
    }
}

/// A [`Concurrency`], which has no lengths.
#[derive(Clone, Debug)]
pub(crate) struct Compiled(Concurrency);

/// What is under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnderWay {
    in_flight: u32,
    retries: u32,
}

impl Compiled {
    pub fn new(budget: &Concurrency, _: Unit) -> Self {
        Self(budget.clone())
    }

    fn end(state: &mut UnderWay, event: Event) {
        state.in_flight = state.in_flight.saturating_sub(1);
        state.retries = state.retries.saturating_sub(u32::from(event.is_retry()));
    }
}

impl Account for Compiled {
    type State = UnderWay;

    fn start(&self) -> UnderWay {
        UnderWay::default()
    }

    fn on_send(&self, state: &mut UnderWay, event: Event) {
        state.in_flight += 1;
        state.retries += u32::from(event.is_retry() && !self.0.counts_backoff);
    }

    fn on_success(&self, state: &mut UnderWay, event: Event) {
        Self::end(state, event);
    }

    fn on_failure(&self, state: &mut UnderWay, event: Event) {
        Self::end(state, event);
    }

    fn on_retry(&self, state: &mut UnderWay, _: Event) {
        state.retries += u32::from(self.0.counts_backoff);
    }

    fn on_unsent(&self, state: &mut UnderWay, event: Event) {
        state.retries = state.retries.saturating_sub(u32::from(event.is_retry() && self.0.counts_backoff));
    }

    fn on_abandoned(&self, state: &mut UnderWay, event: Event) {
        Self::end(state, event);
    }

    fn allows(&self, state: &UnderWay, _: Event) -> Verdict {
        let allowed = (self.0.share * f64::from(state.in_flight)).floor().max(f64::from(self.0.min));
        (f64::from(state.retries) < allowed).into()
    }
}
