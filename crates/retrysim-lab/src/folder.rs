//! Where things lie.

use std::path::{Path, PathBuf};

/// The project, and `.lab` in it, which holds all that is set up.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The project that this program was compiled in.
    pub fn of_project() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self { root: here.parent().and_then(Path::parent).unwrap_or(here).to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn notebooks(&self) -> PathBuf {
        self.root.join("notebooks")
    }

    /// Files of notebooks that run.
    pub fn out(&self) -> PathBuf {
        self.root.join("out")
    }

    /// The Python side of this crate.
    pub fn python(&self) -> PathBuf {
        self.root.join("crates/retrysim-lab/python")
    }

    /// The Python side of farms.
    pub fn farm(&self) -> PathBuf {
        self.root.join("crates/retrysim/python")
    }

    /// The program `retrysim`, as the workers of a notebook's farm find it.
    pub fn retrysim(&self) -> PathBuf {
        self.lab("bin/retrysim")
    }

    /// Something in `.lab`.
    pub fn lab(&self, path: &str) -> PathBuf {
        self.root.join(".lab").join(path)
    }

    /// A program of the virtual environment.
    pub fn program(&self, name: &str) -> PathBuf {
        self.lab("venv/bin").join(name)
    }
}
