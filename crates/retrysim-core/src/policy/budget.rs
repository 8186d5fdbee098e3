//! Retry budgets: what a caller may spend on retries, beside the limits of each call.
//!
//! A budget has a scope: one for every client, or one for the whole process. It sees every send, every
//! success and every failure, and says of a retry whether it may be made. All budgets of a policy must agree.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// One retry budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Budget {
    /// Tokens that refill and are spent.
    Bucket(Bucket),
    /// A share of the sends in a sliding window.
    Window(Window),
}

/// Tokens between 0 and `size`.
///
/// gRPC throttling (proposal A6) is `size = 10, gate = "above_half", debit = "on_failure",
/// credit = { success = 0.1 }`; a retry token bucket is the default gate and debit with a credit of choice.
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
    #[serde(default = "one")]
    pub cost: f64,
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
}

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

/// Who shares a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every client has its own.
    #[default]
    Client,
    /// All clients share one.
    Process,
}

const fn one() -> f64 {
    1.0
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Budget {
    /// Who shares it.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self {
            Self::Bucket(bucket) => bucket.scope,
            Self::Window(window) => window.scope,
        }
    }

    /// Refuses numbers that are no amounts.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's name.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Bucket(bucket) => {
                in_range("bucket.size", bucket.size, 0.0, f64::MAX)?;
                in_range("bucket.start", bucket.start.unwrap_or(bucket.size), 0.0, bucket.size)?;
                in_range("bucket.cost", bucket.cost, 0.0, f64::MAX)?;
                in_range("bucket.credit.request", bucket.credit.request, 0.0, f64::MAX)?;
                in_range("bucket.credit.first_success", bucket.credit.first_success, 0.0, f64::MAX)?;
                in_range("bucket.credit.retried_success", bucket.credit.retried_success, 0.0, f64::MAX)?;
                in_range("bucket.credit.success", bucket.credit.success, 0.0, f64::MAX)
            }
            Self::Window(window) => {
                in_range("window.ratio", window.ratio, 0.0, f64::MAX)?;
                window.window.at_least("window.window", Span::from_nanos(1))
            }
        }
    }
}

/// What has happened to a budget so far in a run.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Tokens(f64),
    Sends { log: VecDeque<(f64, bool)>, retries: u32 },
}

/// A budget with its lengths in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct BudgetRule {
    budget: Budget,
    window: f64,
    nanosecond: f64,
}

impl BudgetRule {
    pub fn compile(budget: &Budget, unit: Unit) -> Self {
        let window = match budget {
            Budget::Window(window) => window.window.in_unit(unit),
            Budget::Bucket(_) => 0.0,
        };
        Self { budget: budget.clone(), window, nanosecond: 1.0 / unit.nanos() }
    }

    pub const fn scope(&self) -> Scope {
        self.budget.scope()
    }

    pub fn start(&self) -> State {
        match &self.budget {
            Budget::Bucket(bucket) => State::Tokens(bucket.start.unwrap_or(bucket.size)),
            Budget::Window(_) => State::Sends { log: VecDeque::new(), retries: 0 },
        }
    }

    pub fn on_send(&self, state: &mut State, is_retry: bool, now: f64) {
        match (&self.budget, state) {
            (Budget::Bucket(bucket), State::Tokens(tokens)) if !is_retry => {
                *tokens = (*tokens + bucket.credit.request).min(bucket.size);
            }
            (Budget::Window(Window { rule: Rule::AtMost, .. }), state) => log(state, is_retry, now),
            _ => {}
        }
    }

    pub fn on_success(&self, state: &mut State, is_retry: bool, now: f64) {
        match (&self.budget, state) {
            (Budget::Bucket(bucket), State::Tokens(tokens)) => {
                let credit = &bucket.credit;
                let own = if is_retry { credit.retried_success } else { credit.first_success };
                *tokens = (*tokens + credit.success + own).min(bucket.size);
            }
            (Budget::Window(Window { rule: Rule::Below, .. }), state) => log(state, is_retry, now),
            _ => {}
        }
    }

    /// Books a failed attempt and says whether a retry may follow.
    pub fn on_failure(&self, state: &mut State, is_retry: bool, now: f64) -> bool {
        match (&self.budget, state) {
            (Budget::Bucket(bucket), State::Tokens(tokens)) => {
                if bucket.debit == Debit::OnFailure {
                    *tokens = (*tokens - bucket.cost).max(0.0);
                }
                self.is_open(&State::Tokens(*tokens))
            }
            (Budget::Window(window), state) => {
                if window.rule == Rule::Below {
                    log(state, is_retry, now);
                }
                self.forget(state, window.rule, now);
                self.is_open(state)
            }
            (Budget::Bucket(_), State::Sends { .. }) => false,
        }
    }

    /// Takes what a retry costs, once it is certain that it will be made.
    pub fn on_retry(&self, state: &mut State) {
        if let (Budget::Bucket(bucket), State::Tokens(tokens)) = (&self.budget, state)
            && bucket.debit == Debit::OnRetry
        {
            *tokens = (*tokens - bucket.cost).max(0.0);
        }
    }

    /// Whether a retry would be let through now.
    pub fn is_open(&self, state: &State) -> bool {
        match (&self.budget, state) {
            (Budget::Bucket(bucket), State::Tokens(tokens)) => match bucket.gate {
                Gate::Cost => *tokens >= bucket.cost,
                Gate::AboveHalf => *tokens > bucket.size / 2.0,
            },
            (Budget::Window(window), State::Sends { log, retries }) => {
                #[expect(clippy::cast_precision_loss, reason = "a window holds far fewer than 2^53 sends")]
                let allowed = window.ratio * log.len() as f64;
                match window.rule {
                    Rule::AtMost => f64::from(*retries) <= allowed,
                    Rule::Below => f64::from(*retries) < allowed,
                }
            }
            _ => false,
        }
    }

    fn forget(&self, state: &mut State, rule: Rule, now: f64) {
        let State::Sends { log, retries } = state else { return };
        // Under rule A a send exactly one window ago is inside, whatever the rounding of `now - window`.
        let edge = match rule {
            Rule::AtMost => now - self.window - self.nanosecond,
            Rule::Below => now - self.window,
        };
        while let Some((sent, is_retry)) = log.front().copied()
            && sent < edge
        {
            log.pop_front();
            *retries -= u32::from(is_retry);
        }
    }
}

fn log(state: &mut State, is_retry: bool, now: f64) {
    if let State::Sends { log, retries } = state {
        log.push_back((now, is_retry));
        *retries += u32::from(is_retry);
    }
}
