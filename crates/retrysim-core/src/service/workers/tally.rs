//! What a run of [`super::Workers`] is counted into.

use crate::{
    record::{Column, Completion, Kind, column},
    service::Base,
    span::{Span, Unit},
    stats::select_lower,
};

/// Counts of one run; times are in the scenario's unit until they are written.
#[derive(Debug)]
pub(super) struct Tally {
    /// Calls made.
    pub calls: u32,
    /// Attempts that reached the service.
    pub arrivals: u64,
    /// Attempts that it has answered, whoever still cared.
    pub answered: u64,
    /// Attempts that it has let go without an answer: swallowed, passed over or cancelled.
    pub dropped: u64,
    /// Attempts that took too long for their clients.
    pub timeouts: u64,
    /// Answers that counted and said that there is too much to do.
    pub throttled: u64,
    /// Answers that counted and said that the service is down, or that the work has failed.
    pub errors: u64,
    /// Sends that their own side has refused.
    pub held_back: u64,
    /// Calls given up because a budget has refused a retry.
    pub budget_denied: u64,
    /// Copies.
    pub hedges: u64,
    /// Work whose answer its client no longer waited for.
    pub wasted: f64,
    pub waiting: Level,
    pub working: Level,
    gave_up: u64,
    waited: f64,
    completion: Completion,
    peak: Peak,
    recovery: Recovery,
    unit: Unit,
}

impl Tally {
    pub fn columns() -> Vec<Column> {
        Base::columns_and(Completion::columns().into_iter().chain([
            column("last_success_s", Kind::Seconds),
            column("goodput_per_s", Kind::PerSecond),
            column("latency_p50_s", Kind::Seconds),
            column("latency_p99_s", Kind::Seconds),
            column("latency_mean_s", Kind::Seconds),
            column("success_share", Kind::Ratio),
            column("recovered_s", Kind::Seconds),
            column("peak_per_s", Kind::PerSecond),
            column("mean_in_queue", Kind::Ratio),
            column("mean_in_service", Kind::Ratio),
            column("utilisation", Kind::Ratio),
            column("wasted_work_s", Kind::Seconds),
            column("answered", Kind::Count),
            column("dropped", Kind::Count),
            column("queue_at_end", Kind::Count),
            column("in_service_at_end", Kind::Count),
            column("timeouts", Kind::Count),
            column("throttled", Kind::Count),
            column("errors", Kind::Count),
            column("held_back", Kind::Count),
            column("budget_denied", Kind::Count),
            column("hedges", Kind::Count),
        ]))
    }

    /// Nothing has happened. `calls` is 0 where their number isn't fixed; all trouble is over at `trouble_ends`.
    pub fn new(calls: u32, trouble_ends: f64, unit: Unit) -> Self {
        let second = Span::from_secs(1).in_unit(unit);
        Self {
            calls: 0,
            arrivals: 0,
            answered: 0,
            dropped: 0,
            timeouts: 0,
            throttled: 0,
            errors: 0,
            held_back: 0,
            budget_denied: 0,
            hedges: 0,
            wasted: 0.0,
            waiting: Level::default(),
            working: Level::default(),
            gave_up: 0,
            waited: 0.0,
            completion: Completion::new(u64::from(calls)),
            peak: Peak { second, ..Peak::default() },
            recovery: Recovery { from: trouble_ends, second, ..Recovery::default() },
            unit,
        }
    }

    /// An attempt reaches the service.
    pub fn arrival(&mut self, now: f64) {
        self.arrivals += 1;
        self.peak.arrival(now);
    }

    /// A call has succeeded after `latency`.
    pub fn success(&mut self, now: f64, latency: f64) {
        self.completion.success(self.unit.to_secs(now));
        self.waited += latency;
    }

    /// A call was given up.
    pub const fn gave_up(&mut self) {
        self.gave_up += 1;
    }

    /// The first attempt of a call that began at `began` has come to something.
    pub fn first_attempt(&mut self, began: f64, succeeded: bool) {
        self.recovery.first_attempt(began, succeeded);
    }

    /// Writes the row of a run that has come to its horizon.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    pub fn write(mut self, horizon: f64, workers: Option<u32>, latencies: &mut [f64], row: &mut [f64]) {
        let unit = self.unit;
        let successes = self.completion.successes();
        let base = Base {
            attempts: self.arrivals,
            successes,
            gave_up: self.gave_up,
            finish_s: self.completion.finish(),
            crashes: f64::NAN,
            peak_arrivals: f64::NAN,
            calls: u64::from(self.calls),
        };
        let (queue_at_end, in_service_at_end) = (self.waiting.now, self.working.now);
        let in_service = self.working.mean(horizon);
        let rest = base.write(row);
        rest[..4].copy_from_slice(&self.completion.times());
        rest[4..].copy_from_slice(&[
            successes as f64 / unit.to_secs(horizon),
            unit.to_secs(select_lower(latencies, 0.5)),
            unit.to_secs(select_lower(latencies, 0.99)),
            unit.to_secs(self.waited / successes as f64),
            successes as f64 / (successes + self.gave_up) as f64,
            self.recovery.seconds(),
            self.peak.most(),
            self.waiting.mean(horizon),
            in_service,
            workers.map_or(f64::NAN, |workers| in_service / f64::from(workers)),
            unit.to_secs(self.wasted),
            self.answered as f64,
            self.dropped as f64,
            queue_at_end as f64,
            in_service_at_end as f64,
            self.timeouts as f64,
            self.throttled as f64,
            self.errors as f64,
            self.held_back as f64,
            self.budget_denied as f64,
            self.hedges as f64,
        ]);
    }
}

/// A number that changes in time, and its integral.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    pub now: u64,
    since: f64,
    integral: f64,
}

impl Level {
    pub fn set(&mut self, time: f64, level: u64) {
        self.integral += self.now as f64 * (time - self.since);
        (self.now, self.since) = (level, time);
    }

    /// The mean over `0..horizon`.
    fn mean(&mut self, horizon: f64) -> f64 {
        self.set(horizon, self.now);
        self.integral / horizon
    }
}

/// The most arrivals in any whole second.
#[derive(Clone, Copy, Debug, Default)]
struct Peak {
    second: f64,
    at: f64,
    count: u64,
    most: u64,
}

impl Peak {
    fn arrival(&mut self, now: f64) {
        let at = (now / self.second).floor();
        if at > self.at {
            (self.most, self.at, self.count) = (self.most.max(self.count), at, 0);
        }
        self.count += 1;
    }

    #[expect(clippy::cast_precision_loss, reason = "a count")]
    fn most(&self) -> f64 {
        self.most.max(self.count) as f64
    }
}

/// Whether first attempts succeed, by the second in which their calls began, from the end of the last trouble on.
#[derive(Clone, Debug, Default)]
struct Recovery {
    from: f64,
    second: f64,
    /// First attempts that have come to something, and those of them that succeeded.
    seconds: Vec<[u32; 2]>,
}

impl Recovery {
    /// Successes over first attempts, from which on a second is a good one.
    const GOOD: f64 = 0.95;

    /// Seconds that are told apart; all later ones count as one.
    const MOST: usize = 1_000_000;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a second's number, bounded")]
    fn first_attempt(&mut self, began: f64, succeeded: bool) {
        if began < self.from {
            return;
        }
        let at = ((began - self.from) / self.second).min((Self::MOST - 1) as f64) as usize;
        if at >= self.seconds.len() {
            self.seconds.resize(at + 1, [0; 2]);
        }
        self.seconds[at][0] += 1;
        self.seconds[at][1] += u32::from(succeeded);
    }

    /// Seconds from the end of the trouble to the end of the last bad second. NaN if no call has begun since, or the
    /// last second in which one did was a bad one.
    #[expect(clippy::cast_precision_loss, reason = "a second's number")]
    fn seconds(&self) -> f64 {
        let bad = |[all, good]: &[u32; 2]| f64::from(*good) < Self::GOOD * f64::from(*all);
        match self.seconds.iter().rposition(bad) {
            _ if self.seconds.is_empty() => f64::NAN,
            None => 0.0,
            Some(bad) if bad + 1 < self.seconds.len() => (bad + 1) as f64,
            Some(_) => f64::NAN,
        }
    }
}
