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

mod abreast;
mod answers;
mod grid;
mod health;
mod kernel;
mod poisson;
mod sends;
mod tally;

use serde::{Deserialize, Serialize};

use super::{Outage, outage::ticks_until};
use crate::{
    error::Error,
    limits::MAX_TICK_DRAWS,
    scenario::{Arrivals, Scenario, Workload},
    span::Span,
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
        if matches!(&scenario.workload, Workload::Closed(_)) {
            return Err(Error::invalid(
                "workload.kind",
                "closed",
                "burst or open, for a service of kind tick_capacity",
            ));
        }
        if let Workload::Open(open) = &scenario.workload {
            if open.arrivals != Arrivals::Poisson {
                let allowed = "poisson, for a service of kind tick_capacity";
                return Err(Error::invalid("workload.arrivals", "regular", allowed));
            }
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
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let draws = f64::from(open.clients) * ticks as f64;
            if draws > MAX_TICK_DRAWS {
                let allowed = format!("at most {MAX_TICK_DRAWS:e} clients times ticks, not {draws:e}");
                return Err(Error::invalid("workload.clients", open.clients, allowed));
            }
            open.limit_calls(scenario.horizon)?;
        }
        self.retry_after.map_or(Ok(()), |span| span.at_least("service.retry_after", Span::ZERO))
    }
}
