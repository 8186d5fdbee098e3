//! What `cargo lab` refuses before it sets up anything.

use assert_cmd::Command;

fn refused(arguments: &[&str], says: &str) {
    let mut lab = Command::cargo_bin("retrysim-lab").unwrap();
    let output = lab.args(arguments).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(says), "{message}");
    assert!(output.stdout.is_empty());
}

#[test]
fn notebooks_that_are_not_there_are_refused_with_those_that_are() {
    for command in ["run", "check"] {
        refused(
            &[command, "jitter"],
            "no notebook \"jitter\"; there are: budget_experiments, jitter_compare,",
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
