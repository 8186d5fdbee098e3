//! Watches one client of a run.

use crate::{
    callers::Decision,
    record::{Attempt, Column, Kind, Recorder, column},
    scenario::Scenario,
};

/// Columns that a probe adds.
pub(super) fn columns() -> [Column; 2] {
    [column("probe_retries_in_outage", Kind::Count), column("probe_resume_s", Kind::Seconds)]
}

/// Retries of one client during the first outage, and how long after it its budget opens again.
pub(super) struct Probe {
    client: u32,
    outage: Option<(f64, f64)>,
    nanosecond: f64,
    to_secs: f64,
    retries: u32,
    resumed: Option<f64>,
}

impl Probe {
    pub fn new(client: u32, scenario: &Scenario) -> Self {
        let unit = scenario.unit;
        let outage = scenario
            .service
            .outages()
            .first()
            .map(|outage| (outage.from.in_unit(unit), outage.until.in_unit(unit)));
        Self {
            client,
            outage,
            nanosecond: 1.0 / unit.nanos(),
            to_secs: unit.to_secs(1.0),
            retries: 0,
            resumed: None,
        }
    }

    pub fn write(&self, row: &mut [f64]) {
        let Some((_, until)) = self.outage else { return };
        row.copy_from_slice(&[
            f64::from(self.retries),
            self.resumed.map_or(f64::NAN, |at| (at - until) * self.to_secs),
        ]);
    }
}

impl Recorder for Probe {
    /// A retry counts when it is scheduled.
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let in_outage =
            self.outage.is_some_and(|(from, until)| from <= attempt.start && attempt.start < until);
        if attempt.call.client == self.client
            && in_outage
            && matches!(attempt.decision, Some(Decision::Retry(_)))
        {
            self.retries += 1;
        }
    }

    fn level(&mut self, _: u32, at: f64, _: f64, open: bool) {
        let after = self.outage.is_some_and(|(_, until)| at > until + self.nanosecond);
        if open && after && self.resumed.is_none() {
            self.resumed = Some(at);
        }
    }

    fn watched(&self) -> Option<u32> {
        Some(self.client)
    }
}
