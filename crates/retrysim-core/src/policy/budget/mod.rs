//! Retry budgets: what a caller may spend on retries, beside the limits of each call.
//!
//! A budget has a scope: who shares it. It sees every send, every success and every failure, and says of a
//! retry whether it may be made. All budgets of a policy must agree.

mod bucket;
mod concurrency;
mod deposits;
mod sre;
mod window;

use serde::{Deserialize, Serialize};

pub use self::{
    bucket::{Bucket, Cost, Credit, Debit, Gate},
    concurrency::Concurrency,
    deposits::{Deposit, Deposits, Slots},
    sre::{CountsAt, Gates, Sre},
    window::{Rule, Window},
};
use super::class::Class;
pub use super::scope::Scope;
use crate::{draw::Stream, error::Error, span::Unit};

/// One retry budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Budget {
    /// Tokens that refill and are spent.
    Bucket(Bucket),
    /// A share of the sends in a sliding window.
    Window(Window),
    /// Deposits that expire, and a reserve.
    Deposits(Deposits),
    /// So many retries at once.
    Concurrency(Concurrency),
    /// Requests are held back at random when few are accepted.
    Sre(Sre),
}

impl Budget {
    /// Who shares it.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self {
            Self::Bucket(budget) => budget.scope,
            Self::Window(budget) => budget.scope,
            Self::Deposits(budget) => budget.scope,
            Self::Concurrency(budget) => budget.scope,
            Self::Sre(budget) => budget.scope,
        }
    }

    /// The name of its kind, as in a policy.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Bucket(_) => "bucket",
            Self::Window(_) => "window",
            Self::Deposits(_) => "deposits",
            Self::Concurrency(_) => "concurrency",
            Self::Sre(_) => "sre",
        }
    }

    /// Refuses numbers that are no amounts.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's name.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Bucket(budget) => budget.validate().map_err(|error| error.within("bucket")),
            Self::Window(budget) => budget.validate().map_err(|error| error.within("window")),
            Self::Deposits(budget) => budget.validate().map_err(|error| error.within("deposits")),
            Self::Concurrency(budget) => budget.validate().map_err(|error| error.within("concurrency")),
            Self::Sre(budget) => budget.validate().map_err(|error| error.within("sre")),
        }
    }
}

/// Something that a budget learns of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub now: f64,
    /// The attempt's number, 1 = the first.
    pub attempt: u32,
    /// Why the attempt failed; after a success, why the one before it did.
    pub class: Class,
}

impl Event {
    /// Whether it is about a retry rather than a first attempt.
    pub const fn is_retry(self) -> bool {
        self.attempt > 1
    }
}

/// What a budget says of a retry, or of a send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Granted,
    Denied,
    /// Denied with this probability.
    DeniedWith(f64),
}

impl From<bool> for Verdict {
    fn from(granted: bool) -> Self {
        if granted { Self::Granted } else { Self::Denied }
    }
}

/// The rules of one kind of budget, with its lengths in the scenario's unit.
pub(crate) trait Account {
    /// What has happened so far.
    type State;

    fn start(&self) -> Self::State;

    /// An attempt is sent.
    fn on_send(&self, _: &mut Self::State, _: Event) {}

    /// An attempt succeeded.
    fn on_success(&self, _: &mut Self::State, _: Event) {}

    /// An attempt failed, retried or not.
    fn on_failure(&self, _: &mut Self::State, _: Event) {}

    /// Lets go of what is too old to count, before a retry that no failure comes before.
    fn catch_up(&self, _: &mut Self::State, _: f64) {}

    /// A retry will be made.
    fn on_retry(&self, _: &mut Self::State, _: Event) {}

    /// An attempt that was to be sent is not.
    fn on_unsent(&self, _: &mut Self::State, _: Event) {}

    /// An attempt was sent, and its caller no longer cares how it ends.
    fn on_abandoned(&self, _: &mut Self::State, _: Event) {}

    /// Whether a retry may be made after this failure.
    fn allows(&self, state: &Self::State, failure: Event) -> Verdict;
}

/// The kinds of budgets, each with its state, in one place.
macro_rules! kinds {
    ($($kind:ident: $module:ident),* $(,)?) => {
        /// A budget with its lengths in the scenario's unit.
        #[derive(Clone, Debug)]
        pub(crate) enum BudgetRule {
            $($kind($module::Compiled)),*
        }

        /// What has happened to a budget so far in a run.
        #[derive(Clone, Debug)]
        pub(crate) enum State {
            $($kind(<$module::Compiled as Account>::State)),*
        }

        impl BudgetRule {
            pub fn compile(budget: &Budget, unit: Unit) -> Self {
                match budget {
                    $(Budget::$kind(budget) => Self::$kind($module::Compiled::new(budget, unit))),*
                }
            }

            pub fn start(&self) -> State {
                match self {
                    $(Self::$kind(rule) => State::$kind(rule.start())),*
                }
            }

            #[inline]
            pub fn on_send(&self, state: &mut State, event: Event) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.on_send(state, event),)*
                    _ => {}
                }
            }

            #[inline]
            pub fn on_success(&self, state: &mut State, event: Event) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.on_success(state, event),)*
                    _ => {}
                }
            }

            #[inline]
            pub fn on_failure(&self, state: &mut State, event: Event) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.on_failure(state, event),)*
                    _ => {}
                }
            }

            #[inline]
            pub fn on_retry(&self, state: &mut State, event: Event) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.on_retry(state, event),)*
                    _ => {}
                }
            }

            pub fn catch_up(&self, state: &mut State, now: f64) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.catch_up(state, now),)*
                    _ => {}
                }
            }

            pub fn on_unsent(&self, state: &mut State, event: Event) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.on_unsent(state, event),)*
                    _ => {}
                }
            }

            pub fn on_abandoned(&self, state: &mut State, event: Event) {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.on_abandoned(state, event),)*
                    _ => {}
                }
            }

            #[inline]
            pub fn allows(&self, state: &State, failure: Event) -> Verdict {
                match (self, state) {
                    $((Self::$kind(rule), State::$kind(state)) => rule.allows(state, failure),)*
                    _ => Verdict::Denied,
                }
            }
        }
    };
}

kinds! {
    Bucket: bucket,
    Window: window,
    Deposits: deposits,
    Concurrency: concurrency,
    Sre: sre,
}

impl BudgetRule {
    /// Whether what has happened is kept, as long as a window is.
    pub const fn keeps_log(&self) -> bool {
        matches!(self, Self::Window(_) | Self::Sre(_))
    }

    /// Whether first attempts are held back as well.
    pub const fn acts_on_sends(&self) -> bool {
        matches!(self, Self::Sre(rule) if rule.acts_on_sends())
    }

    /// Whether an attempt may be sent; a refused one is booked.
    pub fn lets_through<S: Stream>(&self, state: &mut State, now: f64, stream: &mut S) -> bool {
        let (Self::Sre(rule), State::Sre(counts)) = (self, state) else { return true };
        if !rule.acts_on_sends() {
            return true;
        }
        rule.catch_up(counts, now);
        let refusal = rule.refusal(counts);
        let refused = refusal > 0.0 && stream.unit() < refusal;
        if refused {
            rule.on_refusal(counts, now);
        }
        !refused
    }

    /// Tokens left, where a budget has tokens.
    pub fn tokens(&self, state: &State, now: f64) -> Option<f64> {
        match (self, state) {
            (Self::Bucket(rule), State::Bucket(state)) => Some(rule.tokens(state, now)),
            _ => None,
        }
    }
}
