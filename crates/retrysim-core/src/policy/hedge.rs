//! Hedging: copies of an attempt that takes long, the first success of which counts.

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    span::{Span, Unit},
};

/// While no answer has come, another copy is sent after `delay`, again and again, `max` copies at the most.
///
/// A copy counts as a retry: the budgets must agree, and stop rules count it. A service that answers at once leaves
/// no room for copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hedge {
    /// From one copy to the next; 0 sends all at once.
    pub delay: Span,
    /// Copies beside the first attempt.
    pub max: u32,
    /// Whether the others are cancelled when one has succeeded; what waits at the service then leaves its queue.
    #[serde(default = "yes")]
    pub cancel_losers: bool,
    /// Whether a failed copy sends the next one at once.
    #[serde(default)]
    pub on_failure: bool,
}

const fn yes() -> bool {
    true
}

impl Hedge {
    pub(super) fn validate(&self) -> Result<(), Error> {
        if self.max == 0 || self.max > 100 {
            return Err(Error::invalid("max", self.max, "1 to 100"));
        }
        self.delay.at_least("delay", Span::ZERO)
    }
}

/// A [`Hedge`] in the scenario's unit.
#[derive(Clone, Copy, Debug)]
pub struct HedgeRule {
    /// From one copy to the next.
    pub delay: f64,
    /// Copies beside the first attempt.
    pub max: u32,
    /// Whether the others are cancelled when one has succeeded.
    pub cancel_losers: bool,
    /// Whether a failed copy sends the next one at once.
    pub on_failure: bool,
}

impl HedgeRule {
    pub(super) fn compile(hedge: &Hedge, unit: Unit) -> Self {
        let Hedge { max, cancel_losers, on_failure, .. } = *hedge;
        Self { delay: hedge.delay.in_unit(unit), max, cancel_losers, on_failure }
    }
}
