//! A service that answers so many requests a tick, and may crash under more.
//!
//! In each tick: the batch is all requests due, retries before new calls. If the service is up and more
//! than `crash.limit` requests arrived within `crash.window` (this tick included, downtime included), it
//! is down for `crash.downtime` from this tick on. Down, everybody is refused. Up, `capacity` requests
//! are served: chosen at random, or the lowest client numbers first. Unused capacity is lost.
//!
//! `answers_at = "tick_end"`: answers come at the end of the tick, and a wait is rounded to whole ticks
//! (halves to even), so a retry after wait `w` arrives at tick `t + 1 + round(w / tick)`; a first send at
//! time `s` arrives at tick `floor(s / tick)`. `"tick_start"`: answers come at once, and a request
//! arrives in the first tick that begins at or after its time, later than tick `t` for a retry.
//!
//! With an open workload, each client draws the number of its new calls in a tick from a Poisson
//! distribution by its inverse, with one number a tick.

use serde::{Deserialize, Serialize};

use super::{
    Kernel, Outage,
    outage::{is_down, ticks_until},
    tally::Tally,
};
use crate::{
    calendar::TickCalendar,
    callers::{Call, Callers, Decision},
    draw::{Draws, Purpose, Stream, Ticket},
    error::Error,
    policy::Compiled,
    record::{Attempt, Column, Outcome, Recorder},
    scenario::{Scenario, Workload},
    span::{Span, Unit},
};

/// Ticks of one run at the most: 8 bytes each.
const MAX_TICKS: usize = 50_000_000;

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TickCapacity {
    /// Length of a tick.
    pub tick: Span,
    /// Requests served in a tick.
    pub capacity: u32,
    /// Who is served when more arrive.
    #[serde(default)]
    pub admission: Admission,
    /// When an answer arrives, and how waits meet the grid of ticks.
    #[serde(default)]
    pub answers_at: AnswersAt,
    /// When the service is down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Outage>,
    /// The crash rule; none never crashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
    /// Retry-After of a refusal while the service is up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Span>,
}

/// Who is served when more arrive than there is capacity for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// A random sample.
    #[default]
    Random,
    /// The lowest client numbers.
    InOrder,
}

/// When an answer arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswersAt {
    /// At the end of the tick; waits are rounded to ticks.
    #[default]
    TickEnd,
    /// At the start of the tick; a request arrives in the first tick that its time has reached.
    TickStart,
}

/// More than `limit` requests within `window` bring the service down for `downtime`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crash {
    /// The window, a whole number of ticks.
    pub window: Span,
    /// Requests that the service still bears.
    pub limit: u32,
    /// How long it is down.
    pub downtime: Span,
}

impl TickCapacity {
    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        self.tick.at_least("service.tick", Span::from_nanos(1))?;
        let ticks = ticks_until(scenario.horizon, self.tick);
        if ticks > MAX_TICKS {
            let longest = Span::from_nanos(self.tick.nanos().saturating_mul(MAX_TICKS as i64));
            return Err(Error::invalid(
                "horizon",
                scenario.horizon,
                format!("at most {longest} ({MAX_TICKS} ticks)"),
            ));
        }
        Outage::validate(&self.outages)?;
        if let Some(crash) = self.crash {
            crash.window.at_least("service.crash.window", self.tick)?;
            crash.downtime.at_least("service.crash.downtime", Span::ZERO)?;
            if ticks_until(crash.window, self.tick) > MAX_TICKS {
                let allowed = format!("at most {MAX_TICKS} ticks");
                return Err(Error::invalid("service.crash.window", crash.window, allowed));
            }
            if crash.window.nanos() % self.tick.nanos() != 0 {
                let allowed = format!("a whole number of ticks of {}", self.tick);
                return Err(Error::invalid("service.crash.window", crash.window, allowed));
            }
        }
        if let Workload::Open(open) = &scenario.workload {
            let longest = Span::from_secs(MAX_TICKS as i64);
            if scenario.horizon > longest {
                let allowed = format!("at most {longest} for an open workload, which is counted by seconds");
                return Err(Error::invalid("horizon", scenario.horizon, allowed));
            }
            let a_tick = open.rate * self.tick.secs();
            if a_tick > 100.0 {
                let most = 100.0 / self.tick.secs();
                return Err(Error::invalid(
                    "workload.rate",
                    open.rate,
                    format!("at most {most} (100 a tick)"),
                ));
            }
            let calls = f64::from(open.clients) * open.rate * scenario.horizon.secs();
            if calls > 1e8 {
                return Err(Error::invalid(
                    "workload.rate",
                    open.rate,
                    format!("at most 1e8 calls a run, not {calls:e}"),
                ));
            }
        }
        self.retry_after.map_or(Ok(()), |span| span.at_least("service.retry_after", Span::ZERO))
    }

    /// The service for one scenario.
    #[must_use]
    pub fn prepare<'s>(&'s self, scenario: &'s Scenario) -> Prepared<'s> {
        let unit = scenario.unit;
        Prepared {
            service: self,
            workload: &scenario.workload,
            unit,
            tick: self.tick.in_unit(unit),
            ticks: ticks_until(scenario.horizon, self.tick),
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
    tick: f64,
    ticks: usize,
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

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ticks are below 2^26; a float beyond the last tick saturates and is dropped"
)]
impl Prepared<'_> {
    fn at(&self, tick: usize) -> f64 {
        tick as f64 * self.tick
    }

    /// When the answer of `tick` arrives.
    fn answer(&self, tick: usize) -> f64 {
        match self.service.answers_at {
            AnswersAt::TickEnd => self.at(tick + 1),
            AnswersAt::TickStart => self.at(tick),
        }
    }

    /// The first tick that begins at or after `time`, decided by comparison, not by the quotient alone.
    fn reached(&self, time: f64) -> usize {
        let mut tick = (time / self.tick) as usize;
        while tick > 0 && self.at(tick - 1) >= time {
            tick -= 1;
        }
        while tick < self.ticks && self.at(tick) < time {
            tick += 1;
        }
        tick
    }

    fn first_tick(&self, time: f64) -> usize {
        match self.service.answers_at {
            AnswersAt::TickEnd => (time / self.tick) as usize,
            AnswersAt::TickStart => self.reached(time),
        }
    }

    fn retry_tick(&self, tick: usize, wait: f64) -> usize {
        match self.service.answers_at {
            AnswersAt::TickEnd => (tick + 1).saturating_add(round_half_even(wait / self.tick) as usize),
            AnswersAt::TickStart => self.reached(self.at(tick) + wait).max(tick + 1),
        }
    }

    /// First sends of a burst, into the calendar.
    fn start_burst<D: Draws>(&self, callers: &Callers<'_>, draws: &mut D, scratch: &mut Scratch) {
        let Workload::Burst(burst) = self.workload else { return };
        let spread = burst.spread.in_unit(self.unit);
        for client in 0..burst.clients {
            let tick = self.first_tick(spread * draws.at(Purpose::Start, client, 0).unit());
            scratch.calls.push(callers.call(client, client, self.at(tick)));
            scratch.calendar.push(tick, client);
        }
    }

    /// New calls of an open workload, behind the retries of the tick.
    fn arrivals<D: Draws>(&self, tick: usize, callers: &Callers<'_>, draws: &mut D, scratch: &mut Scratch) {
        let Workload::Open(open) = self.workload else { return };
        let mean = open.rate * (self.service.tick.nanos() as f64) / 1e9;
        for client in 0..open.clients {
            let u = draws.at(Purpose::Arrival, client, tick as u32).unit();
            for _ in 0..poisson(mean, u) {
                let id = scratch.calls.len() as u32;
                scratch.calls.push(callers.call(id, client, self.at(tick)));
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
        let mut tally = Tally::new(self.workload, &self.outages, self.service.tick, self.ticks);
        scratch.calls.clear();
        scratch.calendar.reset(self.ticks);
        scratch.ring.clear();
        scratch.ring.resize(self.window, 0);
        self.start_burst(&callers, draws, scratch);
        let is_open = matches!(self.workload, Workload::Open(_));
        let limit = self.service.crash.map_or(u64::MAX, |crash| u64::from(crash.limit));
        let mut in_window = 0_u64;
        let mut up_at = 0;

        for tick in 0..self.ticks {
            let now = self.at(tick);
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
                if self.service.admission == Admission::InOrder {
                    batch.sort_unstable_by_key(|id| (calls[*id as usize].client, *id));
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
                recorder.level(client, self.at(tick + 1), tokens, open);
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
        let (now, end) = (self.at(tick), self.answer(tick));
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
                    scratch.calendar.push(self.retry_tick(tick, wait), *id);
                } else {
                    tally.gave_up();
                }
                (Outcome::Refused, Some(decision))
            };
            recorder.attempt(&Attempt { call: &sent, start: now, end, outcome, decision });
        }
    }
}

/// A number that is not negative, rounded to the nearest whole one, halves to even.
///
/// By the rounding of an addition: without SSE 4.1 the standard function is a call into software.
fn round_half_even(x: f64) -> f64 {
    const NO_FRACTION: f64 = 4_503_599_627_370_496.0;
    if x < NO_FRACTION { (x + NO_FRACTION) - NO_FRACTION } else { x }
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
