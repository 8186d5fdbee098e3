//! Sources of the standard library, which naming the type of a `let` takes.

use std::{env, fs, path::PathBuf, process::Command};

use anyhow::{Result, bail};

use crate::step::{output, step};

/// Finds them: where `RUST_SRC_PATH` says, in the toolchain, as a package of the system, or by rustup.
pub fn find() -> Result<PathBuf> {
    if let Some(found) = present()? {
        return Ok(found);
    }
    step("rust-src, by rustup", || {
        crate::step::run(Command::new("rustup").args(["component", "add", "rust-src"]))
    })
    .or_else(|error| {
        bail!(
            "--infer needs the sources of the standard library, and rustup did not bring them ({error:#}); \
             install them (on Debian: apt install rust-src) or name their `library` folder in RUST_SRC_PATH"
        )
    })?;
    present()?.ok_or_else(|| anyhow::anyhow!("rustup brought no sources of the standard library"))
}

fn present() -> Result<Option<PathBuf>> {
    let sysroot = PathBuf::from(output(Command::new("rustc").args(["--print", "sysroot"]))?);
    let named = env::var_os("RUST_SRC_PATH").map(PathBuf::from);
    let packaged = fs::read_dir("/usr/src").into_iter().flatten().flatten();
    let packaged = packaged.filter(|entry| entry.file_name().to_string_lossy().starts_with("rustc-"));
    let mut places = named
        .into_iter()
        .chain([sysroot.join("lib/rustlib/src/rust/library")])
        .chain(packaged.map(|entry| entry.path().join("library")));
    Ok(places.find(|place| place.join("core/src/lib.rs").is_file()))
}
