//! [`Overload`](super::Overload) for few clients, many runs side by side: a run a lane, an event of each at every step.
//!
//! The same rules, the same draws and the same totals as one run after the other, without a branch that depends on a
//! draw. For policies of which nothing but the delay and the number of attempts matters here; a lane whose run is over
//! takes the next one.

use std::ops::Range;

use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdMask, dispatch, f64x8, mask64x8, u64x8};

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

/// Vectors whose steps take turns, so that one computes while another waits for its memory.
const GROUPS: usize = 2;

/// With more clients a queue finds the earliest event sooner.
const MOST_CLIENTS: usize = 8;

/// A value of each run.
type Lane<T> = [T; LANES];

/// Events as numbers, as [`EventQueue`](crate::event_queue::EventQueue) orders them: time, then kind.
const NEVER: u64 = u64::MAX;
const END: u64 = 0;
const START: u64 = 1;

/// What a worker keeps from block to block.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    groups: Vec<Group>,
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
    sums: Sums,
}

/// A client in each run.
#[derive(Clone, Copy, Debug)]
struct Client {
    /// Its next event.
    next: Lane<u64>,
    attempt: Lane<u64>,
    /// As the how-manieth start of the run its call went into flight.
    number: Lane<u64>,
    /// What its call remembers of its delays.
    previous: Lane<f64>,
    telescope: Lane<f64>,
}

/// What is counted in each run.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    starts: Lane<u64>,
    in_flight: Lane<u64>,
    peak: Lane<u64>,
    doomed_through: Lane<u64>,
    most: Lane<u64>,
    successes: Lane<u64>,
    gave_up: Lane<u64>,
    /// The fewest attempts of a success.
    first_success: Lane<u64>,
    marks: [Lane<f64>; 4],
    last: Lane<f64>,
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

/// Whose event is the earliest in each run, and what is known of that client.
struct Acting<S: Simd> {
    next: u64x8<S>,
    client: u64x8<S>,
    attempt: u64x8<S>,
    number: u64x8<S>,
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
        groups.clear();
        groups.resize(GROUPS, Group::default());
        for group in groups.iter_mut() {
            (0..LANES).for_each(|lane| self.begin(lane, &mut waiting, block, group));
        }
        while groups.iter().any(|group| group.active != 0) {
            for group in groups.iter_mut() {
                let acting = Acting::find(simd, &group.clients[..block.clients]);
                let over = acting.next.simd_eq(u64x8::splat(simd, NEVER)).to_bitmask() & group.active;
                if over == 0 {
                    group.step(simd, block, &acting);
                } else {
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
            self.totals(lane, &group.sums).write(self.crowd.clients(), row);
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
        group.sums.reset(lane);
        for (client, number) in group.clients[..block.clients].iter_mut().zip(0..) {
            client.next[lane] = key(self.crowd.start(number, &mut draws));
            client.attempt[lane] = 1;
            let Memory { previous, telescope } = block.policy.memory();
            (client.previous[lane], client.telescope[lane]) = (previous, telescope);
        }
    }

    /// The totals of a run that is over.
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    fn totals(&self, lane: usize, sums: &Sums) -> Totals {
        let seconds = |time: f64| self.unit.to_secs(time);
        let [t50, t90, t99, all] = sums.marks.map(|mark| seconds(mark[lane]));
        Totals {
            starts: sums.starts[lane],
            successes: sums.successes[lane],
            gave_up: sums.gave_up[lane],
            peak: sums.peak[lane] as f64,
            first_success: if sums.successes[lane] == 0 { f64::NAN } else { sums.first_success[lane] as f64 },
            most: sums.most[lane] as f64,
            times: [t50, t90, t99, seconds(sums.last[lane])],
            finish: all,
        }
    }
}

/// The key of a start.
fn key(time: f64) -> u64 {
    (time + 0.0).to_bits() << 1 | START
}

impl Default for Group {
    /// No run.
    fn default() -> Self {
        let nobody = Client {
            next: [NEVER; LANES],
            attempt: [1; LANES],
            number: [0; LANES],
            previous: [0.0; LANES],
            telescope: [0.0; LANES],
        };
        Self {
            clients: [nobody; MOST_CLIENTS],
            runs: [0; LANES],
            active: 0,
            draws: Abreast::default(),
            sums: Sums::default(),
        }
    }
}

impl Sums {
    fn reset(&mut self, lane: usize) {
        let counts = [
            &mut self.starts,
            &mut self.in_flight,
            &mut self.peak,
            &mut self.doomed_through,
            &mut self.most,
            &mut self.successes,
            &mut self.gave_up,
        ];
        counts.into_iter().for_each(|count| count[lane] = 0);
        self.first_success[lane] = u64::MAX;
        self.last[lane] = f64::NAN;
        self.marks.iter_mut().for_each(|mark| mark[lane] = f64::NAN);
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &Lane<u64>) -> u64x8<S> {
    u64x8::load_array_ref(simd, values)
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

impl<S: Simd> Acting<S> {
    /// The earliest event of each run; among equals that of the lowest client.
    #[inline(always)]
    fn find(simd: S, clients: &[Client]) -> Self {
        let one = u64x8::splat(simd, 1);
        let mut acting = Self {
            next: u64x8::splat(simd, NEVER),
            client: u64x8::splat(simd, 0),
            attempt: one,
            number: one,
            previous: f64x8::splat(simd, 0.0),
        };
        for (client, place) in clients.iter().zip(0..) {
            let next = load(simd, &client.next);
            let is_earlier = next.simd_lt(acting.next);
            acting.next = is_earlier.select(next, acting.next);
            acting.client = is_earlier.select(u64x8::splat(simd, place), acting.client);
            acting.attempt = is_earlier.select(load(simd, &client.attempt), acting.attempt);
            acting.number = is_earlier.select(load(simd, &client.number), acting.number);
            let previous = f64x8::load_array_ref(simd, &client.previous);
            acting.previous = is_earlier.select(previous, acting.previous);
        }
        acting
    }
}

impl Group {
    /// One event in every run.
    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, block: &Block<'_>, acting: &Acting<S>) {
        let bits = self.bits(block, acting);
        let all = |value: u64| u64x8::splat(simd, value);
        let now: f64x8<S> = (acting.next >> 1).bitcast();
        let is_start = (acting.next & all(1)).simd_eq(all(START));
        let ends = !is_start;
        let starts = is_start & now.simd_lt(f64x8::splat(simd, block.horizon));
        let sums = &mut self.sums;

        let started = load(simd, &sums.starts) + count(simd, starts);
        let in_flight = load(simd, &sums.in_flight) + count(simd, starts) - count(simd, ends);
        started.store_array(&mut sums.starts);
        in_flight.store_array(&mut sums.in_flight);
        load(simd, &sums.peak).max(in_flight).store_array(&mut sums.peak);
        let most = load(simd, &sums.most).max(acting.attempt);
        set(simd, starts, most, &mut sums.most);
        // Whatever is in flight started no later than this call.
        set(simd, starts & in_flight.simd_gt(all(block.capacity)), started, &mut sums.doomed_through);

        let succeeds = ends & acting.number.simd_gt(load(simd, &sums.doomed_through));
        let fails = ends & !succeeds;
        let retries = fails & acting.attempt.simd_lt(all(block.max_attempts));
        let successes = load(simd, &sums.successes) + count(simd, succeeds);
        successes.store_array(&mut sums.successes);
        (load(simd, &sums.gave_up) + count(simd, fails & !retries)).store_array(&mut sums.gave_up);
        let first_success = load(simd, &sums.first_success).min(acting.attempt);
        set(simd, succeeds, first_success, &mut sums.first_success);
        set(simd, succeeds, now, &mut sums.last);
        for (mark, needed) in sums.marks.iter_mut().zip(block.needed) {
            set(simd, succeeds & successes.simd_eq(all(needed)), now, mark);
        }

        let waits = self.waits(simd, block, acting, retries, &bits);
        let end = key_of(simd, now + f64x8::splat(simd, block.call), END);
        let start = key_of(simd, now + waits, START);
        let next = retries.select(start, starts.select(end, all(NEVER)));
        let retried = count(simd, retries);
        for (client, number) in self.clients[..block.clients].iter_mut().zip(0..) {
            let is_acting = acting.client.simd_eq(all(number));
            set(simd, is_acting, next, &mut client.next);
            set(simd, is_acting, acting.attempt + retried, &mut client.attempt);
            if block.policy.looks_back {
                set(simd, is_acting & retries, waits, &mut client.previous);
            }
            set(simd, is_acting & starts, started, &mut client.number);
        }
    }

    /// The beginning of the stream of each actor's attempt: long before it is needed, if it is.
    #[inline(always)]
    fn bits<S: Simd>(&self, block: &Block<'_>, acting: &Acting<S>) -> Lane<u64> {
        if !block.policy.draws() {
            return [0; LANES];
        }
        let [_, bits] = self.draws.attempts(&acting.client.to_array(), &acting.attempt.to_array());
        bits
    }

    /// How long each actor waits that retries.
    #[inline(always)]
    fn waits<S: Simd>(
        &mut self,
        simd: S,
        block: &Block<'_>,
        acting: &Acting<S>,
        retries: mask64x8<S>,
        bits: &Lane<u64>,
    ) -> f64x8<S> {
        let policy = block.policy;
        if !policy.is_columnar(None) {
            let attempts = [acting.client.to_array(), acting.attempt.to_array()];
            let waits = self.each_wait(block, attempts, retries.to_bitmask(), bits);
            return f64x8::load_array(simd, waits);
        }
        let mut units = [0.0; LANES];
        for i in 0..LANES {
            units[i] = unit(bits[i].rotate_left(32));
        }
        let units = f64x8::load_array(simd, units);
        let retries = Retries { n: acting.attempt, previous: acting.previous, units };
        policy.own.delay.before_retries(simd, &retries)
    }

    /// The same, one after the other.
    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "clients and attempts are few")]
    fn each_wait(
        &mut self,
        block: &Block<'_>,
        [numbers, attempts]: [Lane<u64>; 2],
        retries: u64,
        bits: &Lane<u64>,
    ) -> Lane<f64> {
        let mut waits = [0.0; LANES];
        for lane in (0..LANES).filter(|lane| retries >> lane & 1 == 1) {
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

/// Keys of events of one kind.
#[inline(always)]
fn key_of<S: Simd>(simd: S, time: f64x8<S>, kind: u64) -> u64x8<S> {
    let bits: u64x8<S> = (time + f64x8::splat(simd, 0.0)).bitcast();
    (bits << 1) | u64x8::splat(simd, kind)
}
