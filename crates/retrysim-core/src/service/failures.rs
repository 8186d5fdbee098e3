//! A service whose attempts fail independently with a fixed probability, or by a script.
//!
//! Calls are made one after another in the order of clients: all attempts of a call come before the next
//! call, as one process works through its requests. Budgets see them in that order. Each call's own clock
//! starts at its place in `spread`; an attempt takes `call`.
//!
//! A script gives the responses of client `i`'s attempts in order, from list `i mod lists`; its last
//! response repeats.

use serde::{Deserialize, Serialize};

use super::{Base, Crowd, Kernel};
use crate::{
    callers::{Callers, Decision, Failure, Sending},
    draw::{Draws, Purpose},
    error::{Error, in_range},
    policy::{Compiled, class::Class},
    record::{Attempt, Column, Kind, Outcome, Recorder, column},
    scenario::Scenario,
    span::{Span, Unit},
};

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failures {
    /// Probability that an attempt fails.
    #[serde(default)]
    pub probability: f64,
    /// How long an attempt takes.
    #[serde(default)]
    pub call: Span,
    /// Responses by client and attempt, instead of `probability`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<Vec<Response>>,
    /// Retry-After of a `throttle` response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Span>,
}

/// What an attempt meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// It succeeds (200).
    Ok,
    /// It fails and may be retried (503).
    Error,
    /// It is throttled and may be retried after the hint (429).
    Throttle,
    /// No answer comes in time.
    Timeout,
    /// It is wrong in itself and never retried (400).
    Rejected,
}

impl Failures {
    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        scenario.workload.burst("failures")?;
        in_range("service.probability", self.probability, 0.0, 1.0)?;
        self.call.at_least("service.call", Span::ZERO)?;
        if let Some(i) = self.script.iter().position(Vec::is_empty) {
            return Err(Error::invalid(format!("service.script[{i}]"), "[]", "at least one response"));
        }
        self.retry_after.map_or(Ok(()), |span| span.at_least("service.retry_after", Span::ZERO))
    }

    /// The service for one scenario.
    #[must_use]
    pub fn prepare<'s>(&'s self, scenario: &Scenario) -> Prepared<'s> {
        let unit = scenario.unit;
        Prepared {
            service: self,
            crowd: Crowd::of(scenario),
            horizon: scenario.horizon.in_unit(unit),
            call: self.call.in_unit(unit),
            hint: self.retry_after.map(|span| span.in_unit(unit)),
            unit,
        }
    }
}

/// [`Failures`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared<'s> {
    service: &'s Failures,
    crowd: Crowd,
    horizon: f64,
    call: f64,
    hint: Option<f64>,
    unit: Unit,
}

impl Prepared<'_> {
    fn response<D: Draws>(&self, client: u32, attempt: u32, draws: &mut D) -> Response {
        if self.service.script.is_empty() {
            let fails = draws.number(Purpose::Outcome, client, attempt) < self.service.probability;
            return if fails { Response::Error } else { Response::Ok };
        }
        let responses = &self.service.script[client as usize % self.service.script.len()];
        responses[(attempt as usize).min(responses.len()) - 1]
    }
}

impl Kernel for Prepared<'_> {
    type Scratch = ();

    fn columns(&self) -> Vec<Column> {
        Base::columns_and([
            column("retries", Kind::Count),
            column("budget_denied", Kind::Count),
            column("most_attempts", Kind::Count),
            column("busiest_1000", Kind::Count),
        ])
    }

    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn run<D: Draws, R: Recorder>(
        &self,
        policy: &Compiled,
        draws: &mut D,
        recorder: &mut R,
        (): &mut (),
        row: &mut [f64],
    ) -> bool {
        let mut callers = Callers::new(policy, self.crowd.population);
        let (mut attempts, mut successes, mut gave_up) = (0_u64, 0_u64, 0_u64);
        let (mut denied, mut most, mut finish) = (0_u64, 0_u32, 0.0_f64);
        let mut recent = Recent::default();
        for client in 0..self.crowd.clients() {
            let mut now = self.crowd.start(client, draws);
            let mut call = callers.call(client, client, now);
            loop {
                if now >= self.horizon || callers.is_endless() {
                    break;
                }
                if policy.acts_on_sends() {
                    let mut stream = draws.at(Purpose::Sending, client, call.attempt);
                    match callers.ask(&mut call, now, &mut stream) {
                        Sending::Now => {}
                        Sending::At(at) => now = at,
                        Sending::Not(Decision::Retry(wait)) => {
                            now += wait;
                            continue;
                        }
                        Sending::Not(_) => {
                            gave_up += 1;
                            break;
                        }
                    }
                }
                let (sent, start) = (call, now);
                attempts += 1;
                callers.on_send(&call, now);
                let response = self.response(client, call.attempt, draws);
                now += self.call;
                let mut stream = draws.at(Purpose::Attempt, client, sent.attempt);
                let mut fail = |class, hint| {
                    let failure = Failure { class, hint, sent: start };
                    Some(callers.on_failure(&mut call, now, failure, &mut stream))
                };
                let (outcome, decision) = match response {
                    Response::Ok => {
                        callers.on_success(&call, now);
                        (Outcome::Ok, None)
                    }
                    Response::Rejected => (Outcome::Error, Some(Decision::Exhausted)),
                    Response::Error => (Outcome::Error, fail(Class::Error, None)),
                    Response::Timeout => (Outcome::Timeout, fail(Class::Timeout, None)),
                    Response::Throttle => (Outcome::Refused, fail(Class::Throttle, self.hint)),
                };
                recorder.attempt(&Attempt { call: &sent, start, end: now, outcome, decision });
                match decision {
                    None => {
                        successes += 1;
                        finish = finish.max(now);
                    }
                    Some(Decision::Retry(wait)) => {
                        now += wait;
                        continue;
                    }
                    Some(given_up) => {
                        gave_up += 1;
                        denied += u64::from(given_up == Decision::BudgetDenied);
                    }
                }
                break;
            }
            most = most.max(call.attempt);
            recent.call(call.attempt - 1);
        }
        let calls = u64::from(self.crowd.clients());
        let base = Base {
            attempts,
            successes,
            gave_up,
            finish_s: if successes == calls { self.unit.to_secs(finish) } else { f64::NAN },
            crashes: f64::NAN,
            peak_arrivals: f64::NAN,
            calls,
        };
        base.write(row).copy_from_slice(&[
            recent.total as f64,
            denied as f64,
            f64::from(most),
            recent.most as f64,
        ]);
        !callers.is_endless()
    }
}

/// Retries of the last 1,000 calls, and the most that any 1,000 in a row had.
#[derive(Debug, Default)]
struct Recent {
    retries: std::collections::VecDeque<u32>,
    sum: u64,
    total: u64,
    most: u64,
}

impl Recent {
    fn call(&mut self, retries: u32) {
        self.retries.push_back(retries);
        self.sum += u64::from(retries);
        self.total += u64::from(retries);
        if self.retries.len() > 1000 {
            self.sum -= u64::from(self.retries.pop_front().unwrap_or(0));
        }
        self.most = self.most.max(self.sum);
    }
}
