//! What is depended on, as `.cargo/deny.toml` allows it, and what every crate here promises. The database of advisories
//! needs `cargo deny check`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    process::Command,
};

use serde_json::Value;
use toml::Table;

fn metadata() -> Value {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Without `--offline`: packages that only other platforms need are not there after a build.
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn read(path: &str) -> Table {
    fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap().parse().unwrap()
}

/// The packages, ours or those of others.
fn packages(ours: bool) -> Vec<Value> {
    let Value::Array(all) = metadata()["packages"].take() else { panic!("no packages") };
    all.into_iter().filter(|package| package["source"].is_null() == ours).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn licences() {
    let deny = read(".cargo/deny.toml");
    let allowed: BTreeSet<&str> =
        deny["licenses"]["allow"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    let mut used = BTreeSet::new();
    for package in packages(false) {
        let expression = spdx::Expression::parse_mode(text(&package["license"]), spdx::ParseMode::LAX);
        let expression = expression.unwrap_or_else(|error| panic!("{}: {error}", package["name"]));
        let is_allowed = expression.evaluate(|requirement| {
            let name = requirement.to_string();
            allowed.get(name.as_str()).is_some_and(|name| {
                used.insert(*name);
                true
            })
        });
        assert!(is_allowed, "{}: {expression} is not allowed by deny.toml", package["name"]);
    }
    assert_eq!(used, allowed, "deny.toml allows what nobody uses");
}

#[test]
fn one_version_of_each() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages(false) {
        let name = text(&package["name"]).to_owned();
        versions.entry(name).or_default().insert(text(&package["version"]).to_owned());
    }
    let deny = read(".cargo/deny.toml");
    let skipped = deny["bans"]["skip"].as_array().unwrap().iter().filter_map(|entry| entry["crate"].as_str());
    let skipped: BTreeSet<String> = skipped.map(str::to_owned).collect();
    let mut twice = BTreeSet::new();
    for (name, versions) in &versions {
        let older = versions.iter().take(versions.len() - 1);
        twice.extend(older.map(|version| format!("{name}@{version}")));
    }
    assert_eq!(
        twice, skipped,
        "crates of which the tree has several versions, and those that deny.toml knows"
    );
}

#[test]
fn sources() {
    for package in packages(false) {
        let source = text(&package["source"]);
        assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{}", package["name"]);
    }
}

/// Every crate forbids `unsafe`, by the workspace's lints, and says what it is.
#[test]
fn our_crates() {
    let root = read("Cargo.toml");
    assert_eq!(root["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    let names: Vec<String> = packages(true).iter().map(|package| text(&package["name"]).to_owned()).collect();
    assert!(names.len() >= 6, "{names:?}");
    for package in packages(true).iter().filter(|package| package["name"] != "retrysim-tests") {
        let name = text(&package["name"]);
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{name}");
        assert_eq!(text(&package["license"]), "MIT OR Apache-2.0", "{name}");
        assert!(!text(&package["description"]).is_empty(), "{name}");
        let is_published = package["publish"].is_null();
        let is_found = ["keywords", "categories"]
            .iter()
            .all(|key| package[key].as_array().is_some_and(|all| !all.is_empty()));
        assert!(
            !is_published || is_found && package["readme"].is_string(),
            "{name}: keywords, categories or readme"
        );
    }
}

/// JupyterLab is for this machine alone, and nothing takes its token away.
#[test]
fn the_lab_listens_to_this_machine() {
    let path = "crates/retrysim-lab/python/jupyter_config.py";
    let config = fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert!(config.contains("c.ServerApp.ip = \"127.0.0.1\""));
    for word in ["token", "password", "allow_origin", "allow_remote_access", "disable_check_xsrf", "0.0.0.0"]
    {
        assert!(!config.contains(&format!(".{word}")) && !config.contains("0.0.0.0"), "{word}");
    }
    let open =
        fs::read_to_string(format!("{}/crates/retrysim-lab/src/jupyter.rs", env!("CARGO_MANIFEST_DIR")))
            .unwrap();
    assert!(!open.contains("token=") && !open.contains("--ip"));
}
