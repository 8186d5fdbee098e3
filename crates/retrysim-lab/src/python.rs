//! JupyterLab, what runs notebooks, and Dask for farms, in a virtual environment.

use std::{env, fs, process::Command};

use anyhow::{Context, Result, bail};

use crate::{
    folder::Folder,
    step::{is_done, output, run, step, write},
};

/// JupyterLab asks nothing of the network, and does not ask whether it may.
const SETTINGS: &str = r#"{
  "@jupyterlab/apputils-extension:notification": { "checkForUpdates": false, "fetchNews": "false" }
}
"#;

/// Makes the virtual environment, with the pinned packages.
pub fn set_up(folder: &Folder) -> Result<()> {
    let list = folder.python().join("requirements.txt");
    let pinned = fs::read_to_string(&list).with_context(|| format!("{} can't be read", list.display()))?;
    let farm = folder.farm();
    let about_farm = farm.join("pyproject.toml");
    let about_farm =
        fs::read_to_string(&about_farm).with_context(|| format!("{} can't be read", about_farm.display()))?;
    let pinned = pinned + &about_farm;
    let mark = folder.lab("venv/packages");
    if is_done(&mark, &pinned) {
        return Ok(());
    }
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    check_version(&python)?;
    step("JupyterLab and Dask in .lab/venv (about half a minute)", || {
        let venv = folder.lab("venv");
        run(Command::new(&python).args(["-m", "venv", "--clear"]).arg(&venv)).context(
            "Python can't make a virtual environment (on Debian and Ubuntu: apt install python3-venv)",
        )?;
        let pip = |what: &str| {
            let mut pip = Command::new(folder.program("pip"));
            pip.args(["install", "--quiet", "--disable-pip-version-check", what]);
            pip
        };
        run(pip("--requirement").arg(&list))?;
        // Where it lies: it may change with the project.
        run(pip("--no-deps").arg("--editable").arg(&farm))?;
        write(&folder.lab("venv/share/jupyter/lab/settings/overrides.json"), SETTINGS)?;
        write(&mark, &pinned)
    })
}

fn check_version(python: &str) -> Result<()> {
    let version = output(Command::new(python).args(["-c", "import sys; print(*sys.version_info[:2])"]))
        .with_context(|| {
            format!("Python 3.10 or later is needed, and {python} is none; PYTHON names another")
        })?;
    let numbers: Vec<u32> = version.split(' ').filter_map(|number| number.parse().ok()).collect();
    if numbers < vec![3, 10] {
        bail!(
            "Python 3.10 or later is needed; {python} is {}. PYTHON names another",
            version.replace(' ', ".")
        );
    }
    Ok(())
}
