//! `--assert`: statements about the runs of every policy.

use anyhow::Result;
use retrysim::{
    Error, Simulation, Unit,
    expression::{Expression, Resolve},
    statistics, stats,
};

/// Level of the intervals that are shown when a statement fails.
const CONFIDENCE: f64 = 0.95;

pub fn parse(text: &str) -> Result<Expression> {
    Ok(Expression::parse(text)?)
}

/// What does not hold, with the numbers behind it.
pub fn failures(asserts: &[Expression], simulation: &Simulation) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    for assert in asserts {
        for policy in &simulation.runs.policies {
            let mut runs = OfPolicy { simulation, policy };
            if !assert.holds(&mut runs)? {
                let numbers = numbers(assert, &mut runs)?;
                failures.push(format!("{policy}: {} does not hold: {}", assert.text(), numbers.join(", ")));
            }
            // A statement that names its policies says the same of all.
            if assert.paths().iter().all(|path| path.contains('.')) {
                break;
            }
        }
    }
    Ok(failures)
}

/// Every statistic of the statement with its interval.
fn numbers(assert: &Expression, runs: &mut OfPolicy<'_>) -> Result<Vec<String>> {
    let mut numbers = Vec::new();
    for (function, path) in assert.statistics() {
        let values = runs.column(&path)?;
        let missing = values.iter().filter(|x| x.is_nan()).count();
        if missing > 0 {
            numbers.push(format!("{path} is missing in {missing} of {} runs", values.len()));
            continue;
        }
        let name = if function == "median" { "p50" } else { function.as_str() };
        let (all, _) = statistics(&values, CONFIDENCE);
        if let Some(found) = all.iter().find(|statistic| statistic.name == name) {
            let stats::Estimate { value, low, high } = found.estimate;
            let interval =
                if low.is_nan() { String::new() } else { format!(" (95 %: {low:.4} to {high:.4})") };
            numbers.push(format!("{function}({path}) = {value:.4}{interval}"));
        }
    }
    Ok(numbers)
}

/// Paths of one policy: `metric`, or `policy.metric` of any.
struct OfPolicy<'s> {
    simulation: &'s Simulation,
    policy: &'s str,
}

impl Resolve for OfPolicy<'_> {
    fn column(&mut self, path: &str) -> Result<Vec<f64>, Error> {
        let (policy, metric) = path.rsplit_once('.').unwrap_or((self.policy, path));
        self.simulation.metric(policy, metric)
    }

    fn delay(&mut self, path: &str, retry: u32, u: f64, hint: Option<f64>) -> Result<f64, Error> {
        let delays = self.simulation.scenario.policy(path)?.compile(Unit::S).fixed_delays(retry, hint, u);
        Ok(delays.get(retry as usize - 1).copied().unwrap_or(f64::NAN))
    }
}
