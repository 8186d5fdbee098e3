//! The side of the callers: what they send, how long they wait, what they make of the answers.

use super::{
    agenda::Happening,
    kernel::{Room, Run},
    server::{Answer, Place, Request},
    slots::Key,
};
use crate::{
    callers::{Call, Decision, Failure, Sending},
    draw::{Draws, Purpose},
    latency::Sampler,
    policy::class::Class,
    record::{Attempt, Outcome, Recorder},
};

/// A call that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    call: Call,
    /// Attempts that it has under way, or that are to be sent as copies: the first of a list.
    attempts: Option<Key>,
    /// Copies so far.
    copies: u32,
    /// When the next one is due.
    hedges_at: f64,
}

impl Live {
    pub const fn new(call: Call) -> Self {
        Self { call, attempts: None, copies: 0, hedges_at: f64::INFINITY }
    }
}

impl Room {
    /// One more attempt of a call, yet to be sent.
    fn add_attempt(&mut self, key: Key) -> Option<Key> {
        let live = self.calls.get_mut(key)?;
        let request = self.requests.insert(Request {
            call: key,
            sent: live.call,
            at: 0.0,
            deadline: f64::INFINITY,
            back: 0.0,
            is_awaited: true,
            is_cancelled: false,
            is_cold: false,
            place: Place::Unsent,
            arrived: 0.0,
            work: 0.0,
            answer: Answer::Done,
            next: live.attempts,
        });
        live.attempts = Some(request);
        Some(request)
    }

    /// The client no longer waits for the attempt, which is none of its call's any more.
    fn detach(&mut self, key: Key) -> Option<Request> {
        let request = self.requests.get_mut(key).filter(|request| request.is_awaited)?;
        request.is_awaited = false;
        let found = *request;
        if matches!(request.place, Place::Gone | Place::Unsent) {
            self.requests.remove(key);
        }
        self.unlink(key, &found);
        Some(found)
    }

    /// Takes an attempt out of its call's list.
    fn unlink(&mut self, key: Key, request: &Request) {
        let Some(live) = self.calls.get_mut(request.call) else { return };
        if live.attempts == Some(key) {
            live.attempts = request.next;
            return;
        }
        let mut at = live.attempts;
        while let Some(other) = at.and_then(|other| self.requests.get_mut(other)) {
            if other.next == Some(key) {
                other.next = request.next;
                return;
            }
            at = other.next;
        }
    }
}

impl<D: Draws, R: Recorder> Run<'_, D, R> {
    /// The next attempt of a call is due: its own side may hold it back.
    pub(super) fn attempt_is_due(&mut self, key: Key) {
        let Some(live) = self.room.calls.get_mut(key) else { return };
        if self.policy.acts_on_sends() {
            let is_first = live.call.attempt == 1;
            let sending = {
                let mut stream = self.draws.at(Purpose::Sending, live.call.id, live.call.attempt);
                self.callers.ask(&mut live.call, self.now, &mut stream)
            };
            match sending {
                Sending::Now => {}
                Sending::At(at) => return self.room.agenda.plan(at, Happening::Send, key),
                Sending::Not(decision) => {
                    self.tally.held_back += 1;
                    if is_first {
                        self.tally.first_attempt(live.call.first_send, false);
                    }
                    return self.follow(key, decision);
                }
            }
        }
        self.plan_copy(key);
        if let Some(attempt) = self.room.add_attempt(key) {
            self.send(attempt);
        }
    }

    /// An attempt is sent.
    pub(super) fn send(&mut self, key: Key) {
        let Some(request) = self.room.requests.get_mut(key) else { return };
        let sent = request.sent;
        self.callers.on_send(&sent, self.now);
        let timeout =
            self.policy.min_timeout().map_or(self.rules.timeout, |least| least.max(sent.memory.previous));
        (request.at, request.deadline, request.place) = (self.now, self.now + timeout, Place::UnderWay);
        if self.rules.has_timers() {
            self.room.agenda.plan(request.deadline, Happening::Timer, key);
        }
        let going = match &self.rules.network {
            Sampler::Constant(length) => {
                request.back = *length;
                *length
            }
            network => {
                let mut stream = self.draws.at(Purpose::Network, sent.id, sent.attempt);
                let going = network.sample(&mut stream);
                request.back = network.sample(&mut stream);
                going
            }
        };
        if going > 0.0 {
            self.room.agenda.plan(self.now + going, Happening::Arrival, key);
        } else {
            self.arrive(key);
        }
    }

    /// If there is no success by then, another copy is sent.
    fn plan_copy(&mut self, key: Key) {
        let Some(hedge) = self.policy.hedge() else { return };
        let Some(live) = self.room.calls.get_mut(key) else { return };
        if live.copies < hedge.max {
            live.hedges_at = self.now + hedge.delay;
            self.room.agenda.plan(live.hedges_at, Happening::Hedge, key);
        }
    }

    /// There is no success yet: another copy is sent, unless one was sent meanwhile.
    pub(super) fn copy_is_due(&mut self, key: Key) {
        let Some(live) = self.room.calls.get_mut(key).filter(|live| live.hedges_at <= self.now) else {
            return;
        };
        let copy = {
            let mut stream = self.draws.at(Purpose::Sending, live.call.id, live.call.attempt + 1);
            self.callers.copy(&mut live.call, self.now, &mut stream)
        };
        if let Some(at) = copy {
            self.add_copy(key, at);
        }
    }

    /// Another copy will be sent then.
    fn add_copy(&mut self, key: Key, at: f64) {
        let Some(live) = self.room.calls.get_mut(key) else { return };
        live.copies += 1;
        live.hedges_at = f64::INFINITY;
        self.tally.hedges += 1;
        self.plan_copy(key);
        if let Some(attempt) = self.room.add_attempt(key) {
            self.room.agenda.plan(at, Happening::Copy, attempt);
        }
    }

    /// An answer reaches its client, which may no longer care.
    pub(super) fn receive(&mut self, key: Key) {
        let Some(request) = self.room.requests.get_mut(key) else { return };
        request.place = Place::Gone;
        let Request { is_awaited, answer, work, deadline, .. } = *request;
        let is_late = !self.rules.has_timers() && self.now > deadline;
        if is_late || !is_awaited {
            self.tally.wasted += work;
        }
        if !is_awaited {
            return self.room.requests.remove(key);
        }
        if is_late {
            self.tally.timeouts += 1;
            return self.fail(key, Class::Timeout, None, Outcome::Timeout);
        }
        match answer {
            Answer::Done => self.succeed(key),
            Answer::Failed => {
                self.tally.errors += 1;
                self.fail(key, Class::Error, None, Outcome::Error);
            }
            Answer::Refused => {
                self.tally.errors += 1;
                self.fail(key, Class::Error, None, Outcome::Refused);
            }
            Answer::Throttled => {
                self.tally.throttled += 1;
                self.fail(key, Class::Throttle, self.rules.hint, Outcome::Refused);
            }
        }
    }

    /// A client's patience with an attempt is over, if it still waits.
    pub(super) fn time_is_over(&mut self, key: Key) {
        if !self.room.requests.get(key).is_some_and(|request| request.is_awaited) {
            return;
        }
        self.tally.timeouts += 1;
        if self.rules.service.cancels {
            self.cancel(key);
        }
        self.fail(key, Class::Timeout, None, Outcome::Timeout);
    }

    /// The call is over, and so are its other copies.
    fn succeed(&mut self, key: Key) {
        let Some(request) = self.room.detach(key) else { return };
        self.disarm(&request);
        while let Some(other) = self.room.calls.get(request.call).and_then(|live| live.attempts) {
            self.abandon(other);
        }
        self.callers.on_success(&request.sent, self.now);
        let latency = self.now - request.sent.first_send;
        self.room.latencies.push(latency);
        self.tally.success(self.now, latency);
        if request.sent.attempt == 1 {
            self.tally.first_attempt(request.sent.first_send, true);
        }
        self.record(&request, Outcome::Ok, None);
        self.end(request.call);
    }

    /// Another copy of the attempt has succeeded.
    fn abandon(&mut self, key: Key) {
        let cancels = self.policy.hedge().is_some_and(|hedge| hedge.cancel_losers);
        let Some(request) = self.room.detach(key) else { return };
        if request.place == Place::Unsent {
            return self.callers.on_unsent(&request.sent, self.now);
        }
        self.disarm(&request);
        self.callers.on_abandoned(&request.sent, self.now);
        if cancels {
            self.cancel(key);
        }
    }

    /// An attempt has failed; if it was the last one under way, its call has.
    fn fail(&mut self, key: Key, class: Class, hint: Option<f64>, outcome: Outcome) {
        let Some(request) = self.room.detach(key) else { return };
        if outcome != Outcome::Timeout {
            self.disarm(&request);
        }
        if request.sent.attempt == 1 {
            self.tally.first_attempt(request.sent.first_send, false);
        }
        let (copy, decision) = self.book(&request, class, hint);
        self.record(&request, outcome, decision);
        if let Some(at) = copy {
            self.add_copy(request.call, at);
        }
        if let Some(decision) = decision {
            self.follow(request.call, decision);
        }
    }

    /// Books a failure: when a copy follows at once, and what follows if nothing of the call is under way any more.
    fn book(
        &mut self,
        request: &Request,
        class: Class,
        hint: Option<f64>,
    ) -> (Option<f64>, Option<Decision>) {
        let Some(live) = self.room.calls.get_mut(request.call) else { return (None, None) };
        let mut stream = self.draws.at(Purpose::Attempt, request.sent.id, request.sent.attempt);
        let mut failed = request.sent;
        let granted = self.callers.book_failure(&mut failed, self.now, class, &mut stream);
        live.call.class = class;
        let hedge = self.policy.hedge().filter(|hedge| hedge.on_failure && live.copies < hedge.max);
        let copy = hedge.and_then(|_| self.callers.copy(&mut live.call, self.now, &mut stream));
        if copy.is_some() || live.attempts.is_some() {
            return (copy, None);
        }
        live.hedges_at = f64::INFINITY;
        let failure = Failure { class, hint, sent: request.at };
        (None, Some(self.callers.conclude(&mut live.call, self.now, failure, granted, &mut stream)))
    }

    /// What was decided is done.
    fn follow(&mut self, key: Key, decision: Decision) {
        if let Decision::Retry(wait) = decision {
            return self.room.agenda.plan(self.now + wait, Happening::Send, key);
        }
        self.tally.budget_denied += u64::from(decision == Decision::BudgetDenied);
        self.tally.gave_up();
        self.end(key);
    }

    /// A call is over.
    fn end(&mut self, key: Key) {
        let Some(client) = self.room.calls.get(key).map(|live| live.call.client) else { return };
        self.room.calls.remove(key);
        self.think(client);
    }

    fn record(&mut self, request: &Request, outcome: Outcome, decision: Option<Decision>) {
        let (start, end) = (request.at, self.now);
        self.recorder.attempt(&Attempt { call: &request.sent, start, end, outcome, decision });
    }

    /// The timer of an attempt has lost its meaning.
    fn disarm(&mut self, request: &Request) {
        if self.rules.has_timers() {
            let Room { agenda, requests, .. } = &mut *self.room;
            agenda
                .disarm(request.deadline, |key| requests.get(key).is_some_and(|request| request.is_awaited));
        }
    }
}
