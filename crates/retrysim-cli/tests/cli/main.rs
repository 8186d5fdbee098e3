//! The command line as a user meets it: what it prints, and what it says about bad input.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod farm;
mod files;
mod output;
mod policies;
mod refusals;
mod shards;

use std::{
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Map, Value};

/// The program with these arguments.
fn retrysim<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("retrysim");
    command.args(args).timeout(std::time::Duration::from_secs(60)).output().unwrap()
}

/// What the program prints when all is well.
fn prints(args: &[&str]) -> String {
    let output = retrysim(args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    assert_eq!(stderr, "", "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of `--format json`.
fn json(args: &[&str]) -> Vec<Map<String, Value>> {
    let text = prints(&[args, &["--format", "json"]].concat());
    let Value::Array(rows) = serde_json::from_str(&text).unwrap() else { panic!("no array: {text}") };
    rows.into_iter().map(|row| row.as_object().unwrap().clone()).collect()
}

/// What the program says when it refuses: exit code 2, nothing on stdout, one message.
fn refuses<A: AsRef<std::ffi::OsStr> + std::fmt::Debug>(args: &[A]) -> String {
    let output = retrysim(args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{args:?}");
    assert!(!stderr.contains("panicked") && !stderr.contains("backtrace"), "{args:?}: {stderr}");
    assert_eq!(
        stderr.matches("retrysim: ").count() + stderr.matches("error: ").count(),
        1,
        "{args:?}: {stderr}"
    );
    stderr
}

/// Checks that a message has every part.
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

/// The TOML text of a bundled scenario.
fn bundled(name: &str) -> String {
    let path = format!("{}/../../data/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A folder that lasts as long as the test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}
