//! Inputs that campaigns begin with: the repository's own files, and what campaigns have found.

use std::{fs, path::PathBuf};

fn texts(folder: PathBuf) -> impl Iterator<Item = String> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| fs::read_to_string(path).ok())
}

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// Files of a folder of `data`.
pub fn good(folder: &str) -> impl Iterator<Item = String> {
    texts(root().join("data").join(folder))
}

/// Files of `tests/hostile/corpus`: what once went wrong, and what reached code that nothing else does.
pub fn kept(target: &str) -> impl Iterator<Item = String> {
    texts(root().join("tests/hostile/corpus").join(target))
}
