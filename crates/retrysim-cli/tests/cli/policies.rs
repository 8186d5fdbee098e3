//! Policies by themselves: the catalogue, lints, measurements, situations, reports.

use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;

use crate::{json, prints, refuses, retrysim, says};

#[test]
fn the_catalogue() {
    let rows = json(&["policy", "list"]);
    assert_eq!(rows.len(), 104);
    let aws = rows.iter().find(|row| row["id"] == "aws-standard-2.1").unwrap();
    assert_eq!((&aws["evidence"], &aws["attempts"]), (&"run".into(), &3.0.into()));
    let stripe = prints(&["policy", "show", "stripe"]);
    says(
        &stripe,
        &["# Stripe SDKs", "    { floor = \"500ms\" },", "stop = { retries = 2 }", "Evidence: run"],
    );
    says(&prints(&["policy", "show", "kafka-java/reconnect"]), &["base = \"50ms\""]);
    says(&prints(&["policy", "search", "jitter", "finagle"]), &["finagle-exponential-jittered"]);
    assert_eq!(retrysim(["policy", "search", "no such words"]).status.code(), Some(1));
    says(&refuses(&["policy", "show", "strpe"]), &["strpe", "stripe"]);
}

/// What `policy show` prints is a policy.
#[test]
fn what_is_shown_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        ["aws-standard-2.1", "linkerd-breaker", "grpc-hedging", "k8s-workqueue", "reconnecting-websocket"]
    {
        let file = folder.path().join("shown.toml");
        fs::write(&file, prints(&["policy", "show", name])).unwrap();
        let file = file.to_str().unwrap();
        let delays = |policy: &str| prints(&["policy", "delays", policy, "--u", "0.5", "--retries", "3"]);
        assert_eq!(delays(file), delays(name), "{name}");
    }
}

#[test]
fn lints() {
    let text = prints(&["policy", "lint", "stripe", "herd.full"]);
    says(&text, &["stripe: delay[3].floor: floor-equals-first-value", "cure: ", "2 policies"]);
    assert_eq!(retrysim(["policy", "lint", "stripe", "--deny"]).status.code(), Some(1));
    let allowed = ["--allow", "floor-equals-first-value", "--allow", "unjittered-first-retry"];
    let lint = ["policy", "lint", "stripe", "--deny"];
    assert_eq!(retrysim(lint.iter().chain(&allowed)).status.code(), Some(0));
    assert_eq!(json(&["policy", "lint", "socket.io"])[0]["number"], 4.0);
    says(&refuses(&["policy", "lint", "stripe", "--allow", "none"]), &["none", "reserve-burst"]);
    let layers = prints(&["policy", "lint", "layers"]);
    says(&layers, &["product-of-layers", "27"]);
}

#[test]
fn measurements() {
    let rows = json(&["measure", "stripe", "--retries", "4", "--draws", "2000"]);
    assert_eq!((&rows[0]["common_s"], &rows[0]["common_share"]), (&0.5.into(), &1.0.into()));
    assert!(rows[2]["jitter"].as_f64().unwrap() > 0.25);
    let mut command = cargo_bin_cmd!("retrysim");
    let output = command
        .args(["measure", "--sequences", "-", "--format", "csv"])
        .write_stdin("0.5, 1.0\n0.5 2.0\n0.5\n")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    says(&text, &["1,3,0.5,", "2,2,1.5,"]);
    let bins = json(&["measure", "stripe", "--retries", "2", "--draws", "2000", "--frame", "density"]);
    let clients: f64 =
        bins.iter().filter(|bin| bin["retry"] == 2).map(|bin| bin["clients"].as_f64().unwrap()).sum();
    assert_eq!(clients, 2000.0);
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.csv");
    fs::write(&bad, "0.5,1\n-1\n").unwrap();
    let bad = bad.to_str().unwrap();
    says(&refuses(&["measure", "--sequences", bad]), &["line 2", "-1", "allowed: seconds"]);
    fs::write(bad, "soon\n").unwrap();
    says(&refuses(&["measure", "--sequences", bad]), &["line 1", "soon"]);
    fs::write(bad, "").unwrap();
    says(&refuses(&["measure", "--sequences", bad]), &["no line"]);
}

#[test]
fn situations() {
    let small = ["--situation", "short_outage", "--runs", "2"];
    let text = prints(&[&["matrix", "--policy", "envoy", "--policy", "istio"], &small[..]].concat());
    says(&text, &["## short_outage", "| envoy |", "| istio |", "| policy | success |"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("matrix.csv");
    let file = file.to_str().unwrap();
    prints(&[&["matrix", "--policy", "stripe", "-o", file], &small[..]].concat());
    says(&fs::read_to_string(file).unwrap(), &["short_outage,stripe,"]);
    says(&prints(&["rerun", file]), &["the same"]);
    says(&refuses(&["matrix", "--situation", "sunshine"]), &["sunshine", "black_hole"]);
    says(&refuses(&["matrix", "--policy", "no-such"]), &["no-such"]);
}

/// One command for a policy of one's own: findings, delays, figures, and situations beside three libraries.
#[test]
fn a_report() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("mine.toml");
    fs::write(&mine, "extends = 'stripe'\nstop = { attempts = 6 }\n").unwrap();
    let out = folder.path().join("report");
    let (mine, to) = (mine.to_str().unwrap(), out.to_str().unwrap());
    prints(&["policy", "report", mine, "--runs", "1", "-o", to]);
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    says(
        &report,
        &["# mine", "floor-equals-first-value", "### resilience4j", "## black_hole", "| aws-standard-2.1 |"],
    );
    for picture in ["delays.png", "arrivals.png"] {
        assert_eq!(&fs::read(out.join(picture)).unwrap()[1..4], b"PNG");
    }
    assert!(out.join("matrix.csv").exists() && out.join("matrix.csv.manifest.json").exists());
}

#[test]
fn headers() {
    let first = |policy: &str, header: &[&str]| {
        let args =
            ["policy", "delays", policy, "--u", "0.5", "--retries", "1", "--format", "csv", "--retry-after"];
        prints(&[&args[..], header].concat())
    };
    says(&first("anthropic-python", &["121"]), &["1,121"]);
    says(&first("anthropic-python", &["soon"]), &["1,0.4375"]);
    says(&first("openai-anthropic-classic", &["61"]), &["1,0.4375"]);
    let date = ["Mon, 30 Nov 2026 12:01:00 GMT", "--at", "2026-11-30T12:00:00Z"];
    says(&first("urllib3", &date), &["1,60"]);
    says(&refuses(&["policy", "delays", "urllib3", "--retry-after", date[0]]), &["--at"]);
}

#[test]
fn a_folder_of_ones_own_and_names_in_scenarios() {
    let folder = tempfile::tempdir().unwrap();
    let policies = folder.path().join("policies");
    fs::create_dir(&policies).unwrap();
    fs::write(policies.join("ours.toml"), "[ours]\nextends = 'envoy'\nstop = { retries = 4 }\n").unwrap();
    let dir = policies.to_str().unwrap();
    says(&prints(&["policy", "show", "ours", "--catalogue", dir]), &["retries = 4", "min = 3"]);
    let scenario = folder.path().join("scenario.toml");
    let head = "name = 's'\nhorizon = '1m'\nworkload = { kind = 'burst', clients = 9 }\n\
                service = { kind = 'failures', probability = 1 }\n";
    fs::write(&scenario, format!("policy = ['ours', 'stripe']\n{head}")).unwrap();
    let scenario = scenario.to_str().unwrap();
    let attempts = |more: &[&str]| -> Vec<f64> {
        let args = ["run", scenario, "--metric", "most_attempts", "--catalogue", dir];
        json(&[&args[..], more].concat()).iter().map(|row| row["most_attempts"].as_f64().unwrap()).collect()
    };
    assert_eq!(attempts(&[]), [5.0, 3.0]);
    assert_eq!(attempts(&["--set", "policy.stripe.stop.retries=7"]), [5.0, 8.0]);
    says(&refuses(&["run", scenario]), &["ours", "policy"]);
    fs::write(policies.join("bad.toml"), "[bad]\ndelay = [{ cap = '1s' }]\n").unwrap();
    says(&refuses(&["policy", "list", "--catalogue", dir]), &["bad.toml", "delay[0]"]);
}
