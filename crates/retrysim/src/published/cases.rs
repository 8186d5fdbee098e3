//! Named runs, made when an expression first asks for them.

use std::collections::HashMap;

use retrysim_core::{Plan, RunConfig, Runs, Scenario, Unit, text};
use serde::Deserialize;
use toml::Table;

use crate::{bundled, error::Error, expression::Resolve};

/// A named run: a scenario, what is changed in it, and how often it is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, the first part of paths.
    pub name: String,
    /// The bundled scenario.
    pub scenario: String,
    /// Dotted paths and the values that they are set to.
    #[serde(default)]
    pub set: Table,
    /// Runs under `seed`; the scenario's own seeds if not given.
    #[serde(default)]
    pub runs: Option<u64>,
    /// Seed of those runs.
    #[serde(default)]
    pub seed: u64,
}

/// Cases by name, with the runs that have been made so far. A bundled scenario is a case by its own name.
#[derive(Debug)]
pub struct Cases<'c> {
    cases: &'c [Case],
    scenarios: HashMap<String, (Scenario, Plan)>,
    runs: HashMap<(String, String), Runs>,
}

impl<'c> Cases<'c> {
    /// Nothing has been run yet.
    #[must_use]
    pub fn new(cases: &'c [Case]) -> Self {
        Self { cases, scenarios: HashMap::new(), runs: HashMap::new() }
    }

    fn scenario(&mut self, name: &str) -> Result<&(Scenario, Plan), Error> {
        if !self.scenarios.contains_key(name) {
            let loaded = self.load(name)?;
            self.scenarios.insert(name.to_owned(), loaded);
        }
        Ok(&self.scenarios[name])
    }

    fn load(&self, name: &str) -> Result<(Scenario, Plan), Error> {
        let Some(case) = self.cases.iter().find(|case| case.name == name) else {
            let scenario = bundled::scenario(name)?;
            let plan = Plan::Seeds(scenario.seeds.0.clone());
            return Ok((scenario, plan));
        };
        let mut table = text::parse(bundled::scenario_text(&case.scenario)?)?;
        for (path, value) in &case.set {
            text::set(&mut table, path, value.clone())?;
        }
        let scenario = Scenario::from_table(table)?;
        let plan = match case.runs {
            Some(runs) => Plan::Runs { seed: case.seed, runs },
            None => Plan::Seeds(scenario.seeds.0.clone()),
        };
        Ok((scenario, plan))
    }

    fn run(&mut self, case: &str, policy: &str) -> Result<&Runs, Error> {
        let key = (case.to_owned(), policy.to_owned());
        if !self.runs.contains_key(&key) {
            let (scenario, plan) = self.scenario(case)?;
            let runs = retrysim_core::simulate(scenario, &[policy], &RunConfig::new(plan.clone()))?;
            self.runs.insert(key.clone(), runs);
        }
        Ok(&self.runs[&key])
    }
}

/// Splits `case.policy[.metric]`.
fn split(path: &str, parts: usize) -> Result<Vec<&str>, Error> {
    let split: Vec<&str> = path.split('.').collect();
    if split.len() == parts {
        return Ok(split);
    }
    let form = if parts == 3 { "case.policy.metric" } else { "case.policy" };
    Err(Error::Expression { expression: path.to_owned(), message: format!("not of the form {form}") })
}

impl Resolve for Cases<'_> {
    fn column(&mut self, path: &str) -> Result<Vec<f64>, Error> {
        let parts = split(path, 3)?;
        Ok(self.run(parts[0], parts[1])?.column(parts[1], parts[2])?)
    }

    fn delay(&mut self, path: &str, retry: u32, u: f64, hint: Option<f64>) -> Result<f64, Error> {
        let parts = split(path, 2)?;
        let (scenario, _) = self.scenario(parts[0])?;
        let delays = scenario.policy(parts[1])?.compile(Unit::S).fixed_delays(retry, hint, u);
        Ok(delays.get(retry as usize - 1).copied().unwrap_or(f64::NAN))
    }
}
