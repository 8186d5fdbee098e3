//! [`TickCapacity`](super::TickCapacity) for totals: the requests of a tick abreast, a row of them in a vector.
//!
//! The same rules, the same draws and the same totals as one request after the other. For policies whose delays go by
//! attempts and draws alone.

use fearless_simd::{Simd, SimdBase, SimdMask, dispatch, f64x8, u64x8};

use super::{
    Admission,
    health::{Found, Health},
    kernel::Prepared,
    tally::Tally,
};
use crate::{
    callers::MAX_ATTEMPTS,
    draw::{Philox, Purpose, mark_smallest, unit},
    due::{Due, DueCalendar, ROW},
    limits::MAX_STEPS,
    policy::{Compiled, delay::Retries},
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
    units: Vec<Row<f64>>,
    tickets: Vec<Row<u64>>,
    served: Vec<bool>,
    room: Vec<u64>,
    /// The client of each call of an open workload.
    clients: Vec<u32>,
    /// The delay that each call has had last, if a stage looks back.
    previous: Vec<f64>,
    row: Vec<f64>,
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
        let fits = self.grid.ticks <= MOST_TICKS && policy.is_simple() && policy.is_columnar(None);
        let made = fits
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
        let mut calls = self.start(draws, scratch);
        let mut steps = 0;
        scratch.previous.clear();
        for tick in 0..self.grid.ticks {
            let retries = scratch.calendar.take(tick, &mut scratch.due);
            let size = self.arrivals_abreast(tick, retries, &mut calls, draws, scratch);
            if policy.looks_back {
                scratch.previous.resize(calls as usize, policy.memory().previous);
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
                let retries = self.refuse(simd, tick, refused, policy, scratch);
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

    /// First sends of a burst, into the calendar.
    #[inline(always)]
    fn start(&self, draws: &Philox, scratch: &mut Scratch) -> u64 {
        let Scratch { calendar, clients, .. } = scratch;
        calendar.reset(self.grid.ticks);
        clients.clear();
        if self.is_open() {
            return 0;
        }
        let burst = self.crowd.clients();
        if self.crowd.spread <= 0.0 {
            (0..burst).for_each(|client| calendar.push(&[0], &[due(client, 1)]));
            return u64::from(burst);
        }
        for first in (0..burst).step_by(ROW) {
            let mut keys = [0; ROW];
            for (key, client) in keys.iter_mut().zip(first..) {
                *key = due(client, 0);
            }
            let [_, bits] = draws.blocks(Purpose::Start, &keys);
            for (bits, client) in bits.iter().zip(first..burst) {
                let start = self.crowd.spread * unit(bits.rotate_left(32));
                calendar.push(&[self.grid.first_tick(start) as u64], &[due(client, 1)]);
            }
        }
        u64::from(self.crowd.clients())
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

    /// Draws the delays of a tick's requests, and their tickets if there is a lottery.
    #[inline(always)]
    fn draw(&self, size: usize, is_up: bool, draws: &Philox, scratch: &mut Scratch) {
        let Scratch { due, units, tickets, clients, .. } = scratch;
        if units.len() < due.len() {
            units.resize(due.len(), [0.0; ROW]);
            tickets.resize(due.len(), [0; ROW]);
        }
        let rows = size.div_ceil(ROW);
        for ((due, units), tickets) in due[..rows].iter().zip(&mut units[..rows]).zip(&mut tickets[..rows]) {
            let [lots, bits] = draws.blocks(Purpose::Attempt, due);
            for i in 0..ROW {
                units[i] = unit(bits[i].rotate_left(32));
            }
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
        tick: usize,
        refused: usize,
        policy: &Compiled,
        scratch: &mut Scratch,
    ) -> usize {
        let Scratch { calendar, due, units, previous, .. } = scratch;
        let all = |x: u64| u64x8::splat(simd, x);
        let places = u64x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let most = all(u64::from(policy.own.limits.max_attempts));
        let mut retries = 0;
        for ((due, units), first) in due.iter().zip(units).zip((0..refused).step_by(ROW)) {
            let exist = places.simd_lt(all((refused - first) as u64));
            let mut before = [0.0; ROW];
            if policy.looks_back {
                for i in 0..ROW.min(refused - first) {
                    before[i] = previous[(due[i] >> 32) as usize];
                }
            }
            let calls = u64x8::load_array_ref(simd, due);
            let attempts = calls & all(u64::from(u32::MAX));
            let delays = policy.own.delay.before_retries(
                simd,
                &Retries {
                    n: attempts,
                    previous: f64x8::load_array(simd, before),
                    units: f64x8::load_array_ref(simd, units),
                },
            );
            let retry = exist & attempts.simd_lt(most);
            let ticks = self.grid.retry_ticks(simd, tick, delays).compress(retry).to_array();
            let next = (calls + all(1)).compress(retry).to_array();
            let kept = retry.to_bitmask().count_ones() as usize;
            calendar.push(&ticks[..kept], &next[..kept]);
            retries += kept;
            if policy.looks_back {
                for i in 0..ROW.min(refused - first) {
                    previous[(due[i] >> 32) as usize] = delays[i];
                }
            }
        }
        retries
    }
}

#[inline(always)]
fn due(call: u32, attempt: u32) -> Due {
    u64::from(call) << 32 | u64::from(attempt)
}

/// Leaves those among the requests who aren't served.
#[inline(always)]
fn drop_served(size: usize, capacity: usize, scratch: &mut Scratch) {
    let Scratch { due, units, tickets, served, room, .. } = scratch;
    let (due, units) = (due.as_flattened_mut(), units.as_flattened_mut());
    served.resize(size, false);
    mark_smallest(&tickets.as_flattened()[..size], capacity, room, served);
    let mut kept = 0;
    for (i, served) in served.iter().enumerate() {
        (due[kept], units[kept]) = (due[i], units[i]);
        kept += usize::from(!served);
    }
}
