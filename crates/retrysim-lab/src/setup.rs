//! All that has to be there before a notebook runs.

use std::fs::File;

use anyhow::{Context, Result};

use crate::{folder::Folder, kernel, library, program, python, sources, step};

/// Sets up what is missing, in the order of what takes least to fail.
pub fn all(folder: &Folder, infer: bool) -> Result<()> {
    let _lock = lock(folder)?;
    let sources = if infer { Some(sources::find()?) } else { None };
    check_compiler()?;
    python::set_up(folder)?;
    kernel::install(folder)?;
    let library = library::build(folder)?;
    program::build(folder)?;
    kernel::configure(folder, &library, sources.as_deref())
}

/// Held while something is set up, so that two of this program don't get in each other's way.
fn lock(folder: &Folder) -> Result<File> {
    let path = folder.lab("lock");
    step::write(&path, "")?;
    let file = File::options().write(true).open(&path)?;
    if file.try_lock().is_err() {
        eprintln!("lab: waits for another `cargo lab`");
        file.lock()?;
    }
    Ok(file)
}

/// Cells are linked with the system's C compiler, as every Rust program is.
fn check_compiler() -> Result<()> {
    crate::step::output(std::process::Command::new("cc").arg("--version")).map(drop).context(
        "a C compiler named cc is needed (on Debian and Ubuntu: apt install gcc libc6-dev; \
         on macOS: xcode-select --install)",
    )
}
