//! Steps of the set-up: said when they begin and when they are done; commands that explain their failure.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};

/// Does something that takes time, and says so.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("lab: {what}");
    let begin = Instant::now();
    let done = work().with_context(|| format!("{what}: failed"))?;
    eprintln!("lab: {what}: done in {:.0} s", begin.elapsed().as_secs_f64());
    Ok(done)
}

/// Runs a command to its end; what it prints goes to stderr.
pub fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    // Stdout is left to results.
    let status = command.stdout(std::io::stderr()).stdin(Stdio::null()).status();
    match status.with_context(|| format!("{name} can't be started"))? {
        status if status.success() => Ok(()),
        status => bail!("{name} ended with {status}"),
    }
}

/// What a command prints on stdout.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} can't be started"))?;
    if !output.status.success() {
        bail!("{name} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether `mark` says that this was done before. A step writes its mark when it is done, so that one that was
/// interrupted is done again.
pub fn is_done(mark: &Path, what: &str) -> bool {
    fs::read_to_string(mark).is_ok_and(|text| text == what)
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("{} can't be written", path.display()))
}
