//! JupyterLab, and everything else of Jupyter, with the kernel of this project.

use std::{os::unix::process::CommandExt, process::Command};

use crate::folder::Folder;

/// The notebook that opens.
const FIRST: &str = "notebooks/jitter_compare.ipynb";

/// A program of the virtual environment that sees the kernel, and leaves the user's own settings alone.
pub fn program(folder: &Folder, name: &str) -> Command {
    let mut program = Command::new(folder.program(name));
    program.env("JUPYTER_PATH", folder.lab("jupyter"));
    program.env("JUPYTER_CONFIG_DIR", folder.lab("jupyter/config"));
    program.env("JUPYTER_DATA_DIR", folder.lab("jupyter/data"));
    program.env("PYTHONPATH", folder.python());
    program.env("PYTHONDONTWRITEBYTECODE", "1");
    program
}

/// Becomes JupyterLab.
pub fn open(folder: &Folder, port: u16, browser: bool) -> anyhow::Error {
    let mut lab = program(folder, "jupyter-lab");
    lab.arg("--config").arg(folder.python().join("jupyter_config.py")).arg(format!("--port={port}"));
    if !browser {
        lab.arg("--no-browser");
    }
    lab.arg(format!("--LabApp.default_url=/lab/tree/{FIRST}")).current_dir(folder.root());
    eprintln!("lab: JupyterLab with {FIRST}; its address follows; Ctrl-C twice ends it");
    anyhow::Error::new(lab.exec()).context("JupyterLab can't be started")
}
