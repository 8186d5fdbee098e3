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

/// What a campaign that was guided by coverage has found, beside what `good` gives: inputs that reach code which nothing
/// else does, the smallest of them. `tests/hostile/corpus/TARGET.json` is a list of texts, if there is one.
pub fn kept(target: &str) -> impl Iterator<Item = String> {
    let path = root().join("tests/hostile/corpus").join(target).with_extension("json");
    let texts: Vec<String> = fs::read(path).map_or(Vec::new(), |json| serde_json::from_slice(&json).unwrap());
    texts.into_iter()
}
