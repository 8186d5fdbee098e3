//! Bad files: refused with the file's name, the field, the value and what is allowed.

use crate::{Folder, bundled, refuses, says};

/// The message about a bundled scenario in which `from` was replaced by `to`; it names the file.
fn about(scenario: &str, from: &str, to: &str) -> String {
    let text = bundled(scenario);
    assert!(text.contains(from), "{from:?} is not in {scenario}");
    message(text.replacen(from, to, 1).as_bytes())
}

/// The message about a file with these bytes; it names the file, and says what is wrong once.
fn message(bytes: &[u8]) -> String {
    let folder = Folder::new();
    let path = folder.file("mine.toml", bytes);
    let message = refuses(&["run".as_ref(), path.as_os_str(), "--seed".as_ref(), "1".as_ref()]);
    says(&message, &[path.to_str().unwrap()]);
    message
}

#[test]
fn an_unknown_stage() {
    let message = about("herd", "{ exp = { base", "{ expo = { base");
    says(&message, &["policy.exponential.delay[0]", "expo", "`exp`", "`jitter`"]);
}

#[test]
fn durations_below_zero() {
    let message = about("herd", "{ const = \"1s\" }", "{ const = \"-1s\" }");
    says(&message, &["policy.fixed_1s.delay[0].const", "allowed: a duration of 0 or more"]);
    let message = about("herd", "{ cap = \"10s\" }", "{ cap = \"-10s\" }");
    says(&message, &["policy.exponential.delay[1].cap", "allowed: a duration of 0 or more"]);
    says(&about("herd", "tick = \"10ms\"", "tick = \"0s\""), &["service.tick", "allowed: a duration of"]);
}

#[test]
fn a_duration_is_shown_as_it_was_written() {
    says(&about("herd", "{ cap = \"10s\" }", "{ cap = \"-10s\" }"), &["-10s"]);
}

#[test]
fn numbers_that_are_none() {
    for (number, shown) in [("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf"), ("-2", "-2")] {
        let message = about("herd", "factor = 2", &format!("factor = {number}"));
        says(
            &message,
            &["policy.exponential.delay[0].exp.factor", shown, "allowed: a finite number, at least 0"],
        );
        let message = about("budget", "rate = 30", &format!("rate = {number}"));
        says(&message, &["workload.rate", shown, "allowed: a number from 0"]);
    }
}

#[test]
fn nobody_calls() {
    says(
        &about("herd", "clients = 1000", "clients = 0"),
        &["workload.clients", "0", "allowed: 1 to 10000000"],
    );
    says(
        &about("herd", "clients = 1000", "clients = 4000000000"),
        &["workload.clients", "4000000000", "allowed"],
    );
}

#[test]
fn a_horizon_that_does_not_fit_into_memory() {
    for scenario in ["herd", "burst"] {
        let horizon = if scenario == "herd" { "horizon = \"120s\"" } else { "horizon = \"60s\"" };
        let message = about(scenario, horizon, "horizon = \"2000000h\"");
        says(&message, &["horizon", "2000000h", "allowed: at most", "50000000"]);
    }
}

#[test]
fn a_horizon_of_many_seconds_in_few_ticks() {
    let ticks = "horizon = \"2500000h\"";
    let text = bundled("budget")
        .replace("horizon = \"40s\"", ticks)
        .replace("tick = \"10ms\"", "tick = \"1h\"")
        .replace("window = \"100ms\", limit", "window = \"1h\", limit")
        .replace("rate = 30", "rate = 0");
    assert!(text.contains(ticks));
    says(&message(text.as_bytes()), &["horizon", "2500000h", "allowed"]);
}

#[test]
fn what_is_no_file() {
    let folder = Folder::new();
    let missing = folder.path().join("missing.toml");
    says(&refuses(&["run".as_ref(), missing.as_os_str()]), &["missing.toml", "No such file"]);
    says(
        &refuses(&["run".as_ref(), folder.path().as_os_str()]),
        &[folder.path().to_str().unwrap(), "irectory"],
    );
    says(
        &refuses(&["policy", "delays", "nowhere/missing.toml:full"]),
        &["nowhere/missing.toml", "No such file"],
    );
}

#[test]
fn what_is_no_text() {
    let junk: Vec<u8> = (0..4_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    says(&message(&junk), &["not UTF-8", "allowed: a TOML text file"]);
    says(&message(&vec![b' '; (4 << 20) + 1]), &["more than 4194304 bytes", "allowed: at most 4194304"]);
    says(&message(b"[[["), &["not TOML", "line 1"]);
}

#[test]
fn an_empty_file() {
    let message = message(b"");
    says(&message, &["missing field `name`"]);
    assert!(!message.contains(": .: "), "names no field: {message}");
}

#[test]
fn unknown_keys_and_kinds() {
    let message = about("herd", "capacity = 5", "capacity = 5\nsurprise = 1");
    says(&message, &["service", "surprise", "`capacity`", "`admission`"]);
    let message = about("herd", "kind = \"tick_capacity\"", "kind = \"tick\"");
    says(&message, &["service", "\"tick\"", "allowed: tick_capacity, window_capacity"]);
    says(
        &about("herd", "kind = \"burst\"", "kind = \"rush\""),
        &["workload", "\"rush\"", "allowed: burst, open"],
    );
    says(&about("herd", "generator = \"cpython\"", "generator = \"xx\""), &["generator", "xx", "`philox`"]);
    says(&about("herd", "seeds = \"0..19\"", "seeds = \"19..0\""), &["seeds", "19..0", "allowed: A..B"]);
}

#[test]
fn a_policy_without_end() {
    let text = bundled("burst")
        .replace("clients = 200", "clients = 1")
        .replace("delay = [{ const = \"100ms\" }]\nstop = { attempts = 8 }", "delay = [{ const = \"0s\" }]");
    let folder = Folder::new();
    let path = folder.file("endless.toml", text);
    let message = refuses(&["run", path.to_str().unwrap(), "--policy", "immediate", "--seed", "1"]);
    says(&message, &["immediate", "1000000 attempts", "for ever", "stop rule"]);
}

#[test]
fn a_policy_that_is_not_in_the_file() {
    let folder = Folder::new();
    let path = folder.file("mine.toml", bundled("herd"));
    let message = refuses(&["run", path.to_str().unwrap(), "--policy", "nobody", "--seed", "1"]);
    says(&message, &["nobody", "immediate", "decorrelated"]);
    says(&message, &["mine.toml"]);
}

#[test]
fn everything_is_said_once() {
    let allowed =
        |message: &str| assert_eq!(message.matches("allowed: ").count(), 1, "said twice: {message}");
    allowed(&about("herd", "clients = 1000", "clients = 0"));
    allowed(&about("herd", "factor = 2", "factor = nan"));
    allowed(&about("herd", "kind = \"tick_capacity\"", "kind = \"tick\""));
    let folder = Folder::new();
    let message = refuses(&["run".as_ref(), folder.path().join("missing.toml").as_os_str()]);
    assert_eq!(message.matches("No such file").count(), 1, "said twice: {message}");
}
