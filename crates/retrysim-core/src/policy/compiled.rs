//! A policy, compiled for one unit of time.

use super::{
    Policy,
    breaker::BreakerRule,
    budget::{Budget, BudgetRule, Scope},
    class::Class,
    delay::{Delay, Memory},
    hedge::HedgeRule,
    hint::{Hint, HintRule},
    limiter::LimiterRule,
    stage::Stage,
    state::{From, Rng},
    stop::{Limits, Stop},
};
use crate::{
    draw::{Fixed, Stream},
    span::Unit,
};

/// A policy compiled for one unit of time.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) own: Rules,
    /// What is followed instead after a class of errors.
    on: [Option<Box<Rules>>; 3],
    pub(crate) budgets: Vec<(Scope, BudgetRule)>,
    pub(crate) limiter: Option<LimiterRule>,
    pub(crate) breaker: Option<BreakerRule>,
    pub(crate) hedge: Option<HedgeRule>,
    pub(crate) state: StateRule,
    pub(crate) anchor: From,
    /// An attempt's timeout is its delay, at least this.
    min_timeout: Option<f64>,
    draws: bool,
    is_columnar: bool,
    pub(crate) looks_back: bool,
    /// Whether calls share anything, or remember more than their last delay.
    keeps_books: bool,
    acts_on_sends: bool,
}

/// The rules that a class of errors may have of its own.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub retries: bool,
    pub delay: Delay,
    pub limits: Limits,
    pub hint: Option<HintRule>,
}

/// What is kept between calls, in the scenario's unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateRule {
    pub scope: Scope,
    pub reset_after: f64,
    pub rng: Rng,
}

impl Rules {
    fn compile(delay: &[Stage], stop: &Stop, hint: Option<&Hint>, unit: Unit) -> Self {
        let delay = Delay::compile(delay, unit);
        let mut limits = Limits::compile(stop, unit);
        if stop.at_cap {
            limits.max_attempts = limits.max_attempts.min(delay.retries_below_cap().saturating_add(1));
        }
        Self { retries: true, delay, limits, hint: hint.map(|hint| HintRule::compile(hint, unit)) }
    }

    fn draws(&self) -> bool {
        self.delay.draws() || self.limits.gives_up > 0.0 || self.hint.as_ref().is_some_and(HintRule::draws)
    }

    /// The delay before retry `n` after `class`; `None` if the hint, or that there is none, gives the call up.
    #[inline(always)]
    pub fn delay<S: Stream>(
        &self,
        n: u32,
        class: Class,
        hint: Option<f64>,
        memory: &mut Memory,
        stream: &mut S,
    ) -> Option<f64> {
        let delay = match &self.hint {
            None => self.delay.before_retry(n, memory, stream),
            Some(rule) => match rule.heeds(hint, class) {
                Some(hint) => rule.delay(hint, &self.delay, n, memory, stream)?,
                None if rule.required => return None,
                None => self.delay.before_retry(n, memory, stream),
            },
        };
        memory.previous = self.delay.bounded(delay);
        Some(memory.previous)
    }
}

impl Compiled {
    pub(super) fn new(policy: &Policy, unit: Unit) -> Self {
        let own = Rules::compile(&policy.delay, &policy.stop, policy.hint.as_ref(), unit);
        let on = Class::ALL.map(|class| {
            let other = policy.on.of(class)?;
            let mut rules = Rules::compile(
                other.delay.as_ref().unwrap_or(&policy.delay),
                other.stop.as_ref().unwrap_or(&policy.stop),
                other.hint.as_ref().or(policy.hint.as_ref()),
                unit,
            );
            rules.retries = other.retry.unwrap_or(true);
            Some(Box::new(rules))
        });
        let budgets: Vec<_> = policy
            .budget
            .iter()
            .map(|budget: &Budget| (budget.scope(), BudgetRule::compile(budget, unit)))
            .collect();
        let limiter = policy.limiter.as_ref().map(|limiter| LimiterRule::compile(limiter, unit));
        let breaker = policy.breaker.as_ref().map(|breaker| BreakerRule::compile(breaker, unit));
        let state = StateRule {
            scope: policy.state.scope,
            reset_after: policy.state.reset_after.map_or(f64::INFINITY, |span| span.in_unit(unit)),
            rng: policy.state.rng,
        };
        let is_plain = on.iter().all(Option::is_none)
            && own.hint.as_ref().is_none_or(HintRule::is_plain)
            && own.limits.gives_up <= 0.0
            && state.rng == Rng::Draw
            && !state.is_kept(&own)
            && policy.anchor.from == From::Failure;
        Self {
            draws: own.draws() || on.iter().flatten().any(|rules| rules.draws()),
            is_columnar: own.delay.is_columnar(),
            looks_back: own.delay.looks_back(),
            keeps_books: !is_plain || !budgets.is_empty() || limiter.is_some() || breaker.is_some(),
            acts_on_sends: breaker.is_some()
                || limiter.as_ref().is_some_and(LimiterRule::acts_on_sends)
                || budgets.iter().any(|(_, budget)| budget.acts_on_sends()),
            own,
            on,
            budgets,
            limiter,
            breaker,
            hedge: policy.hedge.as_ref().map(|hedge| HedgeRule::compile(hedge, unit)),
            state,
            anchor: policy.anchor.from,
            min_timeout: policy.anchor.min_timeout.map(|timeout| timeout.in_unit(unit)),
        }
    }

    /// Whether sends and answers need to be reported in order: calls share something, or remember more than
    /// their last delay.
    #[must_use]
    pub const fn keeps_books(&self) -> bool {
        self.keeps_books
    }

    /// How many things are kept in mind for each failure, until a window has passed or for ever.
    pub(crate) fn keeps_in_mind(&self) -> u64 {
        let logs = self.budgets.iter().filter(|(_, budget)| budget.keeps_log()).count() as u64;
        logs + u64::from(self.breaker.is_some()) + if self.state.rng == Rng::Draw { 0 } else { 4 }
    }

    /// Whether a send may have to wait, or be refused by its own side: [`crate::callers::Callers::ask`] must be
    /// asked.
    #[must_use]
    pub const fn acts_on_sends(&self) -> bool {
        self.acts_on_sends
    }

    /// Copies of attempts that take long.
    #[must_use]
    pub const fn hedge(&self) -> Option<HedgeRule> {
        self.hedge
    }

    /// The least timeout of an attempt, whose timeout is its delay otherwise; `None` leaves timeouts to the service.
    #[must_use]
    pub const fn min_timeout(&self) -> Option<f64> {
        self.min_timeout
    }

    /// Whether a delay may need a random number.
    #[must_use]
    pub const fn draws(&self) -> bool {
        self.draws
    }

    /// Whether the delays after answers with `hint` can be computed in columns.
    pub(crate) const fn is_columnar(&self, hint: Option<f64>) -> bool {
        (hint.is_none() || self.own.hint.is_none()) && self.is_columnar
    }

    /// Whether nothing but the number of attempts and the draws of a call decides on its retries.
    pub(crate) const fn is_simple(&self) -> bool {
        !self.keeps_books && self.own.hint.is_none() && self.own.limits.is_timeless()
    }

    /// The rules after `class`.
    #[inline]
    pub(crate) fn after(&self, class: Class) -> &Rules {
        self.on[class as usize].as_deref().unwrap_or(&self.own)
    }

    /// What a new call remembers.
    #[must_use]
    pub const fn memory(&self) -> Memory {
        self.own.delay.memory()
    }

    /// The delay before retry `n` (1 = the first), in the compiled unit; a server that gives a `hint` throttles.
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
        let rules = if hint.is_some() { self.after(Class::Throttle) } else { &self.own };
        rules.delay(n, Class::Throttle, hint, memory, stream)
    }

    /// The delays before retries `1..=retries` with every draw fixed at `u`; they end where the hint makes the
    /// policy give up.
    #[must_use]
    pub fn fixed_delays(&self, retries: u32, hint: Option<f64>, u: f64) -> Vec<f64> {
        let mut memory = self.memory();
        (1..=retries).map_while(|n| self.delay(n, hint, &mut memory, &mut Fixed(u))).collect()
    }
}

impl StateRule {
    /// Whether the count of retries is more than the call's own attempts.
    pub fn is_kept(&self, own: &Rules) -> bool {
        self.scope != Scope::Call
            || self.reset_after.is_finite()
            || own.hint.as_ref().is_some_and(|hint| hint.resets_backoff)
    }
}
