//! [`Contention`](super::Contention) for totals: everything about some attempts of a client is drawn ahead.
//!
//! The same rules, the same draws and the same totals as attempt by attempt. For policies of which nothing but the delay
//! and the number of attempts matters here: then the times of an attempt follow from those of the one before.

use fearless_simd::{Simd, SimdBase, SimdMask, dispatch, f64x8, u64x8};

use super::{Prepared, Totals, Try};
use crate::{
    callers::MAX_ATTEMPTS,
    draw::{Common, Draws, Philox, Purpose, SENDS, unit},
    event_queue::EventKind,
    limits::MAX_STEPS,
    policy::{
        Compiled,
        delay::{Memory, Retries},
    },
    service::Kernel,
};

/// Messages of an attempt.
const HOPS: usize = 4;

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    common: Common,
    clients: Vec<Client>,
    row: Vec<f64>,
}

/// A client, its attempt under way, and what is drawn for it and those after it.
#[derive(Clone, Copy, Debug)]
struct Client {
    attempt: u32,
    read: f64,
    write: f64,
    answer: f64,
    drawn: [Drawn; SENDS],
    /// What its call remembers after the last of those delays.
    memory: Memory,
}

/// The random part of an attempt.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    /// Delays of its four messages.
    hops: [f64; HOPS],
    /// The delay after it, should it fail.
    wait: f64,
}

impl Client {
    /// The place of the attempt among those that are drawn.
    #[inline(always)]
    const fn place(&self) -> usize {
        (self.attempt - 1) as usize % SENDS
    }

    /// Sends the attempt.
    #[inline(always)]
    fn send(&mut self, start: f64) {
        let Try { read, write, answer, .. } = Try::new(start, self.drawn[self.place()].hops);
        (self.read, self.write, self.answer) = (read, write, answer);
    }
}

impl Prepared {
    /// Makes a run, or none if it asks for more than this knows.
    pub(super) fn ahead(
        &self,
        policy: &Compiled,
        draws: &Philox,
        scratch: &mut super::Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        if !policy.is_simple() {
            return false;
        }
        let made = dispatch!(draws.level(), simd => self.run_ahead(simd, policy, *draws, scratch));
        let Some(totals) = made else { return false };
        let row = &mut scratch.ahead.row;
        row.resize(self.columns().len(), f64::NAN);
        totals.columns(self.crowd.clients(), self.unit, row);
        done(0, row);
        true
    }

    /// Makes a run, unless it takes too many steps.
    #[inline(always)]
    fn run_ahead<S: Simd>(
        &self,
        simd: S,
        policy: &Compiled,
        mut draws: Philox,
        scratch: &mut super::Scratch,
    ) -> Option<Totals> {
        let super::Scratch { queue, ahead: Scratch { common, clients, .. }, .. } = scratch;
        let mut totals = Totals::new(self.crowd.clients());
        let mut steps = 0;
        *common = draws.common();
        clients.clear();
        let nobody = Client {
            attempt: 1,
            read: 0.0,
            write: 0.0,
            answer: 0.0,
            drawn: [Drawn::default(); SENDS],
            memory: policy.memory(),
        };
        clients.resize(self.crowd.clients() as usize, nobody);
        for (client, number) in clients.iter_mut().zip(0..) {
            self.draw(simd, number, policy, (common, &mut draws), client);
            client.send(self.crowd.start(number, &mut draws));
        }
        queue.start(clients.iter().map(|client| client.write));
        while let Some((now, _, number)) = queue.first()
            && now < self.horizon
        {
            let client = &mut clients[number as usize];
            totals.write(client.attempt);
            if totals.last_commit < client.read {
                totals.commit(now, client.answer, self.unit);
                queue.remove();
            } else if client.attempt >= policy.own.limits.max_attempts {
                totals.gave_up += 1;
                queue.remove();
            } else {
                steps += 1;
                if client.attempt >= MAX_ATTEMPTS || steps >= MAX_STEPS {
                    return None;
                }
                let start = client.answer + client.drawn[client.place()].wait;
                client.attempt += 1;
                if client.place() == 0 {
                    self.draw(simd, number, policy, (common, &mut draws), client);
                }
                client.send(start);
                queue.follow(client.write, EventKind::Start);
            }
        }
        Some(totals)
    }

    /// Draws for a client's attempts from the one under way on.
    #[inline(always)]
    fn draw<S: Simd>(
        &self,
        simd: S,
        number: u32,
        policy: &Compiled,
        (common, draws): (&Common, &mut Philox),
        client: &mut Client,
    ) {
        let first = client.attempt;
        let sends = common.sends(number, first);
        let mut numbers = [0; HOPS * SENDS];
        numbers.copy_from_slice(sends.network().as_flattened());
        let (hops, decided) = self.network.at_once(simd, u64x8::load_array(simd, numbers));
        let (hops, decided) = (hops.to_array(), decided.to_bitmask());
        for i in 0..SENDS {
            let all = (1 << HOPS) - 1;
            if decided >> (HOPS * i) & all == all {
                client.drawn[i].hops.copy_from_slice(&hops[HOPS * i..HOPS * (i + 1)]);
            } else {
                client.drawn[i].hops = self.network.samples(&mut sends.network_of(i, draws));
            }
        }
        let bits = sends.begun();
        let delay = &policy.own.delay;
        if delay.is_columnar() && !policy.looks_back {
            let (mut n, mut units) = ([1; 8], [0.0; 8]);
            for i in 0..SENDS {
                (n[i], units[i]) = (u64::from(first) + i as u64, unit(bits[i]));
            }
            let retries = Retries {
                n: u64x8::load_array(simd, n),
                previous: f64x8::splat(simd, 0.0),
                units: f64x8::load_array(simd, units),
            };
            let waits = delay.before_retries(simd, &retries).to_array();
            for (drawn, wait) in client.drawn.iter_mut().zip(waits) {
                drawn.wait = wait;
            }
            return;
        }
        for ((drawn, bits), n) in client.drawn.iter_mut().zip(bits).zip(first..) {
            let stream = &mut draws.resume(Purpose::Attempt, number, n, bits);
            drawn.wait = delay.before_retry(n, &mut client.memory, stream);
            client.memory.previous = drawn.wait;
        }
    }
}
