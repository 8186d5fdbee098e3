//! Scenarios and policies as they are named on the command line.

use std::path::Path;

use anyhow::{Context, Result, bail};
use retrysim::{Design, Plan, Policy, Scenario, bundled, file, request::RunJob, text};
use toml::{Table, Value};

use crate::cli::What;

/// Reads `dotted.path=value`.
fn parse_set(set: &[String]) -> Result<Vec<(String, Value)>> {
    set.iter()
        .map(|pair| {
            let (path, value) = pair
                .split_once('=')
                .with_context(|| format!("--set {pair:?} is not allowed; allowed: dotted.path=value"))?;
            let value = text::value(value.trim()).with_context(|| format!("--set {pair:?}"))?;
            Ok((path.trim().to_owned(), value))
        })
        .collect()
}

/// The table of a scenario file, or of a bundled scenario by name.
fn table(path: &Path) -> Result<Table> {
    let name = path.to_str().unwrap_or_default();
    if path.exists() || !bundled::SCENARIOS.iter().any(|(known, _)| *known == name) {
        return Ok(file::read_table(path)?);
    }
    Ok(text::parse(bundled::scenario_text(name)?)?)
}

/// A scenario from a file, or a bundled one by name, with fields set.
pub fn scenario(path: &Path, set: &[String]) -> Result<Scenario> {
    let mut table = table(path)?;
    for (field, value) in parse_set(set)? {
        text::set(&mut table, &field, value)?;
    }
    Scenario::from_table(table).with_context(|| path.display().to_string())
}

/// What is run, as a job.
pub fn job(what: &What) -> Result<RunJob> {
    let scenario = scenario(&what.scenario, &what.set)?;
    let policies = if what.policies.is_empty() {
        scenario.policy.keys().cloned().collect()
    } else {
        what.policies.clone()
    };
    for name in &policies {
        scenario.policy(name).with_context(|| what.scenario.display().to_string())?;
    }
    let plan = match (&what.seeds, what.runs, what.seed) {
        (Some(seeds), _, _) => Plan::Seeds(seeds.0.clone()),
        (None, Some(runs), seed) => Plan::Runs { seed: seed.unwrap_or(0), runs },
        (None, None, Some(seed)) => Plan::Seeds(vec![seed]),
        (None, None, None) => Plan::Seeds(scenario.seeds.0.clone()),
    };
    let generator = what.generator.unwrap_or(scenario.generator);
    Ok(RunJob { scenario, policies, plan, generator, metrics: metrics(what) })
}

/// Metrics to keep.
pub fn metrics(what: &What) -> Option<Vec<String>> {
    (!what.metrics.is_empty()).then(|| what.metrics.clone())
}

/// A sweep: a design file, or a scenario with `--vary`. The scenario is held as a table, so that a manifest
/// of it is whole.
pub fn design(what: &What, vary: &[String]) -> Result<Design> {
    if what.seeds.is_some() {
        bail!("--seeds is not allowed for a sweep; allowed: --runs N and --seed S, the same at every point");
    }
    let mut given = table(&what.scenario)?;
    let is_design = given.contains_key("vary") || given.contains_key("point");
    let mut design: Design = if is_design {
        text::read(given).with_context(|| what.scenario.display().to_string())?
    } else {
        if let Some(generator) = what.generator {
            given.insert("generator".into(), Value::String(generator.name().into()));
        }
        Design { scenario: Value::Table(given), ..Design::new("", what.runs.unwrap_or(100)) }
    };
    for (path, values) in parse_values(vary)? {
        design.vary.insert(path, values);
    }
    let mut scenario = match &design.scenario {
        Value::String(name) => table(&beside(&what.scenario, name))?,
        _ => design.table()?,
    };
    for (field, value) in parse_set(&what.set)? {
        text::set(&mut scenario, &field, value)?;
    }
    design.scenario = Value::Table(scenario);
    design.runs = what.runs.unwrap_or(design.runs);
    design.seed = what.seed.unwrap_or(design.seed);
    if !what.policies.is_empty() {
        design.policies.clone_from(&what.policies);
    }
    Ok(design)
}

/// A scenario named in a design file: a file beside it, or else a bundled one.
fn beside(design: &Path, name: &str) -> std::path::PathBuf {
    let beside = design.parent().unwrap_or(Path::new("")).join(name);
    if beside.exists() { beside } else { name.into() }
}

/// Reads `dotted.path=values`: a TOML list, or FROM..TO:STEP.
fn parse_values(vary: &[String]) -> Result<Vec<(String, Value)>> {
    vary.iter()
        .map(|pair| {
            let (path, values) = pair.split_once('=').with_context(|| {
                format!("--vary {pair:?} is not allowed; allowed: dotted.path=[values] or =FROM..TO:STEP")
            })?;
            let values = if values.trim_start().starts_with('[') {
                text::value(values.trim()).with_context(|| format!("--vary {pair:?}"))?
            } else {
                Value::String(values.trim().to_owned())
            };
            Ok((path.trim().to_owned(), values))
        })
        .collect()
}

/// A policy: `scenario.policy`, `FILE.toml:policy`, a file that holds one, or TOML.
pub fn policy(name: &str) -> Result<Policy> {
    let inline = name.trim();
    if inline.starts_with('[') {
        return policy_of(Table::from_iter([("delay".to_owned(), text::value(inline)?)]));
    }
    if inline.starts_with('{') {
        return match text::value(inline)? {
            Value::Table(table) => policy_of(table),
            other => bail!("{other} is no policy; allowed: a table such as {{ delay = [...] }}"),
        };
    }
    if let Some((path, policy)) = name.rsplit_once(':') {
        return Ok(scenario(Path::new(path), &[])?.policy(policy)?.clone());
    }
    if Path::new(name).exists() {
        return policy_of(file::read_table(Path::new(name))?).with_context(|| name.to_owned());
    }
    if let Some((scenario, policy)) = name.split_once('.')
        && !policy.ends_with("toml")
    {
        return Ok(bundled::scenario(scenario)?.policy(policy)?.clone());
    }
    bail!(
        "no policy {name:?}; allowed: scenario.policy (herd.full), FILE.toml:policy, a TOML file with a policy, \
         or TOML such as '[{{exp={{base=\"100ms\"}}}},{{jitter=[0,1]}}]'"
    )
}

fn policy_of(table: Table) -> Result<Policy> {
    let policy: Policy = text::read(table)?;
    policy.validate()?;
    Ok(policy)
}
