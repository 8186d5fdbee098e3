//! A retry policy is data: how long to wait, when to stop, what to make of the server's hint, and which
//! budgets to keep within.
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

pub mod budget;
pub mod delay;
pub mod hint;
pub mod stage;
pub mod stop;

use serde::{Deserialize, Serialize};

use self::{
    budget::{Budget, BudgetRule},
    delay::{Delay, Memory},
    hint::{Hint, HintRule},
    stage::{Exp, Stage, validate_all},
    stop::{Check, Limits, Stop},
};
use crate::{
    draw::{Fixed, Stream},
    error::Error,
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
}

fn is_default(stop: &Stop) -> bool {
    *stop == Stop::default()
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

    /// Reads a policy from TOML and validates it.
    ///
    /// # Errors
    /// [`Error::Shape`] for text of another shape, [`Error::Invalid`] for a value out of range.
    pub fn from_toml(toml: &str) -> Result<Self, Error> {
        let policy: Self = text::read(text::parse(toml)?)?;
        policy.validate()?;
        Ok(policy)
    }

    /// Refuses numbers that are no policy: negative, NaN, infinite, contradictory.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's path below the policy.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(first) = self.delay.first()
            && !first.is_source()
            && !matches!(first, Stage::Uniform(_))
        {
            return Err(Error::invalid(
                "delay[0]",
                text::one_line(first),
                "a stage that makes a value (exp, const, linear, poly, fib, list, doublings, prev, polly_v2, uniform)",
            ));
        }
        validate_all(&self.delay, "delay")?;
        self.stop.validate().map_err(|error| error.within("stop"))?;
        if let Some(hint) = &self.hint {
            hint.validate().map_err(|error| error.within("hint"))?;
        }
        self.budget.iter().enumerate().try_for_each(|(i, budget)| {
            budget.validate().map_err(|error| error.within(&format!("budget[{i}]")))
        })
    }

    /// The policy with every length in `unit`, ready to be run.
    #[must_use]
    pub fn compile(&self, unit: Unit) -> Compiled {
        let delay = Delay::compile(&self.delay, unit);
        let hint = self.hint.as_ref().map(|hint| HintRule::compile(hint, unit));
        Compiled {
            draws: delay.draws() || hint.as_ref().is_some_and(HintRule::draws),
            is_columnar: delay.is_columnar(),
            looks_back: delay.looks_back(),
            delay,
            limits: Limits::compile(&self.stop, unit),
            hint,
            budgets: self.budget.iter().map(|budget| BudgetRule::compile(budget, unit)).collect(),
        }
    }
}

/// A policy compiled for one unit of time.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) delay: Delay,
    pub(crate) limits: Limits,
    pub(crate) hint: Option<HintRule>,
    pub(crate) budgets: Vec<BudgetRule>,
    draws: bool,
    is_columnar: bool,
    pub(crate) looks_back: bool,
}

impl Compiled {
    /// Whether sends need to be reported to budgets at all.
    #[must_use]
    pub const fn has_budgets(&self) -> bool {
        !self.budgets.is_empty()
    }

    /// Whether a delay may need a random number.
    #[must_use]
    pub const fn draws(&self) -> bool {
        self.draws
    }

    /// Whether the delays after answers with `hint` can be computed in columns.
    pub(crate) const fn is_columnar(&self, hint: Option<f64>) -> bool {
        (hint.is_none() || self.hint.is_none()) && self.is_columnar
    }

    /// What a new call remembers.
    #[must_use]
    pub const fn memory(&self) -> Memory {
        self.delay.memory()
    }

    /// The delay before retry `n` (1 = the first), in the compiled unit; `hint` is what the server said.
    ///
    /// `None` if the hint makes the policy give up. The delay is remembered as the previous one.
    #[inline(always)]
    pub fn delay<S: Stream>(
        &self,
        n: u32,
        hint: Option<f64>,
        memory: &mut Memory,
        stream: &mut S,
    ) -> Option<f64> {
        let delay = self.delay.bounded(match (hint, &self.hint) {
            (Some(hint), Some(rule)) => rule.delay(hint, &self.delay, n, memory, stream)?,
            _ => self.delay.before_retry(n, memory, stream),
        });
        memory.previous = delay;
        Some(delay)
    }

    /// The delays before retries `1..=retries` with every draw fixed at `u`; they end where the hint makes the
    /// policy give up.
    #[must_use]
    pub fn fixed_delays(&self, retries: u32, hint: Option<f64>, u: f64) -> Vec<f64> {
        let mut memory = self.memory();
        (1..=retries).map_while(|n| self.delay(n, hint, &mut memory, &mut Fixed(u))).collect()
    }
}
