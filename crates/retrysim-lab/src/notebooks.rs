//! Notebooks without a browser.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{folder::Folder, jupyter};

/// The notebooks that are meant: by name, by path, or all.
pub fn find(folder: &Folder, names: &[String]) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder.notebooks())
        .context("notebooks/ can't be read")?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ipynb"))
        .collect();
    all.sort();
    if names.is_empty() {
        return Ok(all);
    }
    names.iter().map(|name| one(name, &all)).collect()
}

fn one(name: &str, all: &[PathBuf]) -> Result<PathBuf> {
    if Path::new(name).is_file() {
        return Ok(std::fs::canonicalize(name)?);
    }
    let stem = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy() == name);
    match all.iter().find(|path| stem(path)) {
        Some(path) => Ok(path.clone()),
        None => {
            let known: Vec<_> = all.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
            bail!("no notebook {name:?}; there are: {}, or give a path", known.join(", "))
        }
    }
}

/// Runs notebooks. Their files go to `out/`, and so does a copy with outputs, unless `store` is set: then
/// the notebook itself is rewritten, and its twin in Markdown.
pub fn run(folder: &Folder, notebooks: &[PathBuf], runs: Option<u64>, store: bool) -> Result<bool> {
    let mut command = jupyter::program(folder, "python");
    command.args(["-m", "retrysim_lab.execute"]).arg(if store { "store" } else { "run" });
    command.arg(folder.out()).args(notebooks);
    if let Some(runs) = runs {
        command.env("RETRYSIM_RUNS", runs.to_string());
    }
    Ok(command.status().context("Python can't be started")?.success())
}

/// Runs notebooks beside what is stored, and compares.
pub fn check(folder: &Folder, notebooks: &[PathBuf]) -> Result<bool> {
    let mut command = jupyter::program(folder, "python");
    command.args(["-m", "retrysim_lab.execute", "check"]).arg(folder.lab("check")).args(notebooks);
    Ok(command.status().context("Python can't be started")?.success())
}
