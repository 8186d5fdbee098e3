//! A bucket of tokens.

use serde::{Deserialize, Serialize};

use super::{Account, Class, Event, Scope, Verdict};
use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// Tokens between 0 and `size`.
///
/// gRPC throttling (proposal A6) is `size = 10, gate = "above_half", debit = "on_failure",
/// credit = { success = 0.1 }`; the retry quota of the AWS SDKs is `size = 500,
/// cost = { default = 14, throttle = 5 }, credit = { first_success = 1, refund = true }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bucket {
    /// Tokens at the most.
    pub size: f64,
    /// Tokens at the start; full unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// When a retry may be made.
    #[serde(default)]
    pub gate: Gate,
    /// When tokens are taken.
    #[serde(default)]
    pub debit: Debit,
    /// Tokens taken at a time.
    #[serde(default)]
    pub cost: Cost,
    /// When tokens come back.
    #[serde(default)]
    pub credit: Credit,
    /// Who shares the tokens.
    #[serde(default)]
    pub scope: Scope,
}

/// When a bucket lets a retry through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// While `tokens >= cost`.
    #[default]
    Cost,
    /// While `tokens > size / 2`.
    AboveHalf,
}

/// When a bucket takes tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Debit {
    /// For every retry that is made.
    #[default]
    OnRetry,
    /// For every failed attempt, retried or not.
    OnFailure,
}

/// Tokens taken at a time: one number, or one for each class of errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a number, or a table with default, throttle, timeout and error")]
pub enum Cost {
    /// The same for every class.
    Same(f64),
    /// By class of the error.
    ByClass(CostByClass),
}

/// Tokens taken at a time, by class of the error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostByClass {
    /// For a class that isn't named.
    pub default: f64,
    /// After [`Class::Throttle`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<f64>,
    /// After [`Class::Timeout`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// After [`Class::Error`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

impl Default for Cost {
    fn default() -> Self {
        Self::Same(1.0)
    }
}

impl From<f64> for Cost {
    fn from(cost: f64) -> Self {
        Self::Same(cost)
    }
}

impl Cost {
    /// Tokens after `class`.
    #[must_use]
    pub fn after(&self, class: Class) -> f64 {
        match self {
            Self::Same(cost) => *cost,
            Self::ByClass(cost) => match class {
                Class::Throttle => cost.throttle,
                Class::Timeout => cost.timeout,
                Class::Error => cost.error,
            }
            .unwrap_or(cost.default),
        }
    }

    fn validate(&self) -> Result<(), Error> {
        let Self::ByClass(cost) = self else {
            return in_range("cost", self.after(Class::Error), 0.0, f64::MAX);
        };
        in_range("cost.default", cost.default, 0.0, f64::MAX)?;
        Class::ALL.into_iter().try_for_each(|class| {
            in_range(&format!("cost.{}", class.name()), self.after(class), 0.0, f64::MAX)
        })
    }
}

/// Tokens that come back; each rule is 0 unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credit {
    /// At each new call, before its first attempt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub request: f64,
    /// When the first attempt of a call succeeds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first_success: f64,
    /// When a later attempt of a call succeeds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retried_success: f64,
    /// At any success.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub success: f64,
    /// When a later attempt of a call succeeds: what its last retry has cost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refund: bool,
    /// In every second.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub per_s: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Bucket {
    pub(super) fn validate(&self) -> Result<(), Error> {
        in_range("size", self.size, 0.0, f64::MAX)?;
        in_range("start", self.start.unwrap_or(self.size), 0.0, self.size)?;
        self.cost.validate()?;
        in_range("credit.request", self.credit.request, 0.0, f64::MAX)?;
        in_range("credit.first_success", self.credit.first_success, 0.0, f64::MAX)?;
        in_range("credit.retried_success", self.credit.retried_success, 0.0, f64::MAX)?;
        in_range("credit.success", self.credit.success, 0.0, f64::MAX)?;
        in_range("credit.per_s", self.credit.per_s, 0.0, f64::MAX)
    }
}

/// A [`Bucket`] in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    size: f64,
    start: f64,
    /// Tokens by class of the error.
    costs: [f64; 3],
    gate: Gate,
    debit: Debit,
    credit: Credit,
    per_unit: f64,
}

/// Tokens, and when they were counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens {
    tokens: f64,
    at: f64,
}

impl Compiled {
    pub fn new(bucket: &Bucket, unit: Unit) -> Self {
        Self {
            size: bucket.size,
            start: bucket.start.unwrap_or(bucket.size),
            costs: Class::ALL.map(|class| bucket.cost.after(class)),
            gate: bucket.gate,
            debit: bucket.debit,
            credit: bucket.credit,
            per_unit: bucket.credit.per_s / Span::from_secs(1).in_unit(unit),
        }
    }

    /// Tokens at `now`.
    #[inline]
    pub fn tokens(&self, state: &Tokens, now: f64) -> f64 {
        if self.per_unit > 0.0 {
            (state.tokens + self.per_unit * (now - state.at)).min(self.size)
        } else {
            state.tokens
        }
    }

    #[inline]
    fn change(&self, state: &mut Tokens, now: f64, by: f64) {
        let tokens = (self.tokens(state, now) + by).clamp(0.0, self.size);
        *state = Tokens { tokens, at: now };
    }

    #[inline]
    const fn cost(&self, class: Class) -> f64 {
        self.costs[class as usize]
    }
}

impl Account for Compiled {
    type State = Tokens;

    fn start(&self) -> Tokens {
        Tokens { tokens: self.start, at: 0.0 }
    }

    #[inline]
    fn on_send(&self, state: &mut Tokens, event: Event) {
        if !event.is_retry() {
            self.change(state, event.now, self.credit.request);
        }
    }

    #[inline]
    fn on_success(&self, state: &mut Tokens, event: Event) {
        let Credit { first_success, retried_success, success, refund, .. } = self.credit;
        let own = match event.is_retry() {
            false => first_success,
            true if refund => retried_success + self.cost(event.class),
            true => retried_success,
        };
        self.change(state, event.now, success + own);
    }

    #[inline]
    fn on_failure(&self, state: &mut Tokens, event: Event) {
        if self.debit == Debit::OnFailure {
            self.change(state, event.now, -self.cost(event.class));
        }
    }

    #[inline]
    fn on_retry(&self, state: &mut Tokens, event: Event) {
        if self.debit == Debit::OnRetry {
            self.change(state, event.now, -self.cost(event.class));
        }
    }

    #[inline]
    fn allows(&self, state: &Tokens, failure: Event) -> Verdict {
        let tokens = self.tokens(state, failure.now);
        match self.gate {
            Gate::Cost => tokens >= self.cost(failure.class),
            Gate::AboveHalf => tokens > self.size / 2.0,
        }
        .into()
    }
}
