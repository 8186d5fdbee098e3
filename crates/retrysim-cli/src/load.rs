//! Scenarios and policies as they are named on the command line.

use std::{path::Path, sync::OnceLock};

use anyhow::{Context, Result, bail};
use retrysim::{Catalogue, Design, Plan, Policy, Scenario, bundled, file, request::RunJob, text};
use toml::{Table, Value};

use crate::cli::What;

/// The bundled catalogue with a folder of the user's, if there is one.
static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();

/// Adds a folder of policies to the catalogue, before anything is loaded.
pub fn add_policies(folder: &Path) -> Result<()> {
    let catalogue = Catalogue::with_folder(folder)?;
    CATALOGUE.get_or_init(|| catalogue);
    Ok(())
}

/// The policies that can be named.
pub fn catalogue() -> &'static Catalogue {
    CATALOGUE.get().unwrap_or_else(Catalogue::bundled)
}

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
    // Names first, so that a field of a named policy can be set.
    catalogue().resolve_scenario(&mut table).with_context(|| path.display().to_string())?;
    for (field, value) in parse_set(set)? {
        text::set(&mut table, &field, value)?;
    }
    Scenario::from_table_in(catalogue(), table).with_context(|| path.display().to_string())
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
    catalogue().resolve_scenario(&mut scenario).with_context(|| what.scenario.display().to_string())?;
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

/// Policies by one name, and the scenario that they stand in, if they do.
pub struct Found {
    pub policies: Vec<(String, Policy)>,
    pub scenario: Option<Scenario>,
}

impl Found {
    fn one(name: &str, policy: Policy) -> Self {
        Self { policies: vec![(name.to_owned(), policy)], scenario: None }
    }

    fn of(scenario: Scenario) -> Self {
        let policies = scenario.policy.iter().map(|(name, policy)| (name.clone(), policy.clone()));
        Self { policies: policies.collect(), scenario: Some(scenario) }
    }
}

/// A policy: a name of the catalogue, `scenario.policy`, `FILE.toml:policy`, a file that holds one, or TOML.
pub fn policy(name: &str) -> Result<Policy> {
    let mut found = policies(name)?.policies;
    match found.len() {
        1 => Ok(found.remove(0).1),
        _ => {
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            bail!(
                "{name} holds {} policies; allowed: {name}:POLICY, one of {}",
                found.len(),
                names.join(", ")
            )
        }
    }
}

/// Policies: as [`policy`], and all of a scenario or of a file with tables `[policy.NAME]`.
pub fn policies(name: &str) -> Result<Found> {
    let inline = name.trim();
    if inline.starts_with('[') {
        return policy_of(Table::from_iter([("delay".to_owned(), text::value(inline)?)]))
            .map(|policy| Found::one("inline", policy));
    }
    if inline.starts_with('{') {
        return match text::value(inline)? {
            Value::Table(table) => Ok(Found::one("inline", policy_of(table)?)),
            other => bail!("{other} is no policy; allowed: a table such as {{ delay = [...] }}"),
        };
    }
    let path = Path::new(name);
    if path.is_file() || path.extension().is_some_and(|extension| extension == "toml") {
        return in_file(path).with_context(|| name.to_owned());
    }
    if let Ok(policy) = catalogue().policy(name) {
        return Ok(Found::one(name, policy.clone()));
    }
    if let Some((path, policy)) = name.rsplit_once(':') {
        let found = policies(path)?.policies.into_iter();
        let known: Vec<(String, Policy)> = found.collect();
        let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        return match known.iter().find(|(name, _)| name == policy) {
            Some((name, policy)) => Ok(Found::one(name, policy.clone())),
            None => bail!("{path} has no policy named {policy:?}; there are: {names}"),
        };
    }
    if let Some((scenario, policy)) = name.split_once('.')
        && bundled::SCENARIOS.iter().any(|(known, _)| *known == scenario)
    {
        return Ok(Found::one(policy, bundled::scenario(scenario)?.policy(policy)?.clone()));
    }
    if bundled::SCENARIOS.iter().any(|(known, _)| *known == name) {
        return Ok(Found::of(bundled::scenario(name)?));
    }
    let error = catalogue().policy(name).err().map(|error| format!("{error:#}")).unwrap_or_default();
    bail!(
        "no policy {name:?}: {error}; allowed as well: scenario.policy (herd.full), FILE.toml:policy, a TOML file, \
         or TOML such as '[{{exp={{base=\"100ms\"}}}},{{jitter=[0,1]}}]'"
    )
}

/// Policies in a file: a scenario, tables `[policy.NAME]`, or one policy.
fn in_file(path: &Path) -> Result<Found> {
    let mut table = file::read_table(path)?;
    if table.contains_key("service") {
        return Ok(Found::of(Scenario::from_table_in(catalogue(), table)?));
    }
    match table.remove("policy") {
        Some(Value::Table(policies)) if table.is_empty() => {
            let of_table = |(name, value): (String, Value)| match value {
                Value::Table(table) => {
                    Ok((name.clone(), policy_of(table).with_context(|| format!("policy.{name}"))?))
                }
                other => bail!("policy.{name} = {other} is not allowed; allowed: a table"),
            };
            let policies = policies.into_iter().map(of_table).collect::<Result<_>>()?;
            Ok(Found { policies, scenario: None })
        }
        Some(other) => {
            bail!("policy = {other} is not allowed beside other fields; allowed: [policy.NAME] alone")
        }
        None => {
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("policy");
            Ok(Found::one(name, policy_of(table)?))
        }
    }
}

fn policy_of(table: Table) -> Result<Policy> {
    let policy: Policy = text::read(catalogue().resolve(table)?)?;
    policy.validate()?;
    Ok(policy)
}
