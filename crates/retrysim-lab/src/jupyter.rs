//! JupyterLab, and everything else of Jupyter, with the kernel of this project.

use std::process::Command;

use anyhow::{Context, Result};

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

/// Opens JupyterLab and waits for its end.
pub fn open(folder: &Folder, port: u16, browser: bool) -> Result<bool> {
    let mut lab = program(folder, "jupyter-lab");
    lab.arg("--config").arg(folder.python().join("jupyter_config.py")).arg(format!("--port={port}"));
    if !browser {
        lab.arg("--no-browser");
    }
    lab.arg(FIRST).current_dir(folder.root());
    eprintln!("lab: JupyterLab with {FIRST}; its address follows; Ctrl-C twice ends it");
    Ok(lab.status().context("JupyterLab can't be started")?.success())
}
