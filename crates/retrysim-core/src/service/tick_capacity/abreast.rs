//! [`TickCapacity`](super::TickCapacity) for totals: the requests of a tick abreast, a row of them in a vector.
//!
//! The same rules, the same draws and the same totals as one request after the other, for calls that share nothing.
//! Delays are computed in vectors, too, if they go by attempts and draws alone.

use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask, dispatch, f64x8, u64x8};

use super::{
    Admission,
    health::{Found, Health},
    kernel::Prepared,
    tally::Tally,
};
use crate::{
    callers::MAX_ATTEMPTS,
    draw::{Draws, Philox, Purpose, mark_smallest, unit},
    due::{Due, DueCalendar, ROW},
    limits::MAX_STEPS,
    policy::{
        Compiled,
        class::Class,
        delay::{Memory, Retries},
        stop::Timely,
    },
    scenario::Workload,
};

/// Beyond so many ticks their rows are more than a cache holds; calls make fewer attempts than there are ticks.
const MOST_TICKS: usize = MAX_ATTEMPTS as usize - 1;

/// A value of each request in a row.
type Row<T> = [T; ROW];

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    calendar: DueCalendar,
    /// The requests of a tick, all rows but the last one full, and what is drawn for them.
    due: Vec<Row<Due>>,
    bits: Vec<Row<u64>>,
    tickets: Vec<Row<u64>>,
    served: Vec<bool>,
    room: Vec<u64>,
    /// The client of each call of an open workload.
    clients: Vec<u32>,
    /// What is known of each call, if a delay goes by it.
    pasts: Vec<Past>,
    row: Vec<f64>,
}

/// What a call has been through.
#[derive(Clone, Copy, Debug)]
struct Past {
    first_send: f64,
    memory: Memory,
}

/// A tick as those see it who are refused.
#[derive(Clone, Copy)]
struct Now {
    tick: usize,
    time: f64,
    hint: Option<f64>,
}

impl Prepared<'_> {
    /// Makes a run, or none if it asks for more than this knows.
    pub(super) fn abreast(
        &self,
        policy: &Compiled,
        draws: &Philox,
        window: &mut Vec<u32>,
        scratch: &mut Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        let made = (self.grid.ticks <= MOST_TICKS && !policy.keeps_books())
            .then(|| dispatch!(draws.level(), simd => self.run_abreast(simd, policy, draws, window, scratch)))
            .flatten();
        let Some((calls, tally)) = made else { return false };
        scratch.row.resize(Tally::columns().len(), f64::NAN);
        tally.write(calls, &mut scratch.row);
        done(0, &scratch.row);
        true
    }

    /// Makes a run; gives the number of calls and what became of them, or nothing if it takes too many steps.
    #[inline(always)]
    fn run_abreast<S: Simd>(
        &self,
        simd: S,
        policy: &Compiled,
        draws: &Philox,
        window: &mut Vec<u32>,
        scratch: &mut Scratch,
    ) -> Option<(u64, Tally)> {
        let mut tally = Tally::new(self.workload, &self.outages, self.service.tick, self.grid.ticks);
        let mut health = Health::new(self, window);
        let mut calls = self.start(simd, draws, scratch);
        let remembers = policy.looks_back || !policy.is_simple() || !policy.is_columnar(None);
        let mut steps = 0;
        scratch.pasts.clear();
        for tick in 0..self.grid.ticks {
            let retries = scratch.calendar.take(tick, &mut scratch.due);
            let size = self.arrivals_abreast(tick, retries, &mut calls, draws, scratch);
            if remembers {
                let nothing = Past { first_send: 0.0, memory: policy.memory() };
                scratch.pasts.resize(calls as usize, nothing);
            }
            let Found { outage, down, crash } = health.arrive(tick, size);
            if let Some(up_at) = crash {
                tally.crash(tick, up_at);
            }
            tally.batch(tick, size, size - if self.is_open() { retries } else { 0 }, outage, down);
            let capacity = if down { 0 } else { self.service.capacity as usize };
            tally.successes(tick, size.min(capacity), self.unit.to_secs(self.grid.answer(tick)));
            if size > capacity {
                self.draw(size, capacity > 0, draws, scratch);
                if capacity > 0 {
                    drop_served(size, capacity, scratch);
                }
                let refused = size - capacity;
                let now = Now { tick, time: self.grid.at(tick), hint: if down { None } else { self.hint } };
                let retries = self.refuse(simd, now, refused, policy, draws, scratch);
                tally.gave_up(refused - retries);
                steps += retries as u64;
                if steps >= MAX_STEPS {
                    return None;
                }
            }
            if !self.is_open() && scratch.calendar.is_empty() {
                break;
            }
        }
        Some((calls, tally))
    }

    /// First sends of a burst, into the calendar; gives their number.
    #[inline(always)]
    fn start<S: Simd>(&self, simd: S, draws: &Philox, scratch: &mut Scratch) -> u64 {
        let Scratch { calendar, clients, .. } = scratch;
        calendar.reset(self.grid.ticks);
        clients.clear();
        if self.is_open() {
            return 0;
        }
        let burst = self.crowd.clients();
        for first in (0..burst).step_by(ROW) {
            let (mut keys, mut calls, mut starts) = ([0; ROW], [0; ROW], [0.0; ROW]);
            for (i, client) in (0..ROW).zip(first..) {
                (keys[i], calls[i]) = (due(client, 0), due(client, 1));
            }
            if self.crowd.spread > 0.0 {
                let [_, bits] = draws.blocks(Purpose::Start, &keys);
                for i in 0..ROW {
                    starts[i] = self.crowd.spread * unit(bits[i].rotate_left(32));
                }
            }
            let ticks = self.grid.first_ticks(simd, f64x8::load_array(simd, starts)).to_array();
            let clients = ROW.min((burst - first) as usize);
            calendar.push(&ticks[..clients], &calls[..clients]);
        }
        u64::from(burst)
    }

    /// New calls of an open workload, behind the retries of the tick; gives the number of requests.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "ticks and calls are below 2^27")]
    fn arrivals_abreast(
        &self,
        tick: usize,
        retries: usize,
        calls: &mut u64,
        draws: &Philox,
        scratch: &mut Scratch,
    ) -> usize {
        let Workload::Open(open) = self.workload else { return retries };
        let Scratch { due: requests, clients, .. } = scratch;
        let mut size = retries;
        for first in (0..open.clients).step_by(ROW) {
            let mut keys = [0; ROW];
            for (key, client) in keys.iter_mut().zip(first..) {
                *key = due(client, tick as u32);
            }
            let [_, bits] = draws.blocks(Purpose::Arrival, &keys);
            for (bits, client) in bits.iter().zip(first..open.clients) {
                for _ in 0..self.new_calls.at(unit(bits.rotate_left(32))) {
                    if size == requests.len() * ROW {
                        requests.push([0; ROW]);
                    }
                    requests[size / ROW][size % ROW] = due(*calls as u32, 1);
                    clients.push(client);
                    *calls += 1;
                    size += 1;
                }
            }
        }
        size
    }

    /// Draws for a tick's requests the beginnings of their streams, and tickets if anybody is served.
    #[inline(always)]
    fn draw(&self, size: usize, is_up: bool, draws: &Philox, scratch: &mut Scratch) {
        let Scratch { due, bits, tickets, clients, .. } = scratch;
        if bits.len() < due.len() {
            bits.resize(due.len(), [0; ROW]);
            tickets.resize(due.len(), [0; ROW]);
        }
        let rows = size.div_ceil(ROW);
        for ((due, bits), tickets) in due[..rows].iter().zip(&mut bits[..rows]).zip(&mut tickets[..rows]) {
            let lots;
            [lots, *bits] = draws.blocks(Purpose::Attempt, due);
            if !is_up {
                continue;
            }
            for i in 0..ROW {
                tickets[i] = due[i] >> 32;
            }
            if self.service.admission == Admission::Random {
                for i in 0..ROW {
                    tickets[i] |= lots[i] << 32;
                }
            } else if self.is_open() {
                // In a burst a call has the number of its client.
                for ticket in tickets {
                    let client = clients.get(*ticket as usize).copied().unwrap_or_default();
                    *ticket |= u64::from(client) << 32;
                }
            }
        }
    }

    /// Puts the retries of those who aren't served into the calendar; gives their number.
    #[inline(always)]
    fn refuse<S: Simd>(
        &self,
        simd: S,
        now: Now,
        refused: usize,
        policy: &Compiled,
        draws: &Philox,
        scratch: &mut Scratch,
    ) -> usize {
        let Scratch { calendar, due, bits, pasts, .. } = scratch;
        let all = |x: u64| u64x8::splat(simd, x);
        let places = u64x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let most = all(u64::from(policy.own.limits.max_attempts));
        let in_vectors = policy.is_simple() && policy.is_columnar(None);
        let mut retries = 0;
        for ((due, bits), first) in due.iter().zip(bits).zip((0..refused).step_by(ROW)) {
            let requests = ROW.min(refused - first);
            let calls = u64x8::load_array_ref(simd, due);
            let attempts = calls & all(u64::from(u32::MAX));
            let exist = places.simd_lt(all(requests as u64));
            let mut retry = exist & attempts.simd_lt(most);
            let delays = if in_vectors {
                delays(simd, attempts, due, bits, requests, policy, pasts)
            } else {
                let delays = each_delay(now, &due[..requests], bits, policy, draws, pasts);
                let delays = f64x8::load_array(simd, delays);
                retry &= !delays.is_nan();
                delays
            };
            let ticks = self.grid.retry_ticks(simd, now.tick, delays).compress(retry).to_array();
            let next = (calls + all(1)).compress(retry).to_array();
            let kept = retry.to_bitmask().count_ones() as usize;
            calendar.push(&ticks[..kept], &next[..kept]);
            retries += kept;
        }
        retries
    }
}

/// The delays before the retries of a row.
#[inline(always)]
fn delays<S: Simd>(
    simd: S,
    attempts: u64x8<S>,
    due: &Row<Due>,
    bits: &Row<u64>,
    requests: usize,
    policy: &Compiled,
    pasts: &mut [Past],
) -> f64x8<S> {
    let (mut units, mut before) = ([0.0; ROW], [0.0; ROW]);
    for i in 0..ROW {
        units[i] = unit(bits[i].rotate_left(32));
    }
    if policy.looks_back {
        for (before, due) in before.iter_mut().zip(&due[..requests]) {
            *before = pasts[call(*due)].memory.previous;
        }
    }
    let [units, previous] = [units, before].map(|column| f64x8::load_array(simd, column));
    let delays = policy.own.delay.before_retries(simd, &Retries { n: attempts, previous, units });
    if policy.looks_back {
        for (delay, due) in delays.to_array().iter().zip(&due[..requests]) {
            pasts[call(*due)].memory.previous = *delay;
        }
    }
    delays
}

/// The same, one after the other, where a hint or time counts as well; NaN where the call is given up.
#[inline(never)]
fn each_delay(
    now: Now,
    due: &[Due],
    bits: &Row<u64>,
    policy: &Compiled,
    draws: &Philox,
    pasts: &mut [Past],
) -> Row<f64> {
    let mut delays = [f64::NAN; ROW];
    for ((delay, due), bits) in delays.iter_mut().zip(due).zip(bits) {
        let (call, attempt) = (call(*due), *due as u32);
        let past = &mut pasts[call];
        if attempt == 1 {
            *past = Past { first_send: now.time, memory: policy.memory() };
        }
        let (rules, elapsed) = (&policy.own, now.time - past.first_send);
        if attempt >= rules.limits.max_attempts || rules.limits.is_spent(elapsed) {
            continue;
        }
        let mut draws = *draws;
        let stream = &mut draws.resume(Purpose::Attempt, call as u32, attempt, bits.rotate_left(32));
        let wait = rules.delay(attempt, Class::Throttle, now.hint, &mut past.memory, stream);
        if let Some(Timely::Wait(wait)) = wait.map(|wait| rules.limits.admit(elapsed, wait)) {
            *delay = wait;
        }
    }
    delays
}

/// The call that is due.
#[inline(always)]
fn call(due: Due) -> usize {
    (due >> 32) as usize
}

#[inline(always)]
fn due(call: u32, attempt: u32) -> Due {
    u64::from(call) << 32 | u64::from(attempt)
}

/// Leaves those among the requests who aren't served.
#[inline(always)]
fn drop_served(size: usize, capacity: usize, scratch: &mut Scratch) {
    let Scratch { due, bits, tickets, served, room, .. } = scratch;
    let (due, bits) = (due.as_flattened_mut(), bits.as_flattened_mut());
    served.resize(size, false);
    mark_smallest(&tickets.as_flattened()[..size], capacity, room, served);
    let mut kept = 0;
    for (i, served) in served.iter().enumerate() {
        (due[kept], bits[kept]) = (due[i], bits[i]);
        kept += usize::from(!served);
    }
}
