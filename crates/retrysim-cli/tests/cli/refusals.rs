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
