//! [`TickCapacity`](super::TickCapacity) for totals: the requests of a tick abreast, a row of them in a vector.
//!
//! The same rules, the same draws and the same totals as one request after the other, for calls that share nothing.
//! Delays are computed in vectors, too, if they go by attempts and draws alone.

use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask, dispatch, f64x8, mask64x8, u64x8};

use super::{
    Admission,
    health::{Found, Health},
    kernel::Prepared,
    tally::Tally,
};
use crate::{
    callers::MAX_ATTEMPTS,
    draw::{Common, Draws, Philox, Purpose, mark_smallest, unit},
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
    common: Common,
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
    /// In each tick the requests that have been refused already, and before which tick all in the calendar have.
    meanwhile: Vec<u32>,
    walked_until: usize,
    walkers: Box<Walkers>,
    row: Vec<f64>,
}

/// What a call has been through.
#[derive(Clone, Copy, Debug)]
struct Past {
    first_send: f64,
    memory: Memory,
}

/// Requests that are refused, a row of them at the most.
struct Refusal<'r, S: Simd> {
    /// In which tick each of them is.
    ticks: u64x8<S>,
    due: &'r Row<Due>,
    /// Beginnings of their streams.
    bits: &'r Row<u64>,
    requests: usize,
    hint: Option<f64>,
}

/// What comes of refusing until the service is up.
#[derive(Default)]
struct Refused {
    requests: usize,
    retries: usize,
    /// Requests in later ticks that have been refused already.
    meanwhile: usize,
}

/// Calls that walk through an outage side by side: so many that a loop over them is long, so few that a cache holds them.
const WALKERS: usize = 512;

/// Calls on their way through an outage, with room for a row behind them.
#[derive(Debug)]
struct Walkers {
    calls: usize,
    due: [Due; WALKERS + ROW],
    /// The tick of each one's request.
    ticks: [u64; WALKERS + ROW],
    /// Calls and ticks of the retries beyond the outage.
    later_due: [Due; WALKERS + ROW],
    later_ticks: [u64; WALKERS + ROW],
}

impl Default for Walkers {
    fn default() -> Self {
        let [due, ticks, later_due, later_ticks] = [[0; WALKERS + ROW]; 4];
        Self { calls: 0, due, ticks, later_due, later_ticks }
    }
}

impl Walkers {
    /// Adds requests of a tick while there is room; gives their number.
    #[inline(always)]
    fn add(&mut self, tick: usize, due: &[Due]) -> usize {
        let added = due.len().min(WALKERS - self.calls);
        let places = self.calls..self.calls + added;
        self.due[places.clone()].copy_from_slice(&due[..added]);
        self.ticks[places].fill(tick as u64);
        self.calls += added;
        added
    }
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
        scratch.common = draws.common();
        let mut calls = self.start(simd, scratch);
        let remembers = policy.looks_back || !policy.is_simple() || !policy.is_columnar(None);
        let mut steps = 0;
        let mut meanwhile = 0;
        scratch.pasts.clear();
        scratch.meanwhile.clear();
        scratch.meanwhile.resize(self.grid.ticks, 0);
        scratch.walked_until = 0;
        for tick in 0..self.grid.ticks {
            let refused_already = scratch.meanwhile[tick] as usize;
            meanwhile -= refused_already;
            let due = scratch.calendar.take(tick, &mut scratch.due);
            let present = self.arrivals_abreast(tick, due, &mut calls, scratch);
            let size = present + refused_already;
            if remembers {
                let nothing = Past { first_send: 0.0, memory: policy.memory() };
                scratch.pasts.resize(calls as usize, nothing);
            }
            let Found { outage, down, crash } = health.arrive(tick, size);
            if let Some(up_at) = crash {
                tally.crash(tick, up_at);
            }
            let new = if self.is_open() { present - due } else { size };
            tally.batch(tick, size, new, outage, down.is_some());
            let capacity = self.service.capacity as usize;
            if let Some(until) = down {
                let refused = self.refuse_until(simd, (tick, until), present, policy, draws, scratch);
                tally.gave_up(refused.requests - refused.retries);
                steps += refused.retries as u64;
                meanwhile += refused.meanwhile;
            } else {
                tally.successes(tick, size.min(capacity), self.unit.to_secs(self.grid.answer(tick)));
                if size > capacity {
                    self.draw(size, scratch);
                    if capacity > 0 {
                        drop_served(size, capacity, scratch);
                    }
                    let refused = size - capacity;
                    let retries = self.refuse(simd, tick, refused, policy, draws, scratch);
                    tally.gave_up(refused - retries);
                    steps += retries as u64;
                }
            }
            if steps >= MAX_STEPS {
                return None;
            }
            if !self.is_open() && scratch.calendar.is_empty() && meanwhile == 0 {
                break;
            }
        }
        Some((calls, tally))
    }

    /// First sends of a burst, into the calendar; gives their number.
    #[inline(always)]
    fn start<S: Simd>(&self, simd: S, scratch: &mut Scratch) -> u64 {
        let Scratch { common, calendar, clients, .. } = scratch;
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
                let [_, bits] = common.blocks(Purpose::Start, &keys);
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
    fn arrivals_abreast(&self, tick: usize, retries: usize, calls: &mut u64, scratch: &mut Scratch) -> usize {
        let Workload::Open(open) = self.workload else { return retries };
        let Scratch { common, due: requests, clients, .. } = scratch;
        let mut size = retries;
        for first in (0..open.clients).step_by(ROW) {
            let mut keys = [0; ROW];
            for (key, client) in keys.iter_mut().zip(first..) {
                *key = due(client, tick as u32);
            }
            let [_, bits] = common.blocks(Purpose::Arrival, &keys);
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

    /// Draws for a tick's requests the beginnings of their streams, and tickets.
    #[inline(always)]
    fn draw(&self, size: usize, scratch: &mut Scratch) {
        let Scratch { common, due, bits, tickets, clients, .. } = scratch;
        if bits.len() < due.len() {
            bits.resize(due.len(), [0; ROW]);
            tickets.resize(due.len(), [0; ROW]);
        }
        let rows = size.div_ceil(ROW);
        for ((due, bits), tickets) in due[..rows].iter().zip(&mut bits[..rows]).zip(&mut tickets[..rows]) {
            let lots;
            [lots, *bits] = common.blocks(Purpose::Attempt, due);
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

    /// Refuses those who aren't served in a tick, and puts their retries into the calendar; gives their number.
    #[inline(always)]
    fn refuse<S: Simd>(
        &self,
        simd: S,
        tick: usize,
        refused: usize,
        policy: &Compiled,
        draws: &Philox,
        scratch: &mut Scratch,
    ) -> usize {
        let Scratch { calendar, due, bits, pasts, .. } = scratch;
        let ticks = u64x8::splat(simd, tick as u64);
        let mut retries = 0;
        for ((due, bits), first) in due.iter().zip(bits).zip((0..refused).step_by(ROW)) {
            let refusal = Refusal { ticks, due, bits, requests: ROW.min(refused - first), hint: self.hint };
            let (retry, ticks) = self.retry(simd, &refusal, policy, draws, pasts);
            let ticks = ticks.compress(retry).to_array();
            let next = (u64x8::load_array_ref(simd, due) + u64x8::splat(simd, 1)).compress(retry).to_array();
            let kept = retry.to_bitmask().count_ones() as usize;
            calendar.push(&ticks[..kept], &next[..kept]);
            retries += kept;
        }
        retries
    }

    /// Refuses all requests until the service may be up again: until then calls have nothing to do with each other.
    ///
    /// These are the requests of `tick`, those of the ticks after it if nobody has done this before, and those that they
    /// are followed by. Puts the retries that come later into the calendar.
    #[inline(always)]
    fn refuse_until<S: Simd>(
        &self,
        simd: S,
        (tick, until): (usize, usize),
        requests: usize,
        policy: &Compiled,
        draws: &Philox,
        scratch: &mut Scratch,
    ) -> Refused {
        let until = until.min(self.grid.ticks);
        let mut refused = Refused::default();
        let (mut tick, mut present, mut begun) = (tick, requests, 0);
        loop {
            let Scratch { calendar, due, meanwhile, walked_until, walkers, .. } = scratch;
            while walkers.calls < WALKERS {
                begun += walkers.add(tick, &due.as_flattened()[begun..present]);
                if begun == present {
                    tick = (tick + 1).max(*walked_until);
                    if tick >= until {
                        break;
                    }
                    (present, begun) = (calendar.take(tick, due), 0);
                    meanwhile[tick] += present as u32;
                    refused.meanwhile += present;
                }
            }
            if walkers.calls == 0 {
                *walked_until = until.max(*walked_until);
                return refused;
            }
            self.walk(simd, until, policy, draws, scratch, &mut refused);
        }
    }

    /// Refuses those who walk, and refuses them again in whatever tick they come back before `until`.
    #[inline(always)]
    fn walk<S: Simd>(
        &self,
        simd: S,
        until: usize,
        policy: &Compiled,
        draws: &Philox,
        scratch: &mut Scratch,
        refused: &mut Refused,
    ) {
        let Scratch { common, calendar, pasts, meanwhile, walkers, .. } = scratch;
        let Walkers { calls, due, ticks, later_due, later_ticks } = &mut **walkers;
        while *calls > 0 {
            let (mut kept, mut left) = (0, 0);
            for first in (0..*calls).step_by(ROW) {
                let mut row = [0; ROW];
                row.copy_from_slice(&due[first..first + ROW]);
                let [_, bits] = common.blocks(Purpose::Attempt, &row);
                let refusal = Refusal {
                    ticks: u64x8::from_slice(simd, &ticks[first..first + ROW]),
                    due: &row,
                    bits: &bits,
                    requests: ROW.min(*calls - first),
                    hint: None,
                };
                let (retry, next_ticks) = self.retry(simd, &refusal, policy, draws, pasts);
                let next = u64x8::load_array(simd, row) + u64x8::splat(simd, 1);
                let returns = retry & next_ticks.simd_lt(u64x8::splat(simd, until as u64));
                let leaves = retry & !returns;
                next_ticks.compress(returns).store_slice(&mut ticks[kept..kept + ROW]);
                next.compress(returns).store_slice(&mut due[kept..kept + ROW]);
                next_ticks.compress(leaves).store_slice(&mut later_ticks[left..left + ROW]);
                next.compress(leaves).store_slice(&mut later_due[left..left + ROW]);
                kept += returns.to_bitmask().count_ones() as usize;
                left += leaves.to_bitmask().count_ones() as usize;
            }
            for tick in &ticks[..kept] {
                meanwhile[*tick as usize] += 1;
            }
            calendar.push(&later_ticks[..left], &later_due[..left]);
            refused.requests += *calls;
            refused.retries += kept + left;
            refused.meanwhile += kept;
            *calls = kept;
        }
    }

    /// Whether each request of a row is retried, and in which tick.
    #[inline(always)]
    fn retry<S: Simd>(
        &self,
        simd: S,
        refusal: &Refusal<'_, S>,
        policy: &Compiled,
        draws: &Philox,
        pasts: &mut [Past],
    ) -> (mask64x8<S>, u64x8<S>) {
        let all = |x: u64| u64x8::splat(simd, x);
        let places = u64x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let attempts = u64x8::load_array_ref(simd, refusal.due) & all(u64::from(u32::MAX));
        let exist = places.simd_lt(all(refusal.requests as u64));
        let mut retry = exist & attempts.simd_lt(all(u64::from(policy.own.limits.max_attempts)));
        let delays = if policy.is_simple() && policy.is_columnar(None) {
            delays(simd, attempts, refusal, policy, pasts)
        } else {
            let times = self.grid.all_at(simd, refusal.ticks).to_array();
            let delays = f64x8::load_array(simd, each_delay(refusal, &times, policy, draws, pasts));
            retry &= !delays.is_nan();
            delays
        };
        (retry, self.grid.retry_ticks(simd, refusal.ticks, delays))
    }
}

/// The delays before the retries of a row.
#[inline(always)]
fn delays<S: Simd>(
    simd: S,
    attempts: u64x8<S>,
    refusal: &Refusal<'_, S>,
    policy: &Compiled,
    pasts: &mut [Past],
) -> f64x8<S> {
    let due = &refusal.due[..refusal.requests];
    let (mut units, mut before) = ([0.0; ROW], [0.0; ROW]);
    for (number, bits) in units.iter_mut().zip(refusal.bits) {
        *number = unit(bits.rotate_left(32));
    }
    if policy.looks_back {
        for (before, due) in before.iter_mut().zip(due) {
            *before = pasts[call(*due)].memory.previous;
        }
    }
    let [units, previous] = [units, before].map(|column| f64x8::load_array(simd, column));
    let delays = policy.own.delay.before_retries(simd, &Retries { n: attempts, previous, units });
    if policy.looks_back {
        for (delay, due) in delays.to_array().iter().zip(due) {
            pasts[call(*due)].memory.previous = *delay;
        }
    }
    delays
}

/// The same, one after the other, where a hint or time counts as well; NaN where the call is given up.
#[inline(never)]
fn each_delay<S: Simd>(
    refusal: &Refusal<'_, S>,
    times: &Row<f64>,
    policy: &Compiled,
    draws: &Philox,
    pasts: &mut [Past],
) -> Row<f64> {
    let mut delays = [f64::NAN; ROW];
    for (i, delay) in delays.iter_mut().enumerate().take(refusal.requests) {
        let (call, attempt) = (call(refusal.due[i]), refusal.due[i] as u32);
        let past = &mut pasts[call];
        if attempt == 1 {
            *past = Past { first_send: times[i], memory: policy.memory() };
        }
        let (rules, elapsed) = (&policy.own, times[i] - past.first_send);
        if attempt >= rules.limits.max_attempts || rules.limits.is_spent(elapsed) {
            continue;
        }
        let mut draws = *draws;
        let bits = refusal.bits[i].rotate_left(32);
        let stream = &mut draws.resume(Purpose::Attempt, call as u32, attempt, bits);
        let wait = rules.delay(attempt, Class::Throttle, refusal.hint, &mut past.memory, stream);
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
