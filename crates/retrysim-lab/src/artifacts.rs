//! What cargo has made, by its own account.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::folder::Folder;

/// The argument by which cargo gives that account.
pub const MESSAGES: &str = "--message-format=json-render-diagnostics";

/// Runs a cargo that has [`MESSAGES`] among its arguments: a message for every crate, up to date or made now.
pub fn artifacts(folder: &Folder, cargo: &mut Command) -> Result<Vec<Value>> {
    let output = cargo.current_dir(folder.root()).stdout(Stdio::piped()).stderr(Stdio::inherit()).output();
    let output = output.context("cargo can't be started")?;
    if !output.status.success() {
        bail!("cargo ended with {}", output.status);
    }
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let messages = messages.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    Ok(messages.filter(|message| message["reason"] == "compiler-artifact").collect())
}
