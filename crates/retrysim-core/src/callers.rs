//! The calling side of a run: what every call remembers, and the budgets that calls share.
//!
//! A kernel reports sends, successes and failures; the answer to a failure is a [`Decision`]. Nothing
//! else of a policy is known to a kernel.

use crate::{
    draw::{Replay, Stream},
    limits::MAX_STEPS,
    policy::{
        Compiled,
        breaker::{BreakerRule, Circuit, Refused},
        budget::{Event, State, Verdict},
        class::Class,
        compiled::Rules,
        delay::Memory,
        limiter::{LimiterRule, Rate},
        scope::{Ledger, Population, Scope},
        state::{From, Rng},
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
    /// Why the last attempt failed.
    pub class: Class,
    /// Whether the attempt has been let through, after a wait.
    is_let_through: bool,
    /// The turn of the breaker that has let it through.
    turn: u32,
    /// When the first attempt was sent.
    pub first_send: f64,
    pub(crate) memory: Memory,
}

/// A failed attempt, as its caller sees it.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Why.
    pub class: Class,
    /// The server's Retry-After, in units of the scenario.
    pub hint: Option<f64>,
    /// When the attempt was sent.
    pub sent: f64,
}

/// What a caller's own side says of an attempt that is about to be sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sending {
    /// It may be sent.
    Now,
    /// Not before then; ask again.
    At(f64),
    /// It is not sent: a breaker is open, or it was held back. This follows.
    Not(Decision),
}

/// Whether a caller's own side lets an attempt through.
enum Gate {
    /// From then on.
    Opens(f64),
    /// No; this becomes of the call.
    Shut(Refused),
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Another attempt after this delay, in units of the scenario.
    Retry(f64),
    /// Attempts, time or patience are used up.
    Exhausted,
    /// A budget refused.
    BudgetDenied,
    /// The retry would start at the deadline or later.
    PastDeadline,
    /// Errors of its class are not retried.
    NotRetried,
    /// A breaker or a throttle of the caller's own refused to send it.
    Refused,
}

/// All callers of one run.
#[derive(Debug)]
pub struct Callers<'p> {
    policy: &'p Compiled,
    budgets: Vec<Ledger<State>>,
    limiter: Option<Ledger<Rate>>,
    breaker: Option<Ledger<Circuit>>,
    /// Counts of retries, if they are more than a call's own attempts.
    backoffs: Option<Ledger<Backoff>>,
    /// Random numbers that the calls of a process share, by retry.
    shared: Option<Ledger<Vec<Vec<f64>>>>,
    /// Failures and waits that may still come.
    steps: u64,
    /// What one of them counts.
    step: u64,
    endless: bool,
}

/// Where the delays of a caller have got to.
#[derive(Clone, Copy, Debug)]
struct Backoff {
    /// Retries since it was set back.
    retries: u32,
    memory: Memory,
    last_failure: f64,
}

impl<'p> Callers<'p> {
    /// Callers that have done nothing yet.
    #[must_use]
    pub fn new(policy: &'p Compiled, population: Population) -> Self {
        let state = policy.state;
        let backoff = Backoff { retries: 0, memory: policy.memory(), last_failure: f64::NEG_INFINITY };
        Self {
            policy,
            budgets: policy
                .budgets
                .iter()
                .map(|(scope, rule)| Ledger::new(*scope, population, rule.start()))
                .collect(),
            limiter: policy.limiter.as_ref().map(|rule| Ledger::new(rule.scope(), population, rule.start())),
            breaker: policy.breaker.as_ref().map(|rule| Ledger::new(rule.scope, population, rule.start())),
            backoffs: state.is_kept(&policy.own).then(|| Ledger::new(state.scope, population, backoff)),
            shared: (state.rng != Rng::Draw).then(|| Ledger::new(Scope::Process, population, Vec::new())),
            steps: MAX_STEPS,
            step: 1 + policy.keeps_in_mind(),
            endless: false,
        }
    }

    /// A call that is about to be sent for the first time.
    #[must_use]
    pub const fn call(&self, id: u32, client: u32, first_send: f64) -> Call {
        let memory = self.policy.memory();
        Call {
            id,
            client,
            attempt: 1,
            class: Class::Error,
            is_let_through: false,
            turn: 0,
            first_send,
            memory,
        }
    }

    /// Whether some call ran into [`MAX_ATTEMPTS`], or all of them into [`MAX_STEPS`].
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        self.endless
    }

    /// The policy that all of them follow.
    pub(crate) const fn policy(&self) -> &'p Compiled {
        self.policy
    }

    /// Whether an attempt may be sent: first attempts are asked as well, if [`Compiled::acts_on_sends`].
    pub fn ask<S: Stream>(&mut self, call: &mut Call, now: f64, stream: &mut S) -> Sending {
        if call.is_let_through {
            return Sending::Now;
        }
        if self.is_too_long() {
            self.forget(call);
            return Sending::Not(Decision::Exhausted);
        }
        match self.gate(call, now, stream) {
            Gate::Opens(at) if at > now => {
                call.is_let_through = self.policy.limiter.as_ref().is_some_and(LimiterRule::reserves);
                Sending::At(at)
            }
            Gate::Opens(_) => Sending::Now,
            Gate::Shut(then) => Sending::Not(self.refuse(call, now, then, stream)),
        }
    }

    /// The throttles, then the breaker, then the limiter: who refuses comes before who has counted a send.
    fn gate<S: Stream>(&mut self, call: &mut Call, now: f64, stream: &mut S) -> Gate {
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            if !rule.lets_through(ledger.of(call.id, call.client), now, stream) {
                return Gate::Shut(Refused::Fail);
            }
        }
        if let (Some(rule), Some(breaker)) = (&self.policy.breaker, &mut self.breaker) {
            match rule.lets_through(breaker.of(call.id, call.client), now, stream) {
                Some(turn) => call.turn = turn,
                None => return Gate::Shut(rule.refused),
            }
        }
        match (&self.policy.limiter, &mut self.limiter) {
            (Some(rule), Some(limiter)) if rule.acts_on_sends() => {
                Gate::Opens(rule.take(limiter.of(call.id, call.client), now))
            }
            _ => Gate::Opens(now),
        }
    }

    /// An attempt is sent. All sends of one moment are reported before any answer.
    #[inline]
    pub fn on_send(&mut self, call: &Call, now: f64) {
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            rule.on_send(ledger.of(call.id, call.client), event(call, now));
        }
    }

    /// The attempt succeeded.
    #[inline]
    pub fn on_success(&mut self, call: &Call, now: f64) {
        if self.policy.keeps_books() {
            for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
                rule.on_success(ledger.of(call.id, call.client), event(call, now));
            }
            self.on_answer(call, now, None);
            self.forget(call);
        }
    }

    /// The attempt failed; `stream` is the attempt's own. A retry counts as the next attempt.
    #[inline(always)]
    pub fn on_failure<S: Stream>(
        &mut self,
        call: &mut Call,
        now: f64,
        failure: Failure,
        stream: &mut S,
    ) -> Decision {
        if !self.policy.keeps_books() {
            return self.decide_alone(call, now, failure, stream);
        }
        let granted = self.book_failure(call, now, failure.class, stream);
        self.conclude(call, now, failure, granted, stream)
    }

    /// What follows when the last hope of a call has failed: its failure is booked already, and `granted` says what
    /// the budgets make of a retry.
    pub fn conclude<S: Stream>(
        &mut self,
        call: &mut Call,
        now: f64,
        failure: Failure,
        granted: bool,
        stream: &mut S,
    ) -> Decision {
        let decision = self.decide(call, now, failure, granted, stream);
        if !matches!(decision, Decision::Retry(_)) {
            self.forget(call);
        }
        decision
    }

    /// What follows where a call shares nothing and nothing depends on the class of the error.
    #[inline(always)]
    fn decide_alone<S: Stream>(
        &mut self,
        call: &mut Call,
        now: f64,
        failure: Failure,
        stream: &mut S,
    ) -> Decision {
        if self.is_spent(call, now) {
            return Decision::Exhausted;
        }
        let rules = &self.policy.own;
        match rules.delay(call.attempt, failure.class, failure.hint, &mut call.memory, stream) {
            Some(delay) => self.admit(call, now, delay),
            None => Decision::Exhausted,
        }
    }

    /// An attempt has failed, which need not be the last hope of its call: books it, and says whether the budgets
    /// would grant a retry.
    pub fn book_failure<S: Stream>(
        &mut self,
        call: &mut Call,
        now: f64,
        class: Class,
        stream: &mut S,
    ) -> bool {
        call.class = class;
        let failure = event(call, now);
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            rule.on_failure(ledger.of(call.id, call.client), failure);
        }
        self.on_answer(call, now, Some(class));
        self.grants(call, now, stream)
    }

    /// Whether all budgets let a retry through.
    fn grants<S: Stream>(&mut self, call: &Call, now: f64, stream: &mut S) -> bool {
        let failure = event(call, now);
        let mut granted = true;
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            granted &= match rule.allows(ledger.of(call.id, call.client), failure) {
                Verdict::Granted => true,
                Verdict::Denied => false,
                Verdict::DeniedWith(p) => stream.unit() >= p,
            };
        }
        granted
    }

    /// The attempt was refused by its own side: nothing was sent.
    fn refuse<S: Stream>(&mut self, call: &mut Call, now: f64, then: Refused, stream: &mut S) -> Decision {
        self.unsend(call, now);
        match then {
            Refused::Fail => {
                self.forget(call);
                Decision::Refused
            }
            Refused::Retry => {
                let failure = Failure { class: Class::Error, hint: None, sent: now };
                let granted = self.grants(call, now, stream);
                self.conclude(call, now, failure, granted, stream)
            }
        }
    }

    /// When another copy of an attempt may be sent, if at all; it then counts as the next attempt.
    pub fn copy<S: Stream>(&mut self, call: &mut Call, now: f64, stream: &mut S) -> Option<f64> {
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            rule.catch_up(ledger.of(call.id, call.client), now);
        }
        if !self.grants(call, now, stream) || self.is_spent(call, now) {
            return None;
        }
        let Gate::Opens(at) = self.gate(call, now, stream) else { return None };
        let policy = self.policy;
        matches!(self.book_retry(call, now, at - now, &policy.own), Decision::Retry(_)).then_some(at)
    }

    /// A copy that was to be sent is of no interest any more; see [`Callers::on_abandoned`].
    pub fn on_unsent(&mut self, call: &Call, now: f64) {
        self.unsend(call, now);
        self.free_probe(call);
    }

    /// Budgets take back an attempt that was admitted.
    fn unsend(&mut self, call: &Call, now: f64) {
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            rule.on_unsent(ledger.of(call.id, call.client), event(call, now));
        }
    }

    /// An attempt under way is of no interest any more, since another copy of it has succeeded; that success is
    /// reported afterwards.
    pub fn on_abandoned(&mut self, call: &Call, now: f64) {
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            rule.on_abandoned(ledger.of(call.id, call.client), event(call, now));
        }
        self.free_probe(call);
    }

    /// The breaker no longer waits for the attempt.
    fn free_probe(&mut self, call: &Call) {
        if let Some(breaker) = &mut self.breaker {
            BreakerRule::on_abandoned(breaker.of(call.id, call.client), call.turn);
        }
    }

    /// The breaker, the limiter and the count of retries learn of an answer.
    #[inline]
    fn on_answer(&mut self, call: &Call, now: f64, failed: Option<Class>) {
        if let (Some(rule), Some(breaker)) = (&self.policy.breaker, &mut self.breaker) {
            rule.on_answer(breaker.of(call.id, call.client), now, call.turn, failed.is_some());
        }
        if let (Some(rule), Some(limiter)) = (&self.policy.limiter, &mut self.limiter) {
            rule.on_answer(limiter.of(call.id, call.client), now, failed == Some(Class::Throttle));
        }
        if let Some(backoffs) = &mut self.backoffs
            && failed.is_none()
        {
            let backoff = backoffs.of(call.id, call.client);
            (backoff.retries, backoff.memory) = (0, self.policy.memory());
        }
    }

    /// A call is over.
    #[inline]
    fn forget(&mut self, call: &Call) {
        self.budgets.iter_mut().for_each(|ledger| ledger.forget(call.id));
        self.limiter.iter_mut().for_each(|ledger| ledger.forget(call.id));
        self.breaker.iter_mut().for_each(|ledger| ledger.forget(call.id));
        self.backoffs.iter_mut().for_each(|ledger| ledger.forget(call.id));
    }

    /// What follows by the books.
    fn decide<S: Stream>(
        &mut self,
        call: &mut Call,
        now: f64,
        failure: Failure,
        granted: bool,
        stream: &mut S,
    ) -> Decision {
        call.is_let_through = false;
        call.class = failure.class;
        let policy = self.policy;
        let rules = policy.after(failure.class);
        if !rules.retries {
            return Decision::NotRetried;
        }
        if self.has_spent(call, now, rules) {
            return Decision::Exhausted;
        }
        if rules.limits.gives_up > 0.0 && stream.unit() < rules.limits.gives_up {
            return Decision::Exhausted;
        }
        if !granted {
            return Decision::BudgetDenied;
        }
        let Some(mut delay) = self.delay(rules, call, now, failure, stream) else {
            return Decision::Exhausted;
        };
        if self.policy.anchor == From::AttemptStart {
            delay = (delay - (now - failure.sent)).max(0.0);
        }
        if let (Some(rule), Some(limiter)) = (&self.policy.limiter, &mut self.limiter) {
            delay = rule.delay(limiter.of(call.id, call.client), now, delay);
        }
        self.book_retry(call, now, delay, rules)
    }

    /// The delay, which may depend on counts or random numbers that others share; `None` gives the call up.
    fn delay<S: Stream>(
        &mut self,
        rules: &Rules,
        call: &mut Call,
        now: f64,
        failure: Failure,
        stream: &mut S,
    ) -> Option<f64> {
        let (mut n, mut memory) = (call.attempt, call.memory);
        if let Some(backoffs) = &mut self.backoffs {
            let backoff = backoffs.of(call.id, call.client);
            if now - backoff.last_failure >= self.policy.state.reset_after {
                (backoff.retries, backoff.memory) = (0, self.policy.memory());
            }
            backoff.last_failure = now;
            (n, memory) = (backoff.retries.saturating_add(1), backoff.memory);
        }
        let delay = match &mut self.shared {
            None => rules.delay(n, failure.class, failure.hint, &mut memory, stream),
            Some(shared) => {
                let numbers = shared.of(call.id, call.client);
                let place = if self.policy.state.rng == Rng::Maker { n as usize - 1 } else { 0 };
                numbers.resize(numbers.len().max(place + 1), Vec::new());
                let mut replay = Replay::new(stream, &mut numbers[place]);
                rules.delay(n, failure.class, failure.hint, &mut memory, &mut replay)
            }
        }?;
        call.memory = memory;
        if let Some(backoffs) = &mut self.backoffs {
            let follows = rules
                .hint
                .as_ref()
                .is_some_and(|rule| rule.resets_backoff && rule.heeds(failure.hint, failure.class).is_some());
            let backoff = backoffs.of(call.id, call.client);
            (backoff.retries, backoff.memory) = if follows { (0, self.policy.memory()) } else { (n, memory) };
        }
        Some(delay)
    }

    /// Whether a failed call has used up its attempts or its time.
    #[inline]
    pub(crate) fn is_spent(&mut self, call: &Call, now: f64) -> bool {
        let policy = self.policy;
        self.has_spent(call, now, &policy.own)
    }

    #[inline]
    fn has_spent(&mut self, call: &Call, now: f64, rules: &Rules) -> bool {
        if call.attempt >= rules.limits.max_attempts || rules.limits.is_spent(now - call.first_send) {
            return true;
        }
        self.endless |= call.attempt >= MAX_ATTEMPTS;
        self.is_too_long() || call.attempt >= MAX_ATTEMPTS
    }

    /// Whether this step is beyond what a run may take.
    #[inline]
    fn is_too_long(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(self.step);
        self.endless |= self.steps == 0;
        self.steps == 0
    }

    /// Makes the retry after `delay` if time allows it, where there are no books.
    #[inline]
    pub(crate) fn admit(&self, call: &mut Call, now: f64, delay: f64) -> Decision {
        match self.policy.own.limits.admit(now - call.first_send, delay) {
            Timely::Wait(delay) => {
                call.attempt += 1;
                Decision::Retry(delay)
            }
            Timely::Exhausted => Decision::Exhausted,
            Timely::PastDeadline => Decision::PastDeadline,
        }
    }

    /// Makes the retry after `delay` if time allows it, and books it.
    fn book_retry(&mut self, call: &mut Call, now: f64, delay: f64, rules: &Rules) -> Decision {
        let delay = match rules.limits.admit(now - call.first_send, delay) {
            Timely::Wait(delay) => delay,
            Timely::Exhausted => return Decision::Exhausted,
            Timely::PastDeadline => return Decision::PastDeadline,
        };
        for ((_, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            rule.on_retry(ledger.of(call.id, call.client), event(call, now));
        }
        call.attempt += 1;
        Decision::Retry(delay)
    }

    /// Tokens of the client's first bucket, and whether all its budgets would let a retry through.
    #[must_use]
    pub fn level(&mut self, client: u32, now: f64) -> Option<(f64, bool)> {
        let mut tokens = None;
        let mut open = true;
        let failure = Event { now, attempt: 1, class: Class::Error };
        for ((scope, rule), ledger) in self.policy.budgets.iter().zip(&mut self.budgets) {
            if *scope == Scope::Call {
                continue;
            }
            let state = ledger.of(0, client);
            tokens = tokens.or(rule.tokens(state, now));
            open &= rule.allows(state, failure) == Verdict::Granted;
        }
        tokens.map(|tokens| (tokens, open))
    }
}

/// Bytes that callers take before anything has happened.
pub(crate) fn room(policy: &Compiled, population: Population) -> f64 {
    let owners = |scope| f64::from(Ledger::<()>::owners(scope, population));
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let of = |scope, bytes: usize| owners(scope) * bytes as f64;
    let budgets: f64 = policy.budgets.iter().map(|(scope, _)| of(*scope, size_of::<State>())).sum();
    budgets
        + policy.limiter.as_ref().map_or(0.0, |rule| of(rule.scope(), size_of::<Rate>()))
        + policy.breaker.as_ref().map_or(0.0, |rule| of(rule.scope, size_of::<Circuit>()))
        + of(policy.state.scope, size_of::<Backoff>())
        + of(Scope::Process, size_of::<Vec<Vec<f64>>>())
}

/// Something about the attempt under way.
const fn event(call: &Call, now: f64) -> Event {
    Event { now, attempt: call.attempt, class: call.class }
}
