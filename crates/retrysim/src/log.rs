//! What a run can leave behind beside totals: every attempt, or counts by bin.

use retrysim_core::{
    Scenario, Span, Unit,
    callers::Decision,
    record::{Attempt, Outcome, Recorder},
};

/// One attempt, times in units of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Logged {
    /// The client.
    pub client: u32,
    /// The call's number in its run.
    pub call: u32,
    /// The attempt, 1-based.
    pub attempt: u32,
    /// When it was sent.
    pub start: f64,
    /// When its answer arrived.
    pub end: f64,
    /// How it ended.
    pub outcome: Outcome,
    /// What followed.
    pub decision: Option<Decision>,
}

/// Every attempt of a run, in the order of answers.
#[derive(Clone, Debug, Default)]
pub struct AttemptLog(pub Vec<Logged>);

impl Recorder for AttemptLog {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.0.push(Logged {
            client: attempt.call.client,
            call: attempt.call.id,
            attempt: attempt.call.attempt,
            start: attempt.start,
            end: attempt.end,
            outcome: attempt.outcome,
            decision: attempt.decision,
        });
    }
}

/// Counts of one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// Attempts that arrived.
    pub arrivals: u64,
    /// Of those, attempts after the first of their call.
    pub retries: u64,
    /// Attempts that were answered successfully.
    pub successes: u64,
    /// Attempts sent in an earlier bin or in this one and answered in a later one.
    pub in_flight: i64,
    /// Tokens of the watched client at the end of the bin; NaN if nobody is watched.
    pub tokens: f64,
}

/// Counts by bin of one run; bins without anything at the end are left out.
#[derive(Clone, Debug)]
pub struct Timeline {
    bin: f64,
    last: usize,
    watched: Option<u32>,
    /// The bins, from time 0 on.
    pub bins: Vec<Bin>,
}

impl Timeline {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(scenario: &Scenario, bin: Span) -> Self {
        let bins = scenario.horizon.nanos().unsigned_abs().div_ceil(bin.nanos().unsigned_abs().max(1));
        Self {
            bin: bin.in_unit(scenario.unit),
            last: usize::try_from(bins.saturating_sub(1)).unwrap_or(usize::MAX),
            watched: scenario.probe.as_ref().map(|probe| probe.client),
            bins: Vec::new(),
        }
    }

    /// Length of a bin in seconds.
    #[must_use]
    pub fn bin_s(&self, unit: Unit) -> f64 {
        unit.to_secs(self.bin)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded by the last bin")]
    fn index(&self, at: f64) -> usize {
        // A moment within a millionth of a bin of a boundary belongs to the bin that begins there.
        ((at / self.bin + 1e-6) as usize).min(self.last)
    }

    fn at(&mut self, index: usize) -> &mut Bin {
        if self.bins.len() <= index {
            let tokens = self.bins.last().map_or(f64::NAN, |bin| bin.tokens);
            self.bins.resize(index + 1, Bin { tokens, ..Bin::default() });
        }
        &mut self.bins[index]
    }
}

impl Recorder for Timeline {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let (start, end) = (self.index(attempt.start), self.index(attempt.end));
        let bin = self.at(start);
        bin.arrivals += 1;
        bin.retries += u64::from(attempt.call.attempt > 1);
        self.at(end).successes += u64::from(attempt.outcome == Outcome::Ok);
        for bin in &mut self.bins[start..end] {
            bin.in_flight += 1;
        }
    }

    fn level(&mut self, _: u32, at: f64, tokens: f64, _: bool) {
        let index = self.index(at);
        self.at(index).tokens = tokens;
    }

    fn watched(&self) -> Option<u32> {
        self.watched
    }
}
