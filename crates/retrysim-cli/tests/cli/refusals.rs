//! Bad options: refused with what was given and what is allowed.

use crate::{refuses, says};

#[test]
fn seeds_backwards() {
    says(&refuses(&["run", "herd", "--seeds", "21..20"]), &["--seeds", "21..20", "allowed", "A..B"]);
    says(&refuses(&["run", "herd", "--seeds", "x"]), &["--seeds", "x", "allowed"]);
}

#[test]
fn no_runs_and_too_many() {
    says(&refuses(&["run", "herd", "--runs", "0"]), &["--runs", "0", "1.."]);
    let message = refuses(&["run", "overload", "--runs", "1000000000000000"]);
    says(&message, &["runs", "1000000000000000", "allowed: at most"]);
}

/// Whoever wrote the file: memory and time are refused before they are taken, and nothing is written.
#[test]
fn what_takes_too_much() {
    let refused = |set: &[&str]| {
        let folder = crate::Folder::new();
        let out = folder.path().join("a.csv");
        let set = set.iter().flat_map(|pair| ["--set", pair]);
        let args: Vec<&str> =
            ["run", "contention", "--policy", "full", "--threads", "8", "-o", out.to_str().unwrap()]
                .into_iter()
                .chain(set)
                .collect();
        let message = refuses(&args);
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is written");
        message
    };
    says(
        &refused(&["workload.clients=10000000", "seeds='0..7'"]),
        &["workload.clients = 10000000", "at most 8 GiB"],
    );
    let path = format!("{}x=1", "a.".repeat(30_000));
    says(&refused(&[&path]), &["--set", "30001 keys", "at most 32"]);
    says(&refuses(&["run", "/dev/zero"]), &["/dev/zero", "more than 4194304 bytes"]);
    let long = "1 + ".repeat(20_000) + "1";
    says(&refuses(&["run", "herd", "--assert", &long]), &["more than 1000 operators"]);
}

/// A name in a scenario names nothing but a policy: no file is read or written by it.
#[test]
fn names_are_no_paths() {
    let folder = crate::Folder::new();
    let text = crate::bundled("overload").replace("name = \"overload\"", "name = \"../../outside\"");
    let scenario = folder.file("inside.toml", text);
    let out = folder.path().join("out.csv");
    crate::prints(&[
        "run",
        scenario.to_str().unwrap(),
        "--runs",
        "2",
        "--policy",
        "full",
        "-o",
        out.to_str().unwrap(),
    ]);
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["inside.toml", "out.csv", "out.csv.manifest.json"]);
    let policy = crate::bundled("overload") + "\n[policy.x]\nextends = \"../../../etc/passwd\"\n";
    let scenario = folder.file("other.toml", policy);
    says(&refuses(&["run", scenario.to_str().unwrap()]), &["policy.x.extends", "../../../etc/passwd"]);
}

#[test]
fn a_draw_of_one() {
    for u in ["1", "1.5", "-0.1", "NaN"] {
        says(&refuses(&["policy", "delays", "herd.full", "--u", u]), &["--u", u, "allowed", "0 <= u < 1"]);
    }
}

#[test]
fn an_unknown_policy() {
    let message = refuses(&["run", "herd", "--policy", "nobody", "--seed", "1"]);
    says(&message, &["policy", "nobody", "immediate", "full", "equal"]);
    says(&refuses(&["policy", "delays", "herd.nobody"]), &["policy", "nobody", "full"]);
    says(&refuses(&["policy", "delays", "nothing"]), &["nothing", "allowed"]);
}

#[test]
fn an_unknown_entry() {
    says(&refuses(&["reproduce", "--id", "nothing.*"]), &["no entry matches", "herd_and_budget"]);
    says(&refuses(&["reproduce", "--source", "nothing"]), &["no entry matches", "herd_and_budget"]);
}

#[test]
fn bad_settings() {
    let set = |set: &str| refuses(&["run", "herd", "--seed", "1", "--set", set]);
    says(&set("service.capacity"), &["--set", "service.capacity", "allowed: dotted.path=value"]);
    says(&set(".=1"), &["--set", "allowed: a dotted path"]);
    says(&set("name.x=1"), &["--set", "name.x", "allowed"]);
    says(&set("service.capacity=1.5"), &["capacity", "1.5"]);
    says(&set("service.capacity=-1"), &["capacity", "-1"]);
    says(&set("workload.spread=0.5"), &["spread", "0.5", "\"50ms\""]);
    says(&set("service.surprise=1"), &["surprise", "capacity"]);
    says(&set("policy.full.delay=[{cap=\"1s\"}]"), &["policy.full.delay[0]", "cap", "allowed"]);
    says(&set("policy.full.stop={attempts=0}"), &["policy.full.stop.attempts", "0", "allowed"]);
}

#[test]
fn a_setting_that_is_no_value() {
    let message = refuses(&["run", "herd", "--seed", "1", "--set", "service.capacity="]);
    says(&message, &["--set", "service.capacity"]);
}

#[test]
fn a_policy_that_is_none() {
    says(&refuses(&["policy", "delays", "[{expo={base=\"1s\"}}]"]), &["delay[0]", "expo", "`exp`"]);
    says(&refuses(&["policy", "delays", "[{list=[]}]"]), &["delay[0].list", "allowed: at least one"]);
    says(&refuses(&["policy", "delays", "[{jitter=[0,1]}]"]), &["delay[0]", "allowed"]);
}

#[test]
fn a_hint_below_zero() {
    says(&refuses(&["policy", "delays", "devices.retry_after_obeyed", "--hint=-5s"]), &["--hint", "-5s"]);
}

#[test]
fn a_crash_window_that_does_not_fit_into_memory() {
    let message = refuses(&["run", "herd", "--seed", "1", "--set", "service.crash.window=\"2000000h\""]);
    says(&message, &["service.crash.window", "2000000h", "allowed"]);
}

#[test]
fn unknown_commands_and_generators() {
    says(&refuses(&["nonsense"]), &["nonsense"]);
    says(
        &refuses(&["run", "herd", "--generator", "xx"]),
        &["--generator", "xx", "philox, cpython, mulberry32"],
    );
    says(&refuses(&["run", "herd", "--threads", "0"]), &["--threads", "0", "1 to 1024"]);
    says(&refuses(&["run", "herd", "--seed", "-1"]), &["-1"]);
}
