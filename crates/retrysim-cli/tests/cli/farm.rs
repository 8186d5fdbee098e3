//! Farms without Dask: what is refused before Python is asked, and what is made of what it says. With Dask: tests/farm.

use std::path::Path;

use crate::{Folder, prints, refuses, says};

const DESIGN: &str = r#"
scenario = "contention"
policies = ["full"]
runs = 4

[vary]
"workload.clients" = [5, 9]
"#;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A program in place of Python that has every module and then does this.
#[cfg(unix)]
fn python(folder: &Folder, does: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let script = format!("#!/bin/sh\ncase $2 in *find_spec*) exit 0 ;; esac\n{does}\n");
    let path = folder.file("python", script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn farms_that_could_not_be() {
    let folder = Folder::new();
    let design = folder.file("design.toml", DESIGN);
    let parts = folder.path().join("parts");
    let farm = |args: &[&str]| refuses(&[&["farm", text(&design), "--parts", text(&parts)], args].concat());
    says(&farm(&["--workers", "0"]), &["--workers", "0 is not in 1..=10000"]);
    says(
        &farm(&["--scheduler", "here:1"]),
        &["scheduler = here:1", "allowed: an address such as tcp://127.0.0.1:8786"],
    );
    says(&farm(&["--scheduler", "tcp://here:1", "--workers", "2"]), &["cannot be used with"]);
    says(&farm(&["--interface", "lo"]), &["--slurm"]);
    says(&farm(&["--shards", "9"]), &["shards = 9", "allowed: 1 to 8"]);
    says(&farm(&["--python", "/no/python"]), &["/no/python can't be started", "pip install distributed"]);
    says(&farm(&["-o", "a.xlsx"]), &["a.xlsx"]);
    assert!(!parts.join("part-00000.parquet").exists());
}

#[test]
fn what_is_finished_needs_no_python() {
    let folder = Folder::new();
    let design = folder.file("design.toml", DESIGN);
    let parts = folder.path().join("parts");
    for shard in ["0/3", "1/3", "2/3"] {
        prints(&["sweep", text(&design), "--shard", shard, "-o", text(&parts)]);
    }
    let farm = ["farm", text(&design), "--parts", text(&parts), "--python", "/no/python", "--format", "csv"];
    assert_eq!(prints(&farm), prints(&["sweep", text(&design), "--format", "csv"]));
}

#[test]
#[cfg(unix)]
fn what_the_driver_says() {
    let folder = Folder::new();
    let design = folder.file("design.toml", DESIGN);
    let parts = folder.path().join("parts");
    prints(&["sweep", text(&design), "--shard", "1/3", "-o", text(&parts)]);
    let farm = |does: &str| {
        let python = python(&folder, does);
        refuses(&["farm", text(&design), "--parts", text(&parts), "--python", text(&python)])
    };
    let kept = format!("; 1 of 3 parts are in {}\n", text(&parts));
    assert_eq!(farm(r#"echo '{"trouble": "no luck"}'; exit 2"#), format!("retrysim: farm: no luck{kept}"));
    let lost = format!("retrysim: farm: the driver in Python ended with exit status: 3: a | b{kept}");
    assert_eq!(farm("echo a >&2; echo b >&2; exit 3"), lost);
    says(&farm("kill -9 $$"), &["the driver in Python ended with signal: 9", &kept]);
    // One that says that all is well, and has made nothing.
    says(&farm("exit 0"), &["missing: 0, 2 of 3"]);
    let job = r#"read line; echo "$line" >"$0.job"; exit 3"#;
    farm(job);
    let job: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("python.job")).unwrap()).unwrap();
    assert_eq!((&job["numbers"], &job["shards"]), (&serde_json::json!([0, 2]), &serde_json::json!(3)));
    assert_eq!(job["version"], env!("CARGO_PKG_VERSION"));
    // The design that workers read is the one that was given.
    let written = job["design"].as_str().unwrap();
    let both = [text(&design), written].map(|design| prints(&["sweep", design, "--format", "csv"]));
    assert_eq!(both[0], both[1]);
}
