//! The kernel of [`Workers`]: what happens next, until the horizon.

use super::{
    Notices, Workers,
    agenda::{Agenda, Happening},
    clients::Live,
    line::Line,
    server::{Polls, Request},
    slots::{Key, Slots},
    tally::Tally,
};
use crate::{
    callers::Callers,
    draw::Draws,
    latency::Sampler,
    limits::MAX_UNDER_WAY,
    policy::Compiled,
    record::{Column, Recorder},
    scenario::{Scenario, Workload},
    service::{Crowd, Kernel, Outage},
    span::{Span, Unit},
};

/// [`Workers`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared<'s> {
    pub(super) service: &'s Workers,
    pub(super) workload: &'s Workload,
    pub(super) crowd: Crowd,
    pub(super) think: Sampler,
    pub(super) work: Sampler,
    pub(super) network: Sampler,
    pub(super) places: usize,
    pub(super) poll: f64,
    pub(super) timeout: f64,
    pub(super) shed: f64,
    pub(super) outages: Vec<(f64, f64)>,
    pub(super) hint: Option<f64>,
    pub(super) unit: Unit,
    changes: Vec<(f64, Pace)>,
    trouble_ends: f64,
    horizon: f64,
}

/// What the service can do at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Workers that take new work.
    pub workers: u64,
    /// How much faster than usual they are.
    pub speed: f64,
}

impl Workers {
    /// The service for one scenario.
    #[must_use]
    pub fn prepare<'s>(&'s self, scenario: &'s Scenario) -> Prepared<'s> {
        let unit = scenario.unit;
        let or_never = |span: Option<Span>| span.map_or(f64::INFINITY, |span| span.in_unit(unit));
        let think = match &scenario.workload {
            Workload::Closed(closed) => closed.think.compile(unit),
            Workload::Burst(_) | Workload::Open(_) => Sampler::Constant(0.0),
        };
        let trouble = self.outages.last().map(|outage| outage.until);
        let trouble = trouble.max(self.brownouts.last().map(|brownout| brownout.until));
        Prepared {
            service: self,
            workload: &scenario.workload,
            crowd: Crowd::of(scenario),
            think,
            work: self.work.compile(unit),
            network: self.network.compile(unit),
            places: self.queue.map_or(usize::MAX, |places| places as usize),
            poll: self.poll.in_unit(unit),
            timeout: or_never(self.timeout),
            shed: or_never(self.shed),
            outages: Outage::in_unit(&self.outages, unit),
            hint: self.retry_after.map(|span| span.in_unit(unit)),
            unit,
            changes: self.changes(unit),
            trouble_ends: trouble.unwrap_or_default().in_unit(unit),
            horizon: scenario.horizon.in_unit(unit),
        }
    }

    /// What the service can do when all is well.
    fn usual(&self) -> Pace {
        Pace { workers: self.workers.map_or(u64::MAX, u64::from), speed: 1.0 }
    }

    /// When what the service can do changes, and to what.
    fn changes(&self, unit: Unit) -> Vec<(f64, Pace)> {
        let usual = self.usual();
        let both = self.brownouts.iter().flat_map(|brownout| {
            let workers = brownout.workers.map_or(usual.workers, u64::from);
            let within = Pace { workers, speed: brownout.speed.unwrap_or(1.0) };
            [(brownout.from.in_unit(unit), within), (brownout.until.in_unit(unit), usual)]
        });
        both.collect()
    }
}

impl Prepared<'_> {
    /// Whether clients have timers.
    pub(super) fn has_timers(&self) -> bool {
        self.service.notices == Notices::Timer
    }
}

/// What a worker thread keeps from run to run.
#[derive(Debug, Default)]
pub struct Room {
    pub(super) agenda: Agenda,
    /// Calls that have not ended.
    pub(super) calls: Slots<Live>,
    /// Attempts that are not over for both sides.
    pub(super) requests: Slots<Request>,
    pub(super) line: Line,
    /// Calls that each client has made or planned.
    pub(super) made: Vec<u32>,
    /// From the beginning of a call to its success.
    pub(super) latencies: Vec<f64>,
}

impl Room {
    fn reset(&mut self, horizon: f64) {
        self.agenda.reset(horizon);
        self.calls.clear();
        self.requests.clear();
        self.line.clear();
        self.latencies.clear();
    }
}

/// A run under way.
pub(super) struct Run<'r, D, R> {
    pub rules: &'r Prepared<'r>,
    pub policy: &'r Compiled,
    pub callers: Callers<'r>,
    pub draws: &'r mut D,
    pub recorder: &'r mut R,
    pub room: &'r mut Room,
    pub tally: Tally,
    pub now: f64,
    pub pace: Pace,
    pub polls: Polls,
    /// Whether calls would be made for ever in no time, or too many are under way.
    pub is_endless: bool,
}

impl Kernel for Prepared<'_> {
    type Scratch = Room;

    fn columns(&self) -> Vec<Column> {
        Tally::columns()
    }

    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        room: &mut Room,
        row: &mut [f64],
    ) -> bool {
        room.reset(self.horizon);
        self.first_calls(draws, room);
        let fixed = if let Workload::Burst(burst) = self.workload { burst.clients } else { 0 };
        let mut run = Run {
            rules: self,
            policy,
            callers: Callers::new(policy, self.crowd.population),
            draws,
            recorder,
            room,
            tally: Tally::new(fixed, self.trouble_ends, self.unit),
            now: 0.0,
            pace: self.service.usual(),
            polls: Polls::default(),
            is_endless: false,
        };
        for (i, (time, _)) in (0..).zip(&self.changes) {
            run.room.agenda.plan(*time, Happening::Change, Key { slot: i, stamp: 0 });
        }
        while !run.is_endless
            && !run.callers.is_endless()
            && let Some((now, what, key)) = run.room.agenda.next()
        {
            run.now = now;
            run.is_endless |= run.room.requests.len() > MAX_UNDER_WAY;
            match what {
                Happening::Change => run.change(self.changes[key.slot as usize].1),
                Happening::Finish => run.finish(key),
                Happening::Answer => run.receive(key),
                Happening::Timer => run.time_is_over(key),
                Happening::Arrival => run.arrive(key),
                Happening::Send => run.attempt_is_due(key),
                Happening::Copy => run.send(key),
                Happening::Hedge => run.copy_is_due(key),
                Happening::Call => run.new_call(key.slot),
                Happening::Poll => run.poll(),
            }
        }
        let fine = !run.is_endless && !run.callers.is_endless();
        run.tally.write(self.horizon, self.service.workers, &mut run.room.latencies, row);
        fine
    }
}
