//! The kernel of [`TickCapacity`]: tick by tick, its rules in order.

use super::{Admission, TickCapacity, grid::Grid, tally::Tally};
use crate::{
    calendar::TickCalendar,
    callers::{Call, Callers, Decision},
    draw::{Draws, Purpose, Stream, Ticket},
    policy::Compiled,
    record::{Attempt, Column, Outcome, Recorder},
    scenario::{Scenario, Workload},
    service::{
        Kernel, Outage,
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
    service: &'s TickCapacity,
    workload: &'s Workload,
    unit: Unit,
    grid: Grid,
    outages: Vec<(usize, usize)>,
    window: usize,
    downtime: usize,
    hint: Option<f64>,
}

/// What a worker keeps from run to run.
#[derive(Debug, Default)]
pub struct Scratch {
    calendar: TickCalendar,
    calls: Vec<Call>,
    batch: Vec<u32>,
    tickets: Vec<Ticket>,
    picked: Vec<u32>,
    served: Vec<bool>,
    ring: Vec<u32>,
}

impl Prepared<'_> {
    /// First sends of a burst, into the calendar.
    fn start_burst<D: Draws>(&self, callers: &Callers<'_>, draws: &mut D, scratch: &mut Scratch) {
        let Workload::Burst(burst) = self.workload else { return };
        let spread = burst.spread.in_unit(self.unit);
        for client in 0..burst.clients {
            let tick = self.grid.first_tick(spread * draws.at(Purpose::Start, client, 0).unit());
            scratch.calls.push(callers.call(client, client, self.grid.at(tick)));
            scratch.calendar.push(tick, client);
        }
    }

    /// New calls of an open workload, behind the retries of the tick.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "ticks and calls are below 2^27"
    )]
    fn arrivals<D: Draws>(&self, tick: usize, callers: &Callers<'_>, draws: &mut D, scratch: &mut Scratch) {
        let Workload::Open(open) = self.workload else { return };
        let mean = open.rate * (self.service.tick.nanos() as f64) / 1e9;
        for client in 0..open.clients {
            let u = draws.at(Purpose::Arrival, client, tick as u32).unit();
            for _ in 0..poisson(mean, u) {
                let id = scratch.calls.len() as u32;
                scratch.calls.push(callers.call(id, client, self.grid.at(tick)));
                scratch.batch.push(id);
            }
        }
    }

    /// Marks who of the batch is served.
    fn admit<D: Draws>(&self, draws: &mut D, scratch: &mut Scratch) {
        let Scratch { batch, tickets, picked, served, calls, .. } = scratch;
        let capacity = self.service.capacity as usize;
        if self.service.admission == Admission::InOrder {
            served[..batch.len().min(capacity)].fill(true);
            return;
        }
        tickets.clear();
        tickets.extend(batch.iter().map(|id| Ticket { call: *id, attempt: calls[*id as usize].attempt }));
        draws.choose(tickets, capacity, picked);
        for index in picked {
            served[*index as usize] = true;
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
        let mut callers = Callers::new(policy, self.workload.clients());
        let mut tally = Tally::new(self.workload, &self.outages, self.service.tick, self.grid.ticks);
        scratch.calls.clear();
        scratch.calendar.reset(self.grid.ticks);
        scratch.ring.clear();
        scratch.ring.resize(self.window, 0);
        self.start_burst(&callers, draws, scratch);
        let is_open = matches!(self.workload, Workload::Open(_));
        let limit = self.service.crash.map_or(u64::MAX, |crash| u64::from(crash.limit));
        let mut in_window = 0_u64;
        let mut up_at = 0;

        for tick in 0..self.grid.ticks {
            let now = self.grid.at(tick);
            scratch.calendar.take(tick, &mut scratch.batch);
            let retries = scratch.batch.len();
            self.arrivals(tick, &callers, draws, scratch);
            let size = scratch.batch.len();
            let slot = &mut scratch.ring[tick % self.window];
            in_window = in_window + size as u64 - u64::from(*slot);
            *slot = u32::try_from(size).unwrap_or(u32::MAX);

            let outage = is_down(&self.outages, &tick);
            if !outage && tick >= up_at && in_window > limit {
                up_at = tick + self.downtime;
                tally.crash(tick, up_at);
                recorder.crash(now);
            }
            let down = outage || tick < up_at;
            tally.batch(tick, size, size - if is_open { retries } else { 0 }, outage, down);
            if size > 0 {
                let Scratch { batch, calls, served, .. } = &mut *scratch;
                served.clear();
                served.resize(size, false);
                match (self.service.admission, is_open) {
                    (Admission::Random, _) => {}
                    // In a burst a call has the number of its client.
                    (Admission::InOrder, false) => batch.sort_unstable(),
                    (Admission::InOrder, true) => {
                        batch.sort_unstable_by_key(|id| (calls[*id as usize].client, *id))
                    }
                }
                if !down {
                    self.admit(draws, scratch);
                }
                if policy.has_budgets() {
                    for id in &scratch.batch {
                        callers.on_send(&scratch.calls[*id as usize], now);
                    }
                }
                let hint = if down { None } else { self.hint };
                self.answer_all(tick, &mut callers, hint, draws, recorder, scratch, &mut tally);
            }
            if let Some((client, (tokens, open))) =
                recorder.watched().and_then(|client| callers.level(client).map(|level| (client, level)))
            {
                recorder.level(client, self.grid.at(tick + 1), tokens, open);
            }
            if !is_open && scratch.calendar.is_empty() {
                break;
            }
        }
        tally.write(scratch.calls.len() as u64, row);
        !callers.is_endless()
    }
}

impl Prepared<'_> {
    /// Answers every request of the batch, in order.
    #[expect(clippy::too_many_arguments, reason = "the parts of a run, each borrowed on its own")]
    fn answer_all<D: Draws, R: Recorder>(
        &self,
        tick: usize,
        callers: &mut Callers<'_>,
        hint: Option<f64>,
        draws: &mut D,
        recorder: &mut R,
        scratch: &mut Scratch,
        tally: &mut Tally,
    ) {
        let (now, end) = (self.grid.at(tick), self.grid.answer(tick));
        for (id, served) in scratch.batch.iter().zip(&scratch.served) {
            let call = &mut scratch.calls[*id as usize];
            let sent = *call;
            let (outcome, decision) = if *served {
                callers.on_success(call, now);
                tally.success(tick, self.unit.to_secs(end));
                (Outcome::Ok, None)
            } else {
                let decision = callers.on_failure(call, now, hint, draws);
                if let Decision::Retry(wait) = decision {
                    scratch.calendar.push(self.grid.retry_tick(tick, wait), *id);
                } else {
                    tally.gave_up();
                }
                (Outcome::Refused, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start: now, end, outcome, decision });
        }
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
