//! The calling side of a run: what every call remembers, and the budgets that calls share.
//!
//! A kernel reports sends, successes and failures; the answer to a failure is a [`Decision`]. Nothing
//! else of a policy is known to a kernel.

use crate::{
    draw::{Draws, Purpose},
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
    memory: Memory,
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

    /// An attempt is sent. All sends of one moment are reported before any answer.
    pub fn on_send(&mut self, call: &Call, now: f64) {
        for (rule, slot) in self.slots(call.client) {
            rule.on_send(&mut self.budgets[slot], call.attempt > 1, now);
        }
    }

    /// The attempt succeeded.
    pub fn on_success(&mut self, call: &Call, now: f64) {
        for (rule, slot) in self.slots(call.client) {
            rule.on_success(&mut self.budgets[slot], call.attempt > 1, now);
        }
    }

    /// The attempt failed; `hint` is the server's Retry-After in units. A retry counts as the next attempt.
    pub fn on_failure<D: Draws>(
        &mut self,
        call: &mut Call,
        now: f64,
        hint: Option<f64>,
        draws: &mut D,
    ) -> Decision {
        let mut granted = true;
        for (rule, slot) in self.slots(call.client) {
            granted &= rule.on_failure(&mut self.budgets[slot], call.attempt > 1, now);
        }
        let elapsed = now - call.first_send;
        let limits = &self.policy.limits;
        if call.attempt >= limits.max_attempts || limits.is_spent(elapsed) {
            return Decision::Exhausted;
        }
        if call.attempt >= MAX_ATTEMPTS {
            self.endless = true;
            return Decision::Exhausted;
        }
        if !granted {
            return Decision::BudgetDenied;
        }
        let mut stream = draws.at(Purpose::Attempt, call.id, call.attempt);
        let Some(delay) = self.policy.delay(call.attempt, hint, &mut call.memory, &mut stream) else {
            return Decision::Exhausted;
        };
        let delay = match limits.admit(elapsed, delay) {
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
