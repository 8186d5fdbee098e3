//! The kernel of [`TickCapacity`]: tick by tick, its rules in order.

use super::{TickCapacity, answers::Room, grid::Grid, tally::Tally};
use crate::{
    callers::Callers,
    draw::{Draws, Purpose},
    policy::Compiled,
    record::{Column, Recorder},
    scenario::{Scenario, Workload},
    service::{
        Crowd, Kernel, Outage,
        outage::{is_down, ticks_until},
    },
    span::Unit,
};

impl TickCapacity {
    /// The service for one scenario.
    #[must_use]
    pub fn prepare<'s>(&'s self, scenario: &'s Scenario) -> Prepared<'s> {
        let unit = scenario.unit;
        Prepared {
            service: self,
            workload: &scenario.workload,
            crowd: Crowd::of(scenario),
            unit,
            grid: Grid {
                tick: self.tick.in_unit(unit),
                ticks: ticks_until(scenario.horizon, self.tick),
                answers_at: self.answers_at,
            },
            outages: Outage::in_ticks(&self.outages, self.tick),
            window: self.crash.map_or(1, |crash| ticks_until(crash.window, self.tick)),
            downtime: self.crash.map_or(0, |crash| ticks_until(crash.downtime, self.tick)),
            hint: self.retry_after.map(|span| span.in_unit(unit)),
        }
    }
}

/// [`TickCapacity`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared<'s> {
    pub(super) service: &'s TickCapacity,
    workload: &'s Workload,
    crowd: Crowd,
    pub(super) unit: Unit,
    pub(super) grid: Grid,
    outages: Vec<(usize, usize)>,
    window: usize,
    downtime: usize,
    pub(super) hint: Option<f64>,
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    ring: Vec<u32>,
    room: Room,
}

impl Prepared<'_> {
    /// First sends of a burst, into the calendar.
    fn start_burst<D: Draws>(&self, callers: &Callers<'_>, draws: &mut D, room: &mut Room) {
        if self.is_open() {
            return;
        }
        for client in 0..self.crowd.clients() {
            let tick = self.grid.first_tick(self.crowd.start(client, draws));
            room.calls.push(callers.call(client, client, self.grid.at(tick)));
            room.calendar.push(tick, client);
        }
    }

    /// Whether calls arrive all the time.
    pub(super) const fn is_open(&self) -> bool {
        matches!(self.workload, Workload::Open(_))
    }

    /// New calls of an open workload, behind the retries of the tick.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "ticks and calls are below 2^27"
    )]
    fn arrivals<D: Draws>(&self, tick: usize, callers: &Callers<'_>, draws: &mut D, room: &mut Room) {
        let Workload::Open(open) = self.workload else { return };
        let mean = open.rate * (self.service.tick.nanos() as f64) / 1e9;
        for client in 0..open.clients {
            let u = draws.number(Purpose::Arrival, client, tick as u32);
            for _ in 0..poisson(mean, u) {
                let id = room.calls.len() as u32;
                room.calls.push(callers.call(id, client, self.grid.at(tick)));
                room.batch.calls.push(id);
            }
        }
    }
}

impl Kernel for Prepared<'_> {
    type Scratch = Scratch;

    fn columns(&self) -> Vec<Column> {
        Tally::columns()
    }

    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        scratch: &mut Scratch,
        row: &mut [f64],
    ) -> bool {
        let Scratch { ring, room } = scratch;
        let mut callers = Callers::new(policy, self.crowd.population);
        let mut tally = Tally::new(self.workload, &self.outages, self.service.tick, self.grid.ticks);
        room.reset(self.grid.ticks);
        ring.clear();
        ring.resize(self.window, 0);
        self.start_burst(&callers, draws, room);
        let any_order = D::KEYED && !R::WATCHES && !policy.keeps_books();
        let limit = self.service.crash.map_or(u64::MAX, |crash| u64::from(crash.limit));
        let (mut in_window, mut up_at) = (0_u64, 0);

        for tick in 0..self.grid.ticks {
            room.calendar.take(tick, &mut room.batch.calls);
            if policy.acts_on_sends() {
                self.hold_back(tick, 0, &mut callers, draws, room, &mut tally);
            }
            let retries = room.batch.calls.len();
            self.arrivals(tick, &callers, draws, room);
            if policy.acts_on_sends() {
                self.hold_back(tick, retries, &mut callers, draws, room, &mut tally);
            }
            let size = room.batch.calls.len();
            let slot = &mut ring[tick % self.window];
            in_window = in_window + size as u64 - u64::from(*slot);
            *slot = u32::try_from(size).unwrap_or(u32::MAX);

            let outage = is_down(&self.outages, &tick);
            if !outage && tick >= up_at && in_window > limit {
                up_at = tick + self.downtime;
                tally.crash(tick, up_at);
                recorder.crash(self.grid.at(tick));
            }
            let down = outage || tick < up_at;
            tally.batch(tick, size, size - if self.is_open() { retries } else { 0 }, outage, down);
            if size == 0 {
            } else if any_order {
                self.answer_in_any_order(tick, down, &mut callers, draws, room, &mut tally);
            } else {
                self.answer_in_order(tick, down, &mut callers, draws, recorder, room, &mut tally);
            }
            if let Some((client, (tokens, open))) = recorder
                .watched()
                .and_then(|client| callers.level(client, self.grid.at(tick + 1)).map(|level| (client, level)))
            {
                recorder.level(client, self.grid.at(tick + 1), tokens, open);
            }
            if !self.is_open() && room.calendar.is_empty() {
                break;
            }
        }
        tally.write(room.calls.len() as u64, row);
        !callers.is_endless()
    }
}

/// The smallest `k` with `P(X <= k) >= u` for a Poisson distribution: inverse by summation.
fn poisson(mean: f64, u: f64) -> u32 {
    let mut k = 0;
    let mut p = libm::exp(-mean);
    let mut sum = p;
    while u > sum && p > 0.0 {
        k += 1;
        p *= mean / f64::from(k);
        sum += p;
    }
    k
}
