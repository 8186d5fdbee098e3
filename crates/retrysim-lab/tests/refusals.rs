//! What `cargo lab` refuses before it sets up anything.

use assert_cmd::cargo::cargo_bin_cmd;

fn refused(arguments: &[&str], says: &str) {
    let refusal = cargo_bin_cmd!("retrysim-lab").args(arguments).assert().code(2).stdout("");
    let message = String::from_utf8_lossy(&refusal.get_output().stderr).into_owned();
    assert!(message.contains(says), "{message}");
}

#[test]
fn notebooks_that_are_not_there_are_refused_with_those_that_are() {
    for command in ["run", "check"] {
        refused(
            &[command, "jitter"],
            "no notebook \"jitter\"; there are: aws_2026, budget_experiments, farm, jitter_compare,",
        );
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    refused(&["run", "--runs", "0"], "0 is not in 1..");
    refused(&["--port", "70000"], "70000 is not in 0..=65535");
}

#[test]
fn outputs_of_another_number_of_runs_are_not_stored() {
    refused(&["run", "--runs", "10", "--store"], "cannot be used with");
}
