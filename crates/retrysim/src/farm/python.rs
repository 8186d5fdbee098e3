//! Which Python drives a farm.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::Crew;
use crate::error::Error;

/// Where `cargo lab` puts its virtual environment.
const LAB: &str = ".lab/venv/bin/python";

/// Exit code 1 names on stdout the modules that are not there.
const CHECK: &str = "import sys, importlib.util as found
missing = [name for name in sys.argv[1:] if not found.find_spec(name)]
print(*missing)
sys.exit(bool(missing))";

/// The one that is named, else that of the notebooks, here or in a folder above, else `python3`.
pub(super) fn find(named: Option<&Path>, crew: &Crew) -> Result<PathBuf, Error> {
    let of_lab = || {
        let here = env::current_dir().ok()?;
        here.ancestors().map(|folder| folder.join(LAB)).find(|python| python.is_file())
    };
    let python = named.map(Path::to_owned).or_else(of_lab).unwrap_or_else(|| "python3".into());
    let modules: &[&str] = match crew {
        Crew::Local(_) => &["distributed", "cryptography"],
        Crew::Scheduler(_) => &["distributed"],
        Crew::Slurm { .. } => &["distributed", "cryptography", "dask_jobqueue"],
    };
    let checked = Command::new(&python).args(["-c", CHECK]).args(modules).stdin(Stdio::null()).output();
    let found = match checked {
        Ok(output) if output.status.success() => return Ok(python),
        Ok(output) => match String::from_utf8_lossy(&output.stdout).trim() {
            "" => format!("ended with {}", output.status),
            missing => format!("has no {missing}"),
        },
        Err(error) => format!("can't be started ({error})"),
    };
    Err(Error::Farm(format!(
        "{} {found}; allowed: --python with a Python that has it. This makes one that is found: \
         python3 -m venv .lab/venv && .lab/venv/bin/pip install distributed dask-jobqueue cryptography",
        python.display()
    )))
}
