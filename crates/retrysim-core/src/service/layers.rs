//! A chain of services that call each other, each hop under the same retry policy.
//!
//! A client calls the first tier; every tier calls the next; an attempt at the last tier fails with
//! `probability`. A tier's answer fails when its own call to the next tier was given up. Calls of a hop
//! are made one after another; every hop has its own budgets. `attempts` counts requests at the last
//! tier; a column `arrivals_<tier>` counts them for each.

use serde::{Deserialize, Serialize};

use super::{Base, Kernel};
use crate::{
    callers::{Callers, Decision, Failure},
    draw::{Draws, Purpose},
    error::{Error, in_range},
    policy::{Compiled, class::Class, scope::Population},
    record::{Attempt, Column, Kind, Outcome, Recorder, column},
    scenario::Scenario,
    span::Unit,
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
}

const fn always() -> f64 {
    1.0
}

impl Layers {
    pub(super) fn validate(&self, scenario: &Scenario) -> Result<(), Error> {
        let burst = scenario.workload.burst("layers")?;
        in_range("service.probability", self.probability, 0.0, 1.0)?;
        if self.tiers.is_empty() || self.tiers.len() > 20 {
            return Err(Error::invalid("service.tiers", self.tiers.len(), "1 to 20 names"));
        }
        if let Some(twice) = self.tiers.iter().enumerate().find(|(i, tier)| self.tiers[..*i].contains(tier)) {
            return Err(Error::invalid(format!("service.tiers[{}]", twice.0), twice.1, "each name once"));
        }
        for (name, policy) in &scenario.policy {
            let attempts = policy.stop.max_attempts();
            let worst = f64::from(burst.clients)
                * libm::pow(f64::from(attempts), f64::from(u32::try_from(self.tiers.len()).unwrap_or(20)));
            if worst > MAX_REQUESTS {
                let field = format!("policy.{name}.stop.attempts");
                let given = if attempts == u32::MAX { "unlimited".into() } else { attempts.to_string() };
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
        Prepared {
            service: self,
            population: scenario.workload.population(),
            horizon: scenario.horizon.in_unit(scenario.unit),
            unit: scenario.unit,
        }
    }
}

/// [`Layers`] in the units of a scenario.
#[derive(Debug)]
pub struct Prepared<'s> {
    service: &'s Layers,
    population: Population,
    horizon: f64,
    unit: Unit,
}

/// One run under way.
struct Chain<'a, 'p, D, R> {
    probability: f64,
    horizon: f64,
    hops: Vec<Callers<'p>>,
    calls: Vec<u32>,
    arrivals: Vec<u64>,
    draws: &'a mut D,
    recorder: &'a mut R,
}

impl<D: Draws, R: Recorder> Chain<'_, '_, D, R> {
    /// One call over `hop`, sent at `now`: whether it succeeded, and when that was known.
    fn call(&mut self, hop: usize, client: u32, mut now: f64) -> (bool, f64) {
        let id = self.calls[hop];
        self.calls[hop] += 1;
        // A hop's calls get numbers of their own, so that no two share a stream.
        let hop_id = u32::try_from(hop).unwrap_or(0) << 27 | id;
        let mut call = self.hops[hop].call(hop_id, client, now);
        loop {
            if now >= self.horizon {
                return (false, now);
            }
            let (sent, start) = (call, now);
            self.arrivals[hop] += 1;
            self.hops[hop].on_send(&call, now);
            let ok;
            (ok, now) = if hop + 1 < self.hops.len() {
                self.call(hop + 1, client, now)
            } else {
                let fails = self.draws.number(Purpose::Outcome, hop_id, call.attempt) < self.probability;
                (!fails, now)
            };
            let decision = if ok {
                self.hops[hop].on_success(&call, now);
                None
            } else {
                let mut stream = self.draws.at(Purpose::Attempt, hop_id, call.attempt);
                let failure = Failure { class: Class::Error, hint: None, sent: start };
                Some(self.hops[hop].on_failure(&mut call, now, failure, &mut stream))
            };
            if hop + 1 == self.hops.len() {
                let outcome = if ok { Outcome::Ok } else { Outcome::Error };
                self.recorder.attempt(&Attempt { call: &sent, start, end: now, outcome, decision });
            }
            match decision {
                None => return (true, now),
                Some(Decision::Retry(wait)) => now += wait,
                Some(_) => return (false, now),
            }
        }
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
            probability: self.service.probability,
            horizon: self.horizon,
            hops: (0..tiers).map(|_| Callers::new(policy, self.population)).collect(),
            calls: vec![0; tiers],
            arrivals: vec![0; tiers],
            draws,
            recorder,
        };
        let (mut successes, mut finish) = (0_u64, 0.0_f64);
        for client in 0..self.population.clients {
            let (ok, at) = chain.call(0, client, 0.0);
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
