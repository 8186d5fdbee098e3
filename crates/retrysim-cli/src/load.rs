//! Scenarios and policies as they are named on the command line.

use std::path::Path;

use anyhow::{Context, Result, bail};
use retrysim::{Policy, Scenario, bundled, file, text};
use toml::{Table, Value};

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

/// A scenario from a file, or a bundled one by name, with fields set.
pub fn scenario(path: &Path, set: &[String]) -> Result<Scenario> {
    let set = parse_set(set)?;
    let name = path.to_str().unwrap_or_default();
    if path.exists() || !bundled::SCENARIOS.iter().any(|(known, _)| *known == name) {
        return Ok(file::read_scenario(path, &set)?);
    }
    let mut table = text::parse(bundled::scenario_text(name)?)?;
    for (field, value) in set {
        text::set(&mut table, &field, value)?;
    }
    Scenario::from_table(table).with_context(|| format!("scenario {name}"))
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
