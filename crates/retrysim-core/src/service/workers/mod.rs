//! Workers with a queue in front of them, met by clients that wait for answers.
//!
//! An attempt travels to the service for `network`. Down, the service refuses it at once or swallows it. Otherwise an
//! idle worker takes it; if there is none it waits in one of the `queue` places, and if those are taken it is
//! throttled at once. A worker works on it for `work`, and then takes the first (fifo) or last (lifo) of those that
//! wait. The answer travels back for another `network`.
//!
//! A client waits for `timeout`, counted from the send, and then takes the attempt for failed; the answer, should it
//! ever come, tells it nothing any more. An answer at that very moment is in time. The service does not know: what
//! waits is worked on for nobody, unless `cancels` or `propagates_deadline`. Of several copies of an attempt
//! (hedging) the first success counts, and the call has failed when its last copy has.
//!
//! Work under way is finished whatever happens: through outages, through brownouts, and for clients that have left.
//!
//! Everything happens in order of time. At one moment: changes of a brownout, work that ends, answers, timers,
//! arrivals, sends, new calls, looks into the queue; and those of one kind in the order in which they were planned.

mod agenda;
mod arrivals;
mod clients;
mod kernel;
mod line;
mod server;
mod slots;
mod tally;
mod timeline;

use serde::{Deserialize, Serialize};

use super::Outage;
use crate::{
    error::{Error, in_range},
    latency::Latency,
    limits::{MAX_OUTAGES, at_most},
    scenario::{Scenario, Workload},
    span::Span,
};

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workers {
    /// Attempts that are worked on at once; as many as there are unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// How long a worker works on an attempt.
    pub work: Latency,
    /// Attempts that may wait, beside those in work; any number unless said, and 0 is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Which of those that wait is next.
    #[serde(default)]
    pub order: Order,
    /// How long a worker is idle before it looks into the queue; what arrives meanwhile is taken at once, past those
    /// that wait.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub poll: Span,
    /// How long an attempt travels to the service, and its answer back.
    #[serde(default = "nothing", skip_serializing_if = "is_unsaid")]
    pub network: Latency,
    /// How long a client waits for the answer to an attempt; for ever unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// When a client learns that an attempt took longer than `timeout`.
    #[serde(default)]
    pub notices: Notices,
    /// Whether the service learns at once of an attempt that has timed out: it then leaves the queue. Work that has
    /// begun goes on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancels: bool,
    /// Whether a worker passes over attempts whose client no longer waits, at no cost and without an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub propagates_deadline: bool,
    /// A worker passes over attempts that have waited longer than this, at no cost; they are throttled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shed: Option<Span>,
    /// Probability that an attempt that was worked on fails.
    #[serde(default)]
    pub failure: f64,
    /// When the service takes nothing in; what it has taken in before is worked on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Outage>,
    /// What an outage is to an attempt.
    #[serde(default)]
    pub down: Down,
    /// When the service does less than usual.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brownouts: Vec<Brownout>,
    /// A slow start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold: Option<Cold>,
    /// Retry-After of an attempt that is throttled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Span>,
}

/// Which of those that wait is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The one that came first.
    #[default]
    Fifo,
    /// The one that came last.
    Lifo,
}

/// When a client learns that an attempt took too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notices {
    /// When the time is over.
    #[default]
    Timer,
    /// When the answer comes, which is too late then: a client without a timer.
    Answer,
}

/// What an outage is to an attempt that reaches the service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Down {
    /// It is refused at once.
    #[default]
    Refuse,
    /// It is swallowed: no answer ever comes.
    Silent,
}

/// Less than usual, for `from <= t < until`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brownout {
    /// When it begins.
    pub from: Span,
    /// When all is well again.
    pub until: Span,
    /// Workers that take new work; 0 stalls the service, which still takes attempts into its queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Work that begins within it takes `1 / speed` times as long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
}

/// The first attempts that arrive take longer than the others, as with an empty cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cold {
    /// How many.
    pub attempts: u32,
    /// How many times as long.
    pub factor: f64,
}

const fn nothing() -> Latency {
    Latency::Constant(Span::ZERO)
}

fn is_unsaid(network: &Latency) -> bool {
    *network == nothing()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(span: &Span) -> bool {
    *span == Span::ZERO
}

impl Workers {
    /// So many workers that work so long on an attempt, with an unbounded queue and patient clients.
    #[must_use]
    pub const fn new(workers: u32, work: Latency) -> Self {
        Self {
            workers: Some(workers),
            work,
            queue: None,
            order: Order::Fifo,
            poll: Span::ZERO,
            network: nothing(),
            timeout: None,
            notices: Notices::Timer,
            cancels: false,
            propagates_deadline: false,
            shed: None,
            failure: 0.0,
            outages: Vec::new(),
            down: Down::Refuse,
            brownouts: Vec::new(),
            cold: None,
            retry_after: None,
        }
    }

    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        let at_least = |field: &str, span: Option<Span>, least: Span| {
            span.map_or(Ok(()), |span| span.at_least(&format!("service.{field}"), least))
        };
        if self.workers == Some(0) {
            return Err(Error::invalid("service.workers", 0, "1 or more, or none for any number"));
        }
        self.work.validate().map_err(|error| error.within("service.work"))?;
        self.network.validate().map_err(|error| error.within("service.network"))?;
        at_least("poll", Some(self.poll), Span::ZERO)?;
        at_least("timeout", self.timeout, Span::from_nanos(1))?;
        at_least("shed", self.shed, Span::ZERO)?;
        at_least("retry_after", self.retry_after, Span::ZERO)?;
        in_range("service.failure", self.failure, 0.0, 1.0)?;
        Outage::validate(&self.outages)?;
        Brownout::validate(&self.brownouts)?;
        if let Some(cold) = &self.cold {
            in_range("service.cold.factor", cold.factor, 0.0, 1e9)?;
        }
        self.somebody_notices()?;
        match &scenario.workload {
            Workload::Open(open) => open.limit_calls(scenario.horizon),
            Workload::Burst(_) | Workload::Closed(_) => Ok(()),
        }
    }

    /// Refuses attempts whose end nobody would ever learn of.
    fn somebody_notices(&self) -> Result<(), Error> {
        let is_silent = self.down == Down::Silent && !self.outages.is_empty();
        if is_silent && self.timeout.is_none() {
            let allowed =
                "refuse, or a timeout beside it: nobody would learn of an attempt that is swallowed";
            return Err(Error::invalid("service.down", "silent", allowed));
        }
        if self.notices == Notices::Answer {
            let needs = |what| Err(Error::invalid("service.notices", "answer", what));
            if self.timeout.is_none() {
                return needs("timer, unless there is a timeout");
            }
            if is_silent || self.cancels || self.propagates_deadline {
                return needs(
                    "timer where answers fail to come: with silent outages, cancels, propagates_deadline",
                );
            }
        }
        Ok(())
    }
}

impl Brownout {
    /// Refuses brownouts that end before they begin, overlap, or change nothing.
    fn validate(brownouts: &[Self]) -> Result<(), Error> {
        at_most("service.brownouts", brownouts.len(), MAX_OUTAGES)?;
        let mut well_since = Span::ZERO;
        for (i, brownout) in brownouts.iter().enumerate() {
            let field = format!("service.brownouts[{i}]");
            brownout.from.at_least(&format!("{field}.from"), well_since)?;
            brownout.until.at_least(&format!("{field}.until"), brownout.from)?;
            well_since = brownout.until;
            if let Some(speed) = brownout.speed {
                in_range(&format!("{field}.speed"), speed, 1e-9, 1e9)?;
            } else if brownout.workers.is_none() {
                return Err(Error::invalid(field, "no change", "workers, speed or both"));
            }
        }
        Ok(())
    }
}
