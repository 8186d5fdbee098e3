//! When clients make calls.

use super::{
    agenda::Happening,
    clients::Live,
    kernel::{Prepared, Room, Run},
    slots::Key,
};
use crate::{
    draw::{Draws, Purpose},
    record::Recorder,
    scenario::{Arrivals, MAX_CALLS, Workload},
    span::Span,
};

/// The event's key of a client.
const fn key(client: u32) -> Key {
    Key { slot: client, stamp: 0 }
}

impl Prepared<'_> {
    /// Every client's first call goes into the agenda.
    pub(super) fn first_calls<D: Draws>(&self, draws: &mut D, room: &mut Room) {
        let clients = self.workload.clients();
        room.made.clear();
        room.made.resize(if matches!(self.workload, Workload::Burst(_)) { 0 } else { clients as usize }, 0);
        for client in 0..clients {
            let start = match self.workload {
                Workload::Burst(_) => self.crowd.start(client, draws),
                Workload::Open(_) | Workload::Closed(_) => self.next_call(client, 0.0, draws, room),
            };
            room.agenda.plan(start, Happening::Call, key(client));
        }
    }

    /// When a client makes its next call; `since` is when it has made the last one, or in a closed loop when that ended.
    fn next_call<D: Draws>(&self, client: u32, since: f64, draws: &mut D, room: &mut Room) -> f64 {
        let made = &mut room.made[client as usize];
        let number = *made;
        *made += 1;
        match self.workload {
            Workload::Burst(_) => f64::INFINITY,
            Workload::Open(open) => {
                let gap = Span::from_secs(1).in_unit(self.unit) / open.rate;
                match open.arrivals {
                    Arrivals::Poisson => {
                        since - gap * libm::log1p(-draws.number(Purpose::Arrival, client, number))
                    }
                    Arrivals::Regular => gap * (f64::from(number) + draws.number(Purpose::Start, client, 0)),
                }
            }
            Workload::Closed(_) => since + self.think.sample(&mut draws.at(Purpose::Arrival, client, number)),
        }
    }
}

impl<D: Draws, R: Recorder> Run<'_, D, R> {
    /// A client makes a call.
    pub(super) fn new_call(&mut self, client: u32) {
        if self.tally.calls == MAX_CALLS {
            self.is_endless = true;
            return;
        }
        let id = if let Workload::Burst(_) = self.rules.workload { client } else { self.tally.calls };
        self.tally.calls += 1;
        if let Workload::Open(_) = self.rules.workload {
            let next = self.rules.next_call(client, self.now, self.draws, self.room);
            self.room.agenda.plan(next, Happening::Call, key(client));
        }
        let call = self.callers.call(id, client, self.now);
        let call = self.room.calls.insert(Live::new(call));
        self.attempt_is_due(call);
    }

    /// A call of the client has ended; in a closed loop, it makes another one.
    pub(super) fn think(&mut self, client: u32) {
        if let Workload::Closed(_) = self.rules.workload {
            let next = self.rules.next_call(client, self.now, self.draws, self.room);
            self.room.agenda.plan(next, Happening::Call, key(client));
        }
    }
}
