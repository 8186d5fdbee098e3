//! The library as cells see it: one dynamic library, and what the compiler must know of the crates in it.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{
    artifacts::{MESSAGES, artifacts},
    folder::Folder,
    kernel::cargo,
    step::{output, step},
};

/// Where the library is.
pub struct Library {
    /// All its files.
    pub folder: PathBuf,
    /// The dynamic library.
    pub file: String,
    /// The folder of the dynamic standard library.
    pub standard: PathBuf,
}

/// Builds the library and copies it to `.lab/library`, where no other build touches it.
pub fn build(folder: &Folder) -> Result<Library> {
    let what = "library for notebooks in .lab/library (about ten minutes without a release build, most of it polars)";
    let files = if folder.lab("library").exists() {
        compile(folder, true)?
    } else {
        step(what, || compile(folder, false))?
    };
    let library = folder.lab("library");
    keep(&files, &library)?;
    let file = files.iter().filter_map(|path| path.file_name()?.to_str()).find(|name| {
        name.starts_with("libretrysim_nb.") && (name.ends_with(".so") || name.ends_with(".dylib"))
    });
    let file = file.context("cargo made no library")?.to_owned();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let standard = output(Command::new(rustc).args(["--print", "target-libdir"]))?.into();
    Ok(Library { folder: library, file, standard })
}

/// Compiles, and gives the files that a compiler needs to use the result: dynamic libraries and the metadata
/// of what is linked into them. The code of the dependencies is in the library.
fn compile(folder: &Folder, quiet: bool) -> Result<BTreeSet<PathBuf>> {
    let mut cargo = Command::new(cargo());
    cargo.args(["rustc", "--package", "retrysim-nb", "--release", "--locked", MESSAGES]);
    if quiet {
        cargo.arg("--quiet");
    }
    // Only this crate: what it depends on is shared with the other release builds.
    cargo.args(["--", "-C", "prefer-dynamic"]);
    let files = artifacts(folder, &mut cargo)?.into_iter().flat_map(|artifact| {
        let files = artifact["filenames"].as_array().cloned().unwrap_or_default();
        files.into_iter().filter_map(|file| Some(PathBuf::from(file.as_str()?)))
    });
    let wanted = ["rmeta", "so", "dylib"];
    Ok(files.filter(|file| wanted.iter().any(|wanted| file.extension() == Some(wanted.as_ref()))).collect())
}

/// Makes `library` hold exactly these files. Kernels that run keep what they have opened.
fn keep(files: &BTreeSet<PathBuf>, library: &Path) -> Result<()> {
    fs::create_dir_all(library).with_context(|| format!("{} can't be made", library.display()))?;
    let mut kept = BTreeSet::new();
    for file in files {
        let name = file.file_name().context("cargo named a folder")?;
        let copy = library.join(name);
        if !is_same(file, &copy).unwrap_or(false) {
            let part = library.join("part");
            fs::copy(file, &part)
                .and_then(|_| fs::rename(&part, &copy))
                .with_context(|| format!("{} can't be copied to {}", file.display(), library.display()))?;
        }
        kept.insert(copy);
    }
    for entry in fs::read_dir(library)?.flatten() {
        if !kept.contains(&entry.path()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A copy is newer than what it was copied from, and as long.
fn is_same(file: &Path, copy: &Path) -> io::Result<bool> {
    let (file, copy) = (fs::metadata(file)?, fs::metadata(copy)?);
    Ok(file.len() == copy.len() && file.modified()? <= copy.modified()?)
}
