//! The side of the service: who is taken, who waits, who is worked on.

use super::{
    Down,
    agenda::Happening,
    kernel::{Pace, Room, Run},
    line::Line,
    slots::{Key, Slots},
};
use crate::{
    callers::Call,
    draw::{Draws, Purpose},
    record::Recorder,
    service::outage::is_down,
};

/// An attempt, until it is over for both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// Whose it is.
    pub call: Key,
    /// The call as it was when the attempt was sent.
    pub sent: Call,
    /// When that was.
    pub at: f64,
    /// When its client's patience is over.
    pub deadline: f64,
    /// How long its answer travels.
    pub back: f64,
    /// Whether its client waits for it.
    pub is_awaited: bool,
    /// Whether its client has said that it no longer does.
    pub is_cancelled: bool,
    /// Whether it is one of the first that the service has seen.
    pub is_cold: bool,
    pub place: Place,
    /// When it reached the service.
    pub arrived: f64,
    /// How long it was worked on.
    pub work: f64,
    pub answer: Answer,
    /// The next one of those that its call has under way.
    pub next: Option<Key>,
}

/// Where an attempt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// With its client, which will send it.
    Unsent,
    /// On its way to the service, or in a worker's hands, or on its way back.
    UnderWay,
    /// In the queue.
    Waiting,
    /// Nowhere: the service is done with it.
    Gone,
}

/// What the service says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is done.
    Done,
    /// It was worked on and failed.
    Failed,
    /// There is too much to do.
    Throttled,
    /// The service is down.
    Refused,
}

/// Idle workers that will look into the queue, those first that have been idle the longest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Polls {
    /// How many.
    due: u64,
    /// Looks that were planned by workers who are no longer idle; they come before those that are due.
    void: u64,
}

impl Room {
    /// Who waits for a worker, and a way to tell them from those that have left.
    fn line(&mut self) -> (&mut Line, impl Fn(Key) -> bool) {
        let Self { line, requests, .. } = self;
        let requests: &Slots<Request> = requests;
        (line, |key| requests.get(key).is_some_and(|request| request.place == Place::Waiting))
    }
}

impl<D: Draws, R: Recorder> Run<'_, D, R> {
    /// A brownout begins or ends.
    pub(super) fn change(&mut self, pace: Pace) {
        self.pace = pace;
        self.polls = Polls { due: 0, void: self.polls.void + self.polls.due };
        self.fill_workers();
    }

    /// An attempt reaches the service.
    pub(super) fn arrive(&mut self, key: Key) {
        let service = self.rules.service;
        let Some(request) = self.room.requests.get_mut(key) else { return };
        self.tally.arrival(self.now);
        request.arrived = self.now;
        request.is_cold =
            service.cold.as_ref().is_some_and(|cold| self.tally.arrivals <= u64::from(cold.attempts));
        if request.is_cancelled {
            self.let_go(key);
        } else if is_down(&self.rules.outages, &self.now) {
            match service.down {
                Down::Refuse => self.answer(key, Answer::Refused),
                Down::Silent => self.let_go(key),
            }
        } else if self.tally.working.now < self.pace.workers {
            self.take_idle();
            self.begin(key);
        } else if self.room.line.len() < self.rules.places {
            request.place = Place::Waiting;
            let (line, waits) = self.room.line();
            line.push(key, waits);
            self.count_waiting();
        } else {
            self.answer(key, Answer::Throttled);
        }
    }

    /// Of several idle workers, one that will not look into the queue gets what arrives; if all will, the next one.
    const fn take_idle(&mut self) {
        if self.polls.due > 0 && self.pace.workers - self.tally.working.now <= self.polls.due {
            self.polls = Polls { due: self.polls.due - 1, void: self.polls.void + 1 };
        }
    }

    /// An idle worker looks into the queue.
    pub(super) fn poll(&mut self) {
        if self.polls.void > 0 {
            self.polls.void -= 1;
            return;
        }
        self.polls.due -= 1;
        if self.tally.working.now < self.pace.workers {
            self.take_next();
        }
    }

    fn fill_workers(&mut self) {
        while self.tally.working.now < self.pace.workers && self.take_next() {}
    }

    /// A worker takes the next attempt that is worth its while; `false` if there is none.
    fn take_next(&mut self) -> bool {
        let service = self.rules.service;
        loop {
            let (line, waits) = self.room.line();
            let Some(key) = line.pop(service.order, waits) else { return false };
            self.count_waiting();
            let Some(request) = self.room.requests.get_mut(key) else { return false };
            request.place = Place::UnderWay;
            if service.propagates_deadline && self.now >= request.deadline {
                self.let_go(key);
            } else if self.now - request.arrived > self.rules.shed {
                self.answer(key, Answer::Throttled);
            } else {
                self.begin(key);
                return true;
            }
        }
    }

    fn begin(&mut self, key: Key) {
        let Some(request) = self.room.requests.get_mut(key) else { return };
        let mut stream = self.draws.at(Purpose::Work, request.sent.id, request.sent.attempt);
        let cold = self.rules.service.cold.as_ref().filter(|_| request.is_cold);
        let factor = cold.map_or(1.0, |cold| cold.factor);
        request.work = self.rules.work.sample(&mut stream) * factor / self.pace.speed;
        self.tally.working.set(self.now, self.tally.working.now + 1);
        self.room.agenda.plan(self.now + request.work, Happening::Finish, key);
    }

    /// A worker has finished an attempt.
    pub(super) fn finish(&mut self, key: Key) {
        self.tally.working.set(self.now, self.tally.working.now - 1);
        if let Some(request) = self.room.requests.get(key) {
            let (p, sent) = (self.rules.service.failure, request.sent);
            let fails = p > 0.0 && self.draws.number(Purpose::Outcome, sent.id, sent.attempt) < p;
            self.answer(key, if fails { Answer::Failed } else { Answer::Done });
        }
        if self.rules.poll <= 0.0 {
            self.fill_workers();
        } else if self.room.line.len() > 0 {
            self.polls.due += 1;
            self.room.agenda.plan(self.now + self.rules.poll, Happening::Poll, key);
        }
    }

    /// The service answers.
    fn answer(&mut self, key: Key, answer: Answer) {
        let Some(request) = self.room.requests.get_mut(key) else { return };
        self.tally.answered += 1;
        request.answer = answer;
        if request.back > 0.0 {
            self.room.agenda.plan(self.now + request.back, Happening::Answer, key);
        } else {
            self.receive(key);
        }
    }

    /// The service lets go of an attempt without an answer.
    fn let_go(&mut self, key: Key) {
        let Some(request) = self.room.requests.get_mut(key) else { return };
        self.tally.dropped += 1;
        request.place = Place::Gone;
        if !request.is_awaited {
            self.room.requests.remove(key);
        }
    }

    /// The client says that it no longer waits: the attempt leaves the queue, or is not taken in when it arrives.
    pub(super) fn cancel(&mut self, key: Key) {
        let Some(request) = self.room.requests.get_mut(key) else { return };
        request.is_cancelled = true;
        if request.place == Place::Waiting {
            self.room.line.leave();
            self.count_waiting();
            self.let_go(key);
        }
    }

    fn count_waiting(&mut self) {
        self.tally.waiting.set(self.now, self.room.line.len() as u64);
    }
}
