//! Attempts as their clients saw them.

use std::ops::ControlFlow;

use retrysim_core::{
    RunConfig, Scenario,
    record::{Attempt, Outcome, Recorder},
    simulate::record,
};

use crate::plan;

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct One {
    pub client: u32,
    pub number: u32,
    pub sent: f64,
    pub over: f64,
    pub outcome: Outcome,
}

/// All attempts of a run that were over before its end, in order of their ends.
#[derive(Debug, Default)]
pub struct Seen(pub Vec<One>);

impl Recorder for Seen {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let Attempt { call, start, end, outcome, .. } = *attempt;
        self.0.push(One { client: call.client, number: call.attempt, sent: start, over: end, outcome });
    }
}

impl Seen {
    /// Changes of the number of calls that wait for a retry and of those in work, with their times.
    pub fn retrials(&self) -> Vec<(f64, i32, i32)> {
        let changes = self.0.iter().flat_map(|seen| match seen.outcome {
            Outcome::Ok => [(seen.sent, if seen.number > 1 { -1 } else { 0 }, 1), (seen.over, 0, -1)],
            _ => [(seen.sent, i32::from(seen.number == 1), 0), (seen.over, 0, 0)],
        });
        changes.collect()
    }

    /// Attempts that were refused from then on.
    pub fn refused_since(&self, time: f64) -> f64 {
        let refused = self.0.iter().filter(|seen| seen.outcome == Outcome::Refused && seen.sent >= time);
        f64::from(u32::try_from(refused.count()).unwrap())
    }
}

/// What was seen in each of so many runs of policy `p`.
pub fn watch(scenario: &Scenario, runs: u64) -> Vec<Seen> {
    let config = RunConfig::new(plan(scenario, runs));
    record(scenario, &["p"], &config, Seen::default, &|| ControlFlow::Continue(())).unwrap().1
}
