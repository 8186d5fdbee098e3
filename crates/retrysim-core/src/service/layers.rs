//! A chain of services that call each other, each hop under a retry policy.
//!
//! A client calls the first tier; every tier calls the next; an attempt at the last tier takes `call` and fails
//! with `probability`. A tier's answer fails when its own call to the next tier was given up. The hop to a tier
//! follows the policy that `policies` names for the tier, or else the one that is simulated. Calls of a hop are
//! made one after another; every hop has its own budgets. `attempts` counts requests at the last tier; a column
//! `arrivals_<tier>` counts them for each.
//!
//! With `timeout`, an attempt of any hop is given up that long after it was sent, and what goes on below is work
//! for nobody. With `propagates_deadline`, the tiers below know until when they are waited for and send nothing
//! later. A policy's `stop.deadline` bounds its hop's calls, and is passed on in the same way.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{Base, Kernel};
use crate::{
    callers::{Call, Callers, Decision, Failure},
    draw::{Draws, Purpose},
    error::{Error, in_range},
    policy::{Compiled, Policy, class::Class, scope::Population},
    record::{Attempt, Column, Kind, Outcome, Recorder, column},
    scenario::Scenario,
    span::{Span, Unit},
};

/// Requests of one run at the most.
const MAX_REQUESTS: f64 = 1e8;

/// Parameters, as in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layers {
    /// Names of the tiers, from the one that clients call to the last.
    pub tiers: Vec<String>,
    /// Probability that an attempt at the last tier fails.
    #[serde(default = "always")]
    pub probability: f64,
    /// How long an attempt at the last tier takes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub call: Span,
    /// How long an attempt is waited for, at every hop; for ever unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// Whether tiers know until when they are waited for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub propagates_deadline: bool,
    /// Policies of the scenario by the tier that is called; the simulated one for a tier that isn't named.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub policies: IndexMap<String, String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(span: &Span) -> bool {
    *span == Span::ZERO
}

const fn always() -> f64 {
    1.0
}

impl Layers {
    /// Tiers whose attempts take no time, under one policy.
    #[must_use]
    pub fn new(tiers: Vec<String>, probability: f64) -> Self {
        Self {
            tiers,
            probability,
            call: Span::ZERO,
            timeout: None,
            propagates_deadline: false,
            policies: IndexMap::new(),
        }
    }

    /// The policy of the hop to `tier`, if it has one of its own; else it follows the one that is simulated.
    #[must_use]
    pub fn own_policy<'s>(&self, tier: &str, scenario: &'s Scenario) -> Option<&'s Policy> {
        scenario.policy.get(self.policies.get(tier)?)
    }

    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        let burst = scenario.workload.burst("layers")?;
        in_range("service.probability", self.probability, 0.0, 1.0)?;
        if self.tiers.is_empty() || self.tiers.len() > 20 {
            return Err(Error::invalid("service.tiers", self.tiers.len(), "1 to 20 names"));
        }
        if let Some(twice) = self.tiers.iter().enumerate().find(|(i, tier)| self.tiers[..*i].contains(tier)) {
            return Err(Error::invalid(format!("service.tiers[{}]", twice.0), twice.1, "each name once"));
        }
        self.call.at_least("service.call", Span::ZERO)?;
        if let Some(timeout) = self.timeout {
            timeout.at_least("service.timeout", Span::from_nanos(1))?;
        }
        for (tier, name) in &self.policies {
            if !self.tiers.contains(tier) {
                return Err(Error::invalid("service.policies", tier, self.tiers.join(", ")));
            }
            scenario.policy(name).map_err(|_| {
                let known: Vec<&str> = scenario.policy.keys().map(String::as_str).collect();
                Error::invalid(format!("service.policies.{tier}"), name, known.join(", "))
            })?;
        }
        for (name, policy) in &scenario.policy {
            let attempts = |tier: &String| self.own_policy(tier, scenario).unwrap_or(policy).max_attempts();
            let worst =
                self.tiers.iter().fold(f64::from(burst.clients), |n, tier| n * f64::from(attempts(tier)));
            if worst > MAX_REQUESTS {
                let field = format!("policy.{name}.stop.attempts");
                let most = self.tiers.iter().map(attempts).max().unwrap_or(1);
                let given = if most == u32::MAX { "unlimited".into() } else { most.to_string() };
                return Err(Error::invalid(
                    field,
                    given,
                    format!("clients * attempts^tiers of at most {MAX_REQUESTS:e}"),
                ));
            }
        }
        Ok(())
    }

    /// The service for one scenario.
    #[must_use]
    pub fn prepare<'s>(&'s self, scenario: &Scenario) -> Prepared<'s> {
        let unit = scenario.unit;
        let of_tier = |tier: &String| Some(self.own_policy(tier, scenario)?.compile(unit));
        Prepared {
            service: self,
            policies: self.tiers.iter().map(of_tier).collect(),
            population: scenario.workload.population(),
            horizon: scenario.horizon.in_unit(unit),
            call: self.call.in_unit(unit),
            timeout: self.timeout.map_or(f64::INFINITY, |timeout| timeout.in_unit(unit)),
            unit,
        }
    }
}

/// [`Layers`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared<'s> {
    service: &'s Layers,
    /// By tier, where the hop to it has its own.
    policies: Vec<Option<Compiled>>,
    population: Population,
    horizon: f64,
    call: f64,
    timeout: f64,
    unit: Unit,
}

/// One run under way.
struct Chain<'a, 'p, D, R> {
    prepared: &'a Prepared<'a>,
    hops: Vec<Callers<'p>>,
    calls: Vec<u32>,
    arrivals: Vec<u64>,
    draws: &'a mut D,
    recorder: &'a mut R,
}

impl<D: Draws, R: Recorder> Chain<'_, '_, D, R> {
    /// One call over `hop`, sent at `now` and waited for until `until`: whether it succeeded, and when that was
    /// known.
    fn call(&mut self, hop: usize, client: u32, mut now: f64, until: f64) -> (bool, f64) {
        let id = self.calls[hop];
        self.calls[hop] += 1;
        // A hop's calls get numbers of their own, so that no two share a stream.
        let hop_id = u32::try_from(hop).unwrap_or(0) << 27 | id;
        let mut call = self.hops[hop].call(hop_id, client, now);
        let until = until.min(now + self.hops[hop].policy().own.limits.deadline);
        loop {
            if now >= self.prepared.horizon || now >= until {
                return (false, now);
            }
            let (sent, start) = (call, now);
            self.arrivals[hop] += 1;
            self.hops[hop].on_send(&call, now);
            let (ok, end) = self.attempt(hop, hop_id, &call, now, until);
            let timed_out = end > now + self.prepared.timeout;
            now = end.min(now + self.prepared.timeout);
            let decision = if ok && !timed_out {
                self.hops[hop].on_success(&call, now);
                None
            } else {
                let mut stream = self.draws.at(Purpose::Attempt, hop_id, call.attempt);
                let class = if timed_out { Class::Timeout } else { Class::Error };
                let failure = Failure { class, hint: None, sent: start };
                Some(self.hops[hop].on_failure(&mut call, now, failure, &mut stream))
            };
            if hop + 1 == self.hops.len() {
                let outcome = match decision {
                    None => Outcome::Ok,
                    Some(_) if timed_out => Outcome::Timeout,
                    Some(_) => Outcome::Error,
                };
                self.recorder.attempt(&Attempt { call: &sent, start, end: now, outcome, decision });
            }
            match decision {
                None => return (true, now),
                Some(Decision::Retry(wait)) => now += wait,
                Some(_) => return (false, now),
            }
        }
    }

    /// What the tier makes of one attempt, and when: it calls the next one, or is the last.
    fn attempt(&mut self, hop: usize, hop_id: u32, call: &Call, now: f64, until: f64) -> (bool, f64) {
        if hop + 1 < self.hops.len() {
            let known = if self.prepared.service.propagates_deadline {
                until.min(now + self.prepared.timeout)
            } else {
                f64::INFINITY
            };
            return self.call(hop + 1, call.client, now, known);
        }
        let fails =
            self.draws.number(Purpose::Outcome, hop_id, call.attempt) < self.prepared.service.probability;
        (!fails, now + self.prepared.call)
    }
}

impl Kernel for Prepared<'_> {
    type Scratch = ();

    fn columns(&self) -> Vec<Column> {
        Base::columns_and(
            self.service.tiers.iter().map(|tier| column(format!("arrivals_{tier}"), Kind::Count)),
        )
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
        let tiers = self.service.tiers.len();
        let mut chain = Chain {
            prepared: self,
            hops: self
                .policies
                .iter()
                .map(|own| Callers::new(own.as_ref().unwrap_or(policy), self.population))
                .collect(),
            calls: vec![0; tiers],
            arrivals: vec![0; tiers],
            draws,
            recorder,
        };
        let (mut successes, mut finish) = (0_u64, 0.0_f64);
        for client in 0..self.population.clients {
            let (ok, at) = chain.call(0, client, 0.0, f64::INFINITY);
            successes += u64::from(ok);
            finish = finish.max(at);
        }
        let calls = u64::from(self.population.clients);
        let base = Base {
            attempts: chain.arrivals[tiers - 1],
            successes,
            gave_up: calls - successes,
            finish_s: if successes == calls { self.unit.to_secs(finish) } else { f64::NAN },
            crashes: f64::NAN,
            peak_arrivals: f64::NAN,
            calls,
        };
        for (place, arrivals) in base.write(row).iter_mut().zip(&chain.arrivals) {
            *place = *arrivals as f64;
        }
        !chain.hops.iter().any(Callers::is_endless)
    }
}
