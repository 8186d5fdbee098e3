//! A retry policy is data, in slots that may each be empty: the delay, when to stop, what to make of the
//! server's hint, budgets to keep within, a limiter, a breaker, hedging, what is kept between calls, and what
//! is different for some classes of errors.
//!
//! ```
//! use std::time::Duration;
//! use retrysim_core::policy::Policy;
//!
//! let policy = Policy::exponential(Duration::from_millis(100), 2.0)
//!     .cap(Duration::from_secs(10))
//!     .jitter(0.0, 1.0)
//!     .attempts(5);
//! let same: Policy = Policy::from_toml(
//!     r#"
//!     delay = [{ exp = { base = "100ms", factor = 2 } }, { cap = "10s" }, { jitter = [0, 1] }]
//!     stop = { attempts = 5 }
//!     "#,
//! )?;
//! assert_eq!(policy, same);
//! # Ok::<(), retrysim_core::Error>(())
//! ```

pub mod breaker;
pub mod budget;
pub mod class;
pub(crate) mod compiled;
pub mod delay;
pub mod header;
pub mod hedge;
pub mod hint;
pub mod limiter;
pub mod scope;
pub mod stage;
pub mod state;
pub mod stop;

use serde::{Deserialize, Serialize};

pub use self::compiled::Compiled;
use self::{
    breaker::Breaker,
    budget::Budget,
    class::{ByClass, Class},
    hedge::Hedge,
    hint::Hint,
    limiter::Limiter,
    stage::{Exp, Stage, validate_all},
    state::{Anchor, State},
    stop::{Check, Stop},
};
use crate::{
    error::Error,
    limits::{MAX_BUDGETS, at_most},
    span::{Span, Unit},
    text,
};

/// A retry policy, as data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Stages of the delay, in order; none means no delay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delay: Vec<Stage>,
    /// When a call is given up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stop: Stop,
    /// Use of the server's hint; none ignores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// Budgets that must all agree to a retry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budget: Vec<Budget>,
    /// A rate that sends keep to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limiter: Option<Limiter>,
    /// Stops sending after too many failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker: Option<Breaker>,
    /// Copies of attempts that take long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hedge: Option<Hedge>,
    /// Where a delay is measured from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub anchor: Anchor,
    /// What is kept between calls.
    #[serde(default, skip_serializing_if = "is_default")]
    pub state: State,
    /// What is different after some classes of errors.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on: ByClass,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Refuses a delay whose first stage has no value to work on.
fn begins_with_a_source(delay: &[Stage]) -> Result<(), Error> {
    match delay.first() {
        Some(first) if !first.is_source() && !matches!(first, Stage::Uniform(_)) => Err(Error::invalid(
            "delay[0]",
            text::one_line(first),
            "a stage that makes a value (exp, const, linear, poly, fib, list, doublings, prev, polly_v2, uniform)",
        )),
        _ => Ok(()),
    }
}

impl Policy {
    /// Retries at once, for ever.
    #[must_use]
    pub fn immediate() -> Self {
        Self::default()
    }

    /// Never retries.
    #[must_use]
    pub fn never() -> Self {
        Self::default().attempts(1)
    }

    /// Waits the same time before every retry.
    #[must_use]
    pub fn constant(delay: impl Into<Span>) -> Self {
        Self::default().stage(Stage::Const(delay.into()))
    }

    /// Waits `base`, then `factor` times as long each time.
    #[must_use]
    pub fn exponential(base: impl Into<Span>, factor: f64) -> Self {
        Self::default().stage(Stage::Exp(Exp { base: base.into(), factor, shift: 0.0, offset: Span::ZERO }))
    }

    /// Adds a stage at the end of the delay.
    #[must_use]
    pub fn stage(mut self, stage: Stage) -> Self {
        self.delay.push(stage);
        self
    }

    /// Adds [`Stage::Cap`].
    #[must_use]
    pub fn cap(self, cap: impl Into<Span>) -> Self {
        self.stage(Stage::Cap(cap.into()))
    }

    /// Adds [`Stage::Jitter`].
    #[must_use]
    pub fn jitter(self, lo: f64, hi: f64) -> Self {
        self.stage(Stage::Jitter([lo, hi]))
    }

    /// Limits the attempts of a call, the first included.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.stop.attempts = Some(attempts);
        self
    }

    /// Limits the retries of a call.
    #[must_use]
    pub const fn retries(mut self, retries: u32) -> Self {
        self.stop.retries = Some(retries);
        self
    }

    /// Limits the time since the first send of a call, tested as `check` says.
    #[must_use]
    pub fn elapsed(mut self, limit: impl Into<Span>, check: Check) -> Self {
        self.stop.elapsed = Some(limit.into());
        self.stop.check = Some(check);
        self
    }

    /// Lets no retry start this long after the first send.
    #[must_use]
    pub fn deadline(mut self, deadline: impl Into<Span>) -> Self {
        self.stop.deadline = Some(deadline.into());
        self
    }

    /// Sets the use of the server's hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Adds a budget.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget.push(budget);
        self
    }

    /// The policy as TOML for readers: a line a slot, and a line a stage where there are several.
    ///
    /// # Errors
    /// [`Error::Shape`] for a number that TOML can't hold, which no valid policy has.
    pub fn to_toml(&self) -> Result<String, Error> {
        let slots = text::table(self)?;
        let line = |(slot, value): (&String, &toml::Value)| match value {
            toml::Value::Array(parts) if parts.len() > 1 => {
                let parts: String = parts.iter().map(|part| format!("    {part},\n")).collect();
                format!("{slot} = [\n{parts}]\n")
            }
            value => format!("{slot} = {value}\n"),
        };
        Ok(slots.iter().map(line).collect())
    }

    /// Refuses numbers that are no policy: negative, NaN, infinite, contradictory.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's path below the policy.
    pub fn validate(&self) -> Result<(), Error> {
        begins_with_a_source(&self.delay)?;
        validate_all(&self.delay, "delay")?;
        self.stop.validate().map_err(|error| error.within("stop"))?;
        if let Some(hint) = &self.hint {
            hint.validate().map_err(|error| error.within("hint"))?;
        }
        at_most("budget", self.budget.len(), MAX_BUDGETS)?;
        for (i, budget) in self.budget.iter().enumerate() {
            budget.validate().map_err(|error| error.within(&format!("budget[{i}]")))?;
        }
        if let Some(limiter) = &self.limiter {
            limiter.validate().map_err(|error| error.within("limiter"))?;
        }
        if let Some(breaker) = &self.breaker {
            breaker.validate().map_err(|error| error.within("breaker"))?;
        }
        if let Some(hedge) = &self.hedge {
            hedge.validate().map_err(|error| error.within("hedge"))?;
        }
        self.anchor.validate().map_err(|error| error.within("anchor"))?;
        self.state.validate().map_err(|error| error.within("state"))?;
        self.on.validate().map_err(|error| error.within("on"))
    }

    /// Attempts of one call at the most, whatever the errors.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        let of =
            |class| self.on.of(class).and_then(|own| own.stop.as_ref()).unwrap_or(&self.stop).max_attempts();
        Class::ALL.into_iter().map(of).max().unwrap_or(u32::MAX)
    }

    /// The policy with every length in `unit`, ready to be run.
    #[must_use]
    pub fn compile(&self, unit: Unit) -> Compiled {
        Compiled::new(self, unit)
    }
}
