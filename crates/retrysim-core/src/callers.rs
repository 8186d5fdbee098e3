//! The calling side of a run: what every call remembers, and the budgets that calls share.
//!
//! A kernel reports sends, successes and failures; the answer to a failure is a [`Decision`]. Nothing
//! else of a policy is known to a kernel.

use crate::{
    draw::Stream,
    policy::{
        Compiled,
        budget::{Scope, State},
        delay::Memory,
        stop::Timely,
    },
};

/// No call makes more attempts than this; a policy that would is reported as endless.
pub const MAX_ATTEMPTS: u32 = 1_000_000;

/// A call on its way: what the user wanted once, however many attempts it takes.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Number of the call in its run.
    pub id: u32,
    /// The client that makes it.
    pub client: u32,
    /// Attempts so far; the one under way is included.
    pub attempt: u32,
    /// When the first attempt was sent.
    pub first_send: f64,
    pub(crate) memory: Memory,
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Another attempt after this delay, in units of the scenario.
    Retry(f64),
    /// Attempts or time are used up.
    Exhausted,
    /// A budget refused.
    BudgetDenied,
    /// The retry would start at the deadline or later.
    PastDeadline,
}

/// All callers of one run.
#[derive(Debug)]
pub struct Callers<'p> {
    policy: &'p Compiled,
    budgets: Vec<State>,
    endless: bool,
}

impl<'p> Callers<'p> {
    /// Callers that have done nothing yet.
    #[must_use]
    pub fn new(policy: &'p Compiled, clients: u32) -> Self {
        let owners =
            if policy.budgets.iter().any(|rule| rule.scope() == Scope::Client) { clients } else { 1 };
        let budgets = if policy.budgets.is_empty() {
            Vec::new()
        } else {
            (0..owners)
                .flat_map(|_| policy.budgets.iter().map(crate::policy::budget::BudgetRule::start))
                .collect()
        };
        Self { policy, budgets, endless: false }
    }

    /// A call that is about to be sent for the first time.
    #[must_use]
    pub const fn call(&self, id: u32, client: u32, first_send: f64) -> Call {
        Call { id, client, attempt: 1, first_send, memory: self.policy.memory() }
    }

    /// Whether some call ran into [`MAX_ATTEMPTS`].
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        self.endless
    }

    /// The policy that all of them follow.
    pub(crate) const fn policy(&self) -> &'p Compiled {
        self.policy
    }

    /// An attempt is sent. All sends of one moment are reported before any answer.
    #[inline]
    pub fn on_send(&mut self, call: &Call, now: f64) {
        for (rule, slot) in self.slots(call.client) {
            rule.on_send(&mut self.budgets[slot], call.attempt > 1, now);
        }
    }

    /// The attempt succeeded.
    #[inline]
    pub fn on_success(&mut self, call: &Call, now: f64) {
        for (rule, slot) in self.slots(call.client) {
            rule.on_success(&mut self.budgets[slot], call.attempt > 1, now);
        }
    }

    /// The attempt failed; `hint` is the server's Retry-After in units, `stream` the attempt's own. A retry counts
    /// as the next attempt.
    #[inline(always)]
    pub fn on_failure<S: Stream>(
        &mut self,
        call: &mut Call,
        now: f64,
        hint: Option<f64>,
        stream: &mut S,
    ) -> Decision {
        let mut granted = true;
        for (rule, slot) in self.slots(call.client) {
            granted &= rule.on_failure(&mut self.budgets[slot], call.attempt > 1, now);
        }
        if self.is_spent(call, now) {
            return Decision::Exhausted;
        }
        if !granted {
            return Decision::BudgetDenied;
        }
        match self.policy.delay(call.attempt, hint, &mut call.memory, stream) {
            Some(delay) => self.admit(call, now, delay),
            None => Decision::Exhausted,
        }
    }

    /// Whether a failed call has used up its attempts or its time.
    #[inline]
    pub(crate) fn is_spent(&mut self, call: &Call, now: f64) -> bool {
        let limits = &self.policy.limits;
        if call.attempt >= limits.max_attempts || limits.is_spent(now - call.first_send) {
            return true;
        }
        self.endless |= call.attempt >= MAX_ATTEMPTS;
        call.attempt >= MAX_ATTEMPTS
    }

    /// Makes the retry after `delay` if time allows it.
    #[inline]
    pub(crate) fn admit(&mut self, call: &mut Call, now: f64, delay: f64) -> Decision {
        let delay = match self.policy.limits.admit(now - call.first_send, delay) {
            Timely::Wait(delay) => delay,
            Timely::Exhausted => return Decision::Exhausted,
            Timely::PastDeadline => return Decision::PastDeadline,
        };
        for (rule, slot) in self.slots(call.client) {
            rule.on_retry(&mut self.budgets[slot]);
        }
        call.attempt += 1;
        Decision::Retry(delay)
    }

    /// Tokens of the client's first bucket, and whether all its budgets would let a retry through.
    #[must_use]
    pub fn level(&self, client: u32) -> Option<(f64, bool)> {
        let mut tokens = None;
        let mut open = true;
        for (rule, slot) in self.slots(client) {
            if let State::Tokens(level) = &self.budgets[slot] {
                tokens = tokens.or(Some(*level));
            }
            open &= rule.is_open(&self.budgets[slot]);
        }
        tokens.map(|tokens| (tokens, open))
    }

    /// The policy's budgets with the place of the state that `client` uses.
    #[inline]
    fn slots(
        &self,
        client: u32,
    ) -> impl Iterator<Item = (&'p crate::policy::budget::BudgetRule, usize)> + use<'p> {
        let per_client = self.policy.budgets.len();
        self.policy.budgets.iter().enumerate().map(move |(i, rule)| match rule.scope() {
            Scope::Client => (rule, client as usize * per_client + i),
            Scope::Process => (rule, i),
        })
    }
}
