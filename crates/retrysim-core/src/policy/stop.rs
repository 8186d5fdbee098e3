//! When a call is given up: attempts made, time spent, or a deadline.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// Stop rules; an empty one never stops.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Attempts of one call at the most, the first included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Retries of one call at the most: `attempts - 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// Time since the first send of the call, tested as `check` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<Span>,
    /// How `elapsed` is tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// With `check = "clip"`: give up when less than this is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<Span>,
    /// Give up before the first retry after which the curve, were it not capped, would be above the first `cap`
    /// (Kubernetes' `wait.Backoff`: to reach the cap ends the steps).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_cap: bool,
    /// No retry starts this long after the first send, or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Span>,
    /// Probability that the caller gives up after any failure, as people do.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gives_up: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// How an elapsed limit is tested when an attempt has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Give up if the limit has been reached already; the delay may overshoot it.
    #[default]
    Before,
    /// Give up if elapsed time plus the delay would exceed the limit.
    WouldExceed,
    /// Shorten the delay to what is left; give up if nothing is left.
    Clip,
}

impl Stop {
    /// The attempt limit, however it was written.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        let by_retries = self.retries.map_or(u32::MAX, |retries| retries.saturating_add(1));
        self.attempts.unwrap_or(u32::MAX).min(by_retries)
    }

    /// Refuses rules that contradict each other or can't be met.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's name.
    pub fn validate(&self) -> Result<(), Error> {
        if self.attempts == Some(0) {
            return Err(Error::invalid("attempts", 0, "1 or more (1 means no retry)"));
        }
        if let (Some(attempts), Some(_)) = (self.attempts, self.retries) {
            return Err(Error::invalid("attempts", attempts, "either attempts or retries, not both"));
        }
        if self.check.is_some() && self.elapsed.is_none() {
            return Err(Error::invalid("check", "set", "only together with elapsed"));
        }
        if let Some(least) = self.least {
            if self.check != Some(Check::Clip) {
                return Err(Error::invalid("least", least, "only together with check = \"clip\""));
            }
            least.at_least("least", Span::ZERO)?;
        }
        if let Some(elapsed) = self.elapsed {
            elapsed.at_least("elapsed", Span::ZERO)?;
        }
        in_range("gives_up", self.gives_up, 0.0, 1.0)?;
        self.deadline.map_or(Ok(()), |deadline| deadline.at_least("deadline", Span::ZERO))
    }
}

/// A stop rule with its lengths in the scenario's unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub max_attempts: u32,
    elapsed: f64,
    check: Check,
    /// Elapsed time from which on no delay is drawn any more.
    spent: f64,
    pub deadline: f64,
    /// Probability that the caller gives up after any failure.
    pub gives_up: f64,
}

/// What a time limit says of a delay.
pub(crate) enum Timely {
    Wait(f64),
    Exhausted,
    PastDeadline,
}

impl Limits {
    pub fn compile(stop: &Stop, unit: Unit) -> Self {
        let len = |span: Option<Span>| span.map_or(f64::INFINITY, |span| span.in_unit(unit));
        let (elapsed, check) = (len(stop.elapsed), stop.check.unwrap_or_default());
        let spent = match check {
            Check::Before => elapsed,
            Check::Clip => elapsed - stop.least.unwrap_or_default().in_unit(unit),
            Check::WouldExceed => f64::INFINITY,
        };
        Self {
            max_attempts: stop.max_attempts(),
            elapsed,
            check,
            spent,
            deadline: len(stop.deadline),
            gives_up: stop.gives_up,
        }
    }

    /// Whether time never runs out.
    pub const fn is_timeless(&self) -> bool {
        self.elapsed == f64::INFINITY && self.spent == f64::INFINITY && self.deadline == f64::INFINITY
    }

    /// Whether time has run out before a delay is even drawn.
    #[inline]
    pub fn is_spent(&self, elapsed: f64) -> bool {
        elapsed >= self.spent
    }

    /// The delay that time allows.
    #[inline]
    pub fn admit(&self, elapsed: f64, delay: f64) -> Timely {
        let delay = if self.check == Check::Clip { delay.min(self.elapsed - elapsed) } else { delay };
        if self.check == Check::WouldExceed && elapsed + delay > self.elapsed {
            Timely::Exhausted
        } else if elapsed + delay >= self.deadline {
            Timely::PastDeadline
        } else {
            Timely::Wait(delay)
        }
    }
}
