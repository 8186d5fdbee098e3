//! `retrysim emit`: a script that makes a sweep in shards.

use std::path::Path;

use anyhow::{Context, Result, bail};
use retrysim::request::SweepJob;

use crate::{
    Answer,
    cli::{EmitArgs, Scheduler, What},
    load,
};

const SLURM: &str = include_str!("slurm.sh");
const PARALLEL: &str = include_str!("parallel.sh");
const KUBERNETES: &str = include_str!("kubernetes.yaml");

pub fn emit(args: &EmitArgs) -> Result<Answer> {
    let what = What { scenario: args.design.clone(), ..What::default() };
    let sweep = SweepJob { design: load::design(&what, &[])?, metrics: None };
    sweep.check_shards(args.shards).with_context(|| args.design.display().to_string())?;
    let (template, quote): (_, fn(&str) -> String) = match args.scheduler {
        Scheduler::Slurm => (SLURM, shell),
        Scheduler::Parallel => (PARALLEL, shell),
        Scheduler::Kubernetes => (KUBERNETES, yaml),
    };
    let text = template
        .replace("{{SHARDS}}", &args.shards.to_string())
        .replace("{{LAST}}", &args.shards.saturating_sub(1).to_string())
        .replace("{{DESIGN}}", &quote(name(&args.design)?))
        .replace("{{PARTS}}", &quote(name(&args.output)?));
    Ok(Answer { text, passed: true })
}

/// A path that can be written down in a script: text of one line.
fn name(path: &Path) -> Result<&str> {
    match path.to_str() {
        Some(text) if !text.is_empty() && !text.contains(char::is_control) => Ok(text),
        _ => bail!("{path:?} is not allowed; allowed: a path of one line of UTF-8 text"),
    }
}

/// As one word of a shell. A path that begins with a hyphen would be read as an option.
fn shell(text: &str) -> String {
    let text = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As a string of YAML; `$(` would be the name of a variable.
fn yaml(text: &str) -> String {
    let text = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    format!("'{}'", text.replace('\'', "''").replace("$(", "$$("))
}
