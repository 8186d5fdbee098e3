//! Windows of time in which a service answers nobody.

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    limits::{MAX_OUTAGES, at_most},
    span::{Span, Unit},
};

/// An outage: down for `from <= t < until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// When the service goes down.
    pub from: Span,
    /// When it is up again.
    pub until: Span,
}

impl Outage {
    /// Refuses outages that end before they begin or overlap.
    pub(super) fn validate(outages: &[Self]) -> Result<(), Error> {
        at_most("service.outages", outages.len(), MAX_OUTAGES)?;
        let mut up_since = Span::ZERO;
        for (i, outage) in outages.iter().enumerate() {
            outage.from.at_least(&format!("service.outages[{i}].from"), up_since)?;
            outage.until.at_least(&format!("service.outages[{i}].until"), outage.from)?;
            up_since = outage.until;
        }
        Ok(())
    }

    /// The outages in ticks: first tick down, first tick up again.
    pub(super) fn in_ticks(outages: &[Self], tick: Span) -> Vec<(usize, usize)> {
        outages
            .iter()
            .map(|outage| (ticks_until(outage.from, tick), ticks_until(outage.until, tick)))
            .collect()
    }

    /// The outages in units.
    pub(super) fn in_unit(outages: &[Self], unit: Unit) -> Vec<(f64, f64)> {
        outages.iter().map(|outage| (outage.from.in_unit(unit), outage.until.in_unit(unit))).collect()
    }
}

/// Whether `at` lies in one of the windows, which are in order.
pub(super) fn is_down<T: PartialOrd + Copy>(windows: &[(T, T)], at: &T) -> bool {
    down_until(windows, at).is_some()
}

/// The end of the window that `at` lies in: of those that have begun, only the last one can last.
pub(super) fn down_until<T: PartialOrd + Copy>(windows: &[(T, T)], at: &T) -> Option<T> {
    let begun = windows.partition_point(|(from, _)| from <= at);
    let (_, until) = windows[..begun].last()?;
    (at < until).then_some(*until)
}

/// Number of the first tick that does not begin before `time`; `time` is not negative.
pub(super) fn ticks_until(time: Span, tick: Span) -> usize {
    let (time, tick) = (time.nanos().unsigned_abs(), tick.nanos().unsigned_abs());
    usize::try_from(time.div_ceil(tick)).unwrap_or(usize::MAX)
}
