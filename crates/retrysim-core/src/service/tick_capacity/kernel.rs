//! The kernel of [`TickCapacity`]: tick by tick, its rules in order.

use super::{
    TickCapacity, abreast,
    answers::Room,
    grid::Grid,
    health::{Found, Health},
    poisson::Poisson,
    tally::Tally,
};
use crate::{
    callers::Callers,
    draw::{Draws, Philox, Purpose},
    policy::Compiled,
    record::{Column, Recorder},
    scenario::{Scenario, Workload},
    service::{Crowd, Kernel, Outage, outage::ticks_until},
    span::Unit,
};

impl TickCapacity {
    /// The mean of a client.
    #[expect(clippy::cast_precision_loss, reason = "ticks are short")]
    fn new_calls_a_tick(&self, workload: &Workload) -> f64 {
        let Workload::Open(open) = workload else { return 0.0 };
        open.rate * (self.tick.nanos() as f64) / 1e9
    }

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
            new_calls: Poisson::new(self.new_calls_a_tick(&scenario.workload)),
        }
    }
}

/// [`TickCapacity`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared<'s> {
    pub(super) service: &'s TickCapacity,
    pub(super) workload: &'s Workload,
    pub(super) crowd: Crowd,
    pub(super) unit: Unit,
    pub(super) grid: Grid,
    pub(super) outages: Vec<(usize, usize)>,
    pub(super) window: usize,
    pub(super) downtime: usize,
    pub(super) hint: Option<f64>,
    /// New calls of a client of an open workload in a tick.
    pub(super) new_calls: Poisson,
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    window: Vec<u32>,
    room: Room,
    abreast: abreast::Scratch,
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
    #[expect(clippy::cast_possible_truncation, reason = "ticks and calls are below 2^27")]
    fn arrivals<D: Draws>(&self, tick: usize, callers: &Callers<'_>, draws: &mut D, room: &mut Room) {
        let Workload::Open(open) = self.workload else { return };
        for client in 0..open.clients {
            let u = draws.number(Purpose::Arrival, client, tick as u32);
            for _ in 0..self.new_calls.at(u) {
                let id = room.calls.len() as u32;
                room.calls.push(callers.call(id, client, self.grid.at(tick)));
                room.batch.calls.push(id);
            }
        }
    }
}

impl Kernel for Prepared<'_> {
    type Scratch = Scratch;
    const TOGETHER: usize = 1;

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
        let Scratch { window, room, .. } = scratch;
        let mut callers = Callers::new(policy, self.crowd.population);
        let mut tally = Tally::new(self.workload, &self.outages, self.service.tick, self.grid.ticks);
        room.reset(self.grid.ticks);
        let mut health = Health::new(self, window);
        self.start_burst(&callers, draws, room);

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
            let Found { outage, down, crash } = health.arrive(tick, size);
            let down = down.is_some();
            if let Some(up_at) = crash {
                tally.crash(tick, up_at);
                recorder.crash(self.grid.at(tick));
            }
            tally.batch(tick, size, size - if self.is_open() { retries } else { 0 }, outage, down);
            if size > 0 {
                self.answer(tick, down, &mut callers, draws, recorder, room, &mut tally);
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

    fn run_together(
        &self,
        policy: &Compiled,
        draws: &[Philox],
        scratch: &mut Scratch,
        done: &mut dyn FnMut(usize, &[f64]),
    ) -> bool {
        let Scratch { window, abreast, .. } = scratch;
        let [draws] = draws else { return false };
        self.abreast(policy, draws, window, abreast, done)
    }
}
