//! A share of the sends in a sliding window.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Account, Event, Scope, Verdict};
use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// Retries may be `ratio` of the sends of the last `window`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Retries over sends, both within the window.
    pub ratio: f64,
    /// Length of the window.
    pub window: Span,
    /// What counts as inside, and whether the ratio itself still passes.
    #[serde(default)]
    pub rule: Rule,
    /// Who shares the window.
    #[serde(default)]
    pub scope: Scope,
}

/// How a window counts (specs of the herd's budget: rule A and rule B).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A: all sends of a moment count before the first answer; the edge of the window is inside;
    /// a retry passes if `retries <= ratio * sends`.
    #[default]
    AtMost,
    /// B: a send counts when its own answer comes; a retry passes if `retries < ratio * sends`.
    Below,
}

impl Window {
    pub(super) fn validate(&self) -> Result<(), Error> {
        in_range("ratio", self.ratio, 0.0, f64::MAX)?;
        self.window.at_least("window", Span::from_nanos(1))
    }
}

/// A [`Window`] in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    ratio: f64,
    window: f64,
    rule: Rule,
    nanosecond: f64,
}

/// Sends inside the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sends {
    log: VecDeque<(f64, bool)>,
    retries: u32,
}

impl Sends {
    fn push(&mut self, event: Event) {
        self.log.push_back((event.now, event.is_retry()));
        self.retries += u32::from(event.is_retry());
    }
}

impl Compiled {
    pub fn new(budget: &Window, unit: Unit) -> Self {
        let window = budget.window.in_unit(unit);
        Self { ratio: budget.ratio, window, rule: budget.rule, nanosecond: 1.0 / unit.nanos() }
    }
}

impl Account for Compiled {
    type State = Sends;

    fn start(&self) -> Sends {
        Sends::default()
    }

    fn on_send(&self, sends: &mut Sends, event: Event) {
        if self.rule == Rule::AtMost {
            sends.push(event);
        }
    }

    fn on_success(&self, sends: &mut Sends, event: Event) {
        if self.rule == Rule::Below {
            sends.push(event);
        }
    }

    fn on_failure(&self, sends: &mut Sends, event: Event) {
        if self.rule == Rule::Below {
            sends.push(event);
        }
        self.catch_up(sends, event.now);
    }

    fn catch_up(&self, sends: &mut Sends, now: f64) {
        // Under rule A a send exactly one window ago is inside, whatever the rounding of `now - window`.
        let edge = match self.rule {
            Rule::AtMost => now - self.window - self.nanosecond,
            Rule::Below => now - self.window,
        };
        while let Some((sent, is_retry)) = sends.log.front().copied()
            && sent < edge
        {
            sends.log.pop_front();
            sends.retries -= u32::from(is_retry);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a window holds far fewer than 2^53 sends")]
    fn allows(&self, sends: &Sends, _: Event) -> Verdict {
        let allowed = self.ratio * sends.log.len() as f64;
        match self.rule {
            Rule::AtMost => f64::from(sends.retries) <= allowed,
            Rule::Below => f64::from(sends.retries) < allowed,
        }
        .into()
    }
}
