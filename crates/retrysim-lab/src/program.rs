//! The program `retrysim`, which the workers of a farm run.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{
    artifacts::{MESSAGES, artifacts},
    folder::Folder,
    kernel::cargo,
    step::step,
};

/// Builds the program and copies it to `.lab/bin`, where no other build touches it.
pub fn build(folder: &Folder) -> Result<()> {
    let program = folder.retrysim();
    if program.exists() {
        return compile(folder, &program);
    }
    step("the program in .lab/bin (a minute beside the library)", || compile(folder, &program))
}

fn compile(folder: &Folder, program: &Path) -> Result<()> {
    let mut cargo = Command::new(cargo());
    // What it depends on is shared with the library and the other release builds.
    cargo.args(["build", "--package", "retrysim-cli", "--release", "--locked", "--quiet", MESSAGES]);
    let made = artifacts(folder, &mut cargo)?;
    let made = made.iter().find_map(|artifact| artifact["executable"].as_str());
    let made = made.context("cargo made no program")?;
    // A name that is whole or not there: workers may be running the old one.
    let part = program.with_extension("part");
    program
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::copy(made, &part))
        .and_then(|_| fs::rename(&part, program))
        .with_context(|| format!("{made} can't be copied to {}", program.display()))
}
