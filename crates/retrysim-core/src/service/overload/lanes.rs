//! [`Overload`](super::Overload) for few clients, many runs side by side: a run a lane, a start of each at every step.
//!
//! The same rules, the same draws and the same totals as one run after the other, with half the events and without a
//! branch that depends on a draw. For policies of which nothing but the delay and the number of attempts matters here; a lane whose run is over
//! takes the next one.

use std::ops::Range;

use fearless_simd::{Select, Simd, SimdBase, SimdMask, dispatch, f64x8, mask64x8, u64x8};

use super::{Prepared, Totals};
use crate::{
    callers::MAX_ATTEMPTS,
    draw::{Abreast, Draws, Philox, Purpose, unit},
    policy::{
        Compiled,
        delay::{Memory, Retries},
    },
    record::Completion,
    service::Kernel,
};

/// Runs in a vector.
const LANES: usize = 8;

/// With more clients a queue finds the earliest event sooner.
const MOST_CLIENTS: usize = 8;

/// A value of each run.
type Lane<T> = [T; LANES];

/// The next start of a client that waits for the end of its call: if that ends well there is none.
const UNKNOWN: f64 = f64::INFINITY;

/// The next start of a client that has no attempt left: beyond every horizon.
const GAVE_UP: f64 = f64::MAX;

/// What a worker keeps from block to block.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Two, so that one is computed while the other waits for what it needs.
    groups: [Group; 2],
    row: Vec<f64>,
}

/// Runs that are made in step.
#[derive(Clone, Debug)]
struct Group {
    clients: [Client; MOST_CLIENTS],
    /// The run in each lane, and a bit for each that has one.
    runs: Lane<usize>,
    active: u64,
    draws: Abreast<LANES>,
    /// Most calls in flight.
    peak: Lane<u64>,
}

/// A client in each run.
#[derive(Clone, Copy, Debug)]
struct Client {
    /// Its next start, as far as it is known.
    next: Lane<f64>,
    /// Attempts that it has started, when the last one ends, and when the next one starts if that fails.
    attempts: Lane<u64>,
    end: Lane<f64>,
    retry: Lane<f64>,
    /// What its call remembers of its delays.
    previous: Lane<f64>,
    telescope: Lane<f64>,
}

/// What runs are made from: the draws of each, and the rules as a step needs them.
struct Block<'b> {
    draws: &'b [Philox],
    policy: &'b Compiled,
    clients: usize,
    horizon: f64,
    call: f64,
    capacity: u64,
    max_attempts: u64,
    /// Successes at each mark of completion.
    needed: [u64; 4],
}

/// Who is the next to start in each run, when, and with which attempt.
struct Starting<S: Simd> {
    now: f64x8<S>,
    client: u64x8<S>,
    attempt: u64x8<S>,
    previous: f64x8<S>,
}

impl Prepared {
    /// Makes all runs, or none if the policy or the number of clients asks for more than this knows.
    pub(super) fn in_lanes(
        &self,
        policy: &Compiled,
        draws: &[Philox],
        scratch: &mut Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        let clients = self.crowd.clients();
        let block = Block {
            draws,
            policy,
            clients: clients as usize,
            horizon: self.horizon,
            call: self.call,
            capacity: u64::from(self.capacity),
            max_attempts: u64::from(policy.own.limits.max_attempts),
            needed: Completion::needed(u64::from(clients)),
        };
        // A run whose calls could go on for ever is left to those who tell.
        let is_bounded = block.max_attempts < u64::from(MAX_ATTEMPTS)
            || self.horizon / self.call < f64::from(MAX_ATTEMPTS);
        if block.clients > MOST_CLIENTS || !is_bounded || !policy.is_simple() {
            return false;
        }
        scratch.row.resize(self.columns().len(), f64::NAN);
        let Some(level) = draws.first().map(Philox::level) else { return true };
        dispatch!(level, simd => self.run_all(simd, &block, scratch, done));
        true
    }

    #[inline(always)]
    fn run_all<S: Simd>(
        &self,
        simd: S,
        block: &Block<'_>,
        scratch: &mut Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) {
        let Scratch { groups, row } = scratch;
        let mut waiting = 0..block.draws.len();
        for group in groups.iter_mut() {
            *group = Group::default();
            (0..LANES).for_each(|lane| self.begin(lane, &mut waiting, block, group));
        }
        let [one, two] = groups;
        while one.active | two.active != 0 {
            let starting =
                [Starting::find(simd, block, &one.clients), Starting::find(simd, block, &two.clients)];
            let bits = [one.bits(block, &starting[0]), two.bits(block, &starting[1])];
            for (group, i) in [(&mut *one, 0), (&mut *two, 1)] {
                let starts = starting[i].now.simd_lt(f64x8::splat(simd, block.horizon));
                group.step(simd, block, &starting[i], starts, &bits[i]);
                let over = group.active & !starts.to_bitmask();
                if over != 0 {
                    self.turn_over(over, &mut waiting, block, group, row, done);
                }
            }
        }
    }

    /// Gives the lanes whose runs are over to the next ones.
    #[inline(never)]
    fn turn_over(
        &self,
        over: u64,
        waiting: &mut Range<usize>,
        block: &Block<'_>,
        group: &mut Group,
        row: &mut [f64],
        done: &mut dyn FnMut(usize, &[f64]),
    ) {
        for lane in (0..LANES).filter(|lane| over >> lane & 1 == 1) {
            self.totals(lane, block, group).write(self.crowd.clients(), row);
            done(group.runs[lane], row);
            self.begin(lane, waiting, block, group);
        }
    }

    /// Puts the next run into a lane, if there is one.
    fn begin(&self, lane: usize, waiting: &mut Range<usize>, block: &Block<'_>, group: &mut Group) {
        let Some(run) = waiting.next() else {
            group.active &= !(1 << lane);
            return;
        };
        let mut draws = block.draws[run];
        group.runs[lane] = run;
        group.draws.set(lane, &draws);
        group.active |= 1 << lane;
        group.peak[lane] = 0;
        for (client, number) in group.clients[..block.clients].iter_mut().zip(0..) {
            client.next[lane] = self.crowd.start(number, &mut draws);
            client.attempts[lane] = 0;
            client.end[lane] = f64::NEG_INFINITY;
            let Memory { previous, telescope } = block.policy.memory();
            (client.previous[lane], client.telescope[lane]) = (previous, telescope);
        }
    }

    /// The totals of a run that is over.
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn totals(&self, lane: usize, block: &Block<'_>, group: &Group) -> Totals {
        let (mut starts, mut successes, mut gave_up) = (0, 0, 0);
        let (mut first_success, mut most) = (f64::INFINITY, 0.0_f64);
        let mut ends = [f64::INFINITY; MOST_CLIENTS];
        for (client, end) in group.clients[..block.clients].iter().zip(&mut ends) {
            let attempts = client.attempts[lane];
            starts += attempts;
            most = most.max(attempts as f64);
            if client.next[lane] == UNKNOWN {
                successes += 1;
                first_success = first_success.min(attempts as f64);
                *end = client.end[lane];
            } else if attempts >= block.max_attempts {
                gave_up += 1;
            }
        }
        sort(&mut ends);
        // When so many calls had succeeded, in seconds.
        let when = |calls: u64| {
            if calls <= successes { self.unit.to_secs(ends[calls as usize - 1]) } else { f64::NAN }
        };
        let [t50, t90, t99, all] = block.needed.map(when);
        Totals {
            starts,
            successes,
            gave_up,
            peak: group.peak[lane] as f64,
            first_success: if successes == 0 { f64::NAN } else { first_success },
            most,
            times: [t50, t90, t99, if successes == 0 { f64::NAN } else { when(successes) }],
            finish: all,
        }
    }
}

impl Default for Group {
    /// No run.
    fn default() -> Self {
        let nobody = Client {
            next: [UNKNOWN; LANES],
            attempts: [0; LANES],
            end: [f64::NEG_INFINITY; LANES],
            retry: [GAVE_UP; LANES],
            previous: [0.0; LANES],
            telescope: [0.0; LANES],
        };
        Self {
            clients: [nobody; MOST_CLIENTS],
            runs: [0; LANES],
            active: 0,
            draws: Abreast::default(),
            peak: [0; LANES],
        }
    }
}

/// Sorts numbers by comparing all neighbours as often as there are numbers, so that no branch depends on them.
fn sort(values: &mut [f64; MOST_CLIENTS]) {
    for round in 0..MOST_CLIENTS {
        for i in (round % 2..MOST_CLIENTS - 1).step_by(2) {
            let [a, b] = [values[i], values[i + 1]];
            (values[i], values[i + 1]) = if b < a { (b, a) } else { (a, b) };
        }
    }
}

#[inline(always)]
fn counts<S: Simd>(simd: S, values: &Lane<u64>) -> u64x8<S> {
    u64x8::load_array_ref(simd, values)
}

#[inline(always)]
fn times<S: Simd>(simd: S, values: &Lane<f64>) -> f64x8<S> {
    f64x8::load_array_ref(simd, values)
}

/// Sets the values whose mask is set.
#[inline(always)]
fn set<S: Simd, V: SimdBase<S, Array = Lane<T>>, T>(simd: S, mask: V::Mask, new: V, values: &mut Lane<T>) {
    mask.select(new, V::load_array_ref(simd, values)).store_array(values);
}

/// One where the mask is set.
#[inline(always)]
fn count<S: Simd>(simd: S, mask: mask64x8<S>) -> u64x8<S> {
    mask.select(u64x8::splat(simd, 1), u64x8::splat(simd, 0))
}

impl Client {
    /// Where its call is in flight; at its end it has left.
    #[inline(always)]
    fn is_in_flight<S: Simd>(&self, simd: S, now: f64x8<S>) -> mask64x8<S> {
        now.simd_lt(times(simd, &self.end))
    }
}

impl<S: Simd> Starting<S> {
    /// The earliest start of each run; among equals that of the lowest client.
    #[inline(always)]
    fn find(simd: S, block: &Block<'_>, clients: &[Client; MOST_CLIENTS]) -> Self {
        let mut first = Self {
            now: f64x8::splat(simd, UNKNOWN),
            client: u64x8::splat(simd, 0),
            attempt: u64x8::splat(simd, 0),
            previous: f64x8::splat(simd, 0.0),
        };
        for (client, number) in clients[..block.clients].iter().zip(0..) {
            let next = times(simd, &client.next);
            let is_earlier = next.simd_lt(first.now);
            first.now = is_earlier.select(next, first.now);
            first.client = is_earlier.select(u64x8::splat(simd, number), first.client);
            first.attempt = is_earlier.select(counts(simd, &client.attempts), first.attempt);
            if block.policy.looks_back {
                first.previous = is_earlier.select(times(simd, &client.previous), first.previous);
            }
        }
        Self { attempt: first.attempt + u64x8::splat(simd, 1), ..first }
    }
}

impl Group {
    /// A start in every run that has one.
    ///
    /// A call needs no event at its end: it fails if a start before that dooms it, and with the start that does so the
    /// client's next one is known.
    #[inline(always)]
    fn step<S: Simd>(
        &mut self,
        simd: S,
        block: &Block<'_>,
        starting: &Starting<S>,
        starts: mask64x8<S>,
        bits: &Lane<u64>,
    ) {
        let Starting { now, client: who, attempt, .. } = *starting;
        let clients = &mut self.clients[..block.clients];
        let mut in_flight = u64x8::splat(simd, 1);
        for client in clients.iter() {
            in_flight += count(simd, client.is_in_flight(simd, now));
        }
        let peak = in_flight.max(counts(simd, &self.peak));
        set(simd, starts, peak, &mut self.peak);
        let dooms = starts & in_flight.simd_gt(u64x8::splat(simd, block.capacity));

        let end = now + f64x8::splat(simd, block.call);
        let waits = self.waits(simd, block, starting, starts, bits);
        let has_more = attempt.simd_lt(u64x8::splat(simd, block.max_attempts));
        let retry = has_more.select(end + waits, f64x8::splat(simd, GAVE_UP));
        let next = dooms.select(retry, f64x8::splat(simd, UNKNOWN));
        for (client, number) in self.clients[..block.clients].iter_mut().zip(0..) {
            let is_doomed = dooms & client.is_in_flight(simd, now);
            set(simd, is_doomed, times(simd, &client.retry), &mut client.next);
            let is_starting = starts & who.simd_eq(u64x8::splat(simd, number));
            set(simd, is_starting, next, &mut client.next);
            set(simd, is_starting, attempt, &mut client.attempts);
            set(simd, is_starting, end, &mut client.end);
            set(simd, is_starting, retry, &mut client.retry);
            if block.policy.looks_back {
                set(simd, is_starting, waits, &mut client.previous);
            }
        }
    }

    /// The beginning of the stream of each attempt that starts.
    #[inline(always)]
    fn bits<S: Simd>(&self, block: &Block<'_>, starting: &Starting<S>) -> Lane<u64> {
        if !block.policy.draws() {
            return [0; LANES];
        }
        let [_, bits] = self.draws.attempts(&starting.client.to_array(), &starting.attempt.to_array());
        bits
    }

    /// How long each client waits after the attempt that it starts, should that fail.
    #[inline(always)]
    fn waits<S: Simd>(
        &mut self,
        simd: S,
        block: &Block<'_>,
        starting: &Starting<S>,
        starts: mask64x8<S>,
        bits: &Lane<u64>,
    ) -> f64x8<S> {
        let policy = block.policy;
        let Starting { client, attempt, previous, .. } = *starting;
        if !policy.is_columnar(None) {
            let attempts = [client.to_array(), attempt.to_array()];
            return f64x8::load_array(simd, self.each_wait(block, attempts, starts.to_bitmask(), bits));
        }
        let mut units = [0.0; LANES];
        for i in 0..LANES {
            units[i] = unit(bits[i].rotate_left(32));
        }
        let units = f64x8::load_array(simd, units);
        policy.own.delay.before_retries(simd, &Retries { n: attempt, previous, units })
    }

    /// The same, one after the other.
    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "clients and attempts are few")]
    fn each_wait(
        &mut self,
        block: &Block<'_>,
        [numbers, attempts]: [Lane<u64>; 2],
        starts: u64,
        bits: &Lane<u64>,
    ) -> Lane<f64> {
        let mut waits = [0.0; LANES];
        for lane in (0..LANES).filter(|lane| starts >> lane & 1 == 1) {
            let (number, attempt) = (numbers[lane] as u32, attempts[lane] as u32);
            let client = &mut self.clients[number as usize];
            let mut memory = Memory { previous: client.previous[lane], telescope: client.telescope[lane] };
            let mut draws = block.draws[self.runs[lane]];
            let bits = bits[lane].rotate_left(32);
            let stream = &mut draws.resume(Purpose::Attempt, number, attempt, bits);
            waits[lane] = block.policy.own.delay.before_retry(attempt, &mut memory, stream);
            client.telescope[lane] = memory.telescope;
        }
        waits
    }
}
