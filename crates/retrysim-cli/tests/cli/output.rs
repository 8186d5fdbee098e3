//! What commands print.

use serde_json::Value;

use crate::{Folder, bundled, json, prints};

/// What every row of `run` begins with; the scenario's name may stand before it.
const FIRST: [&str; 9] =
    ["policy", "seed", "run", "attempts", "successes", "gave_up", "finish_s", "crashes", "peak_arrivals"];

fn begins_right<'a>(names: impl Iterator<Item = &'a str>) {
    let names: Vec<&str> = names.skip_while(|name| *name == "scenario").take(FIRST.len()).collect();
    assert_eq!(names, FIRST);
}

#[test]
fn help_and_version() {
    let help = prints(&["--help"]);
    for command in ["reproduce", "run", "policy"] {
        assert!(help.contains(command), "{command} is not in: {help}");
    }
    assert!(prints(&["run", "--help"]).contains("--seeds <A..B>"));
    assert!(prints(&["policy", "delays", "--help"]).contains("--hint <SPAN>"));
    assert!(prints(&["--version"]).starts_with("retrysim "));
}

#[test]
fn one_published_number() {
    let args = ["reproduce", "--id", "herd.full.finish_mean"];
    let rows = json(&args);
    assert_eq!(rows.len(), 1);
    for (key, value) in [
        ("id", "herd.full.finish_mean"),
        ("published", "12.03"),
        ("reproduced", "12.03"),
        ("verdict", "exact"),
    ] {
        assert_eq!(rows[0][key], value);
    }
    for key in ["source", "kind", "note"] {
        assert!(rows[0][key].is_string(), "{key}");
    }
    let csv = prints(&[args.as_slice(), &["--format", "csv"]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("id,source,published,reproduced,kind,verdict"), "{csv}");
    assert!(lines[1].starts_with("herd.full.finish_mean,") && lines.len() == 2, "{csv}");
    let markdown = prints(&[args.as_slice(), &["--format", "md"]].concat());
    let lines: Vec<&str> = markdown.trim_end().lines().collect();
    assert_eq!(lines.len(), 3, "{markdown}");
    assert!(lines.iter().all(|line| line.starts_with("| ") && line.ends_with(" |")), "{markdown}");
    assert!(lines[1].contains("---") && lines[2].contains("| 12.03 |"), "{markdown}");
    assert!(prints(&args).contains("1 exact"));
}

#[test]
fn rows_as_json() {
    let rows = json(&["run", "burst", "--policy", "immediate", "--policy", "full", "--seed", "3"]);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        begins_right(row.keys().map(String::as_str));
        assert_eq!((&row["seed"], &row["run"]), (&Value::from(3), &Value::from(0)));
        assert_eq!(row["crashes"], Value::Null, "no crash rule");
    }
    assert_eq!(rows[0]["policy"], "immediate");
    assert_eq!((&rows[0]["attempts"], &rows[0]["gave_up"]), (&Value::from(1576), &Value::from(152)));
    assert_eq!(rows[0]["finish_s"], Value::Null, "not everybody was served");
    assert!(rows[1]["finish_s"].is_f64());
}

#[test]
fn rows_as_csv() {
    let text = prints(&["run", "burst", "--policy", "immediate", "--seeds", "20..21", "--format", "csv"]);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    begins_right(lines[0].iter().copied());
    let finish = lines[0].iter().position(|name| *name == "finish_s").unwrap();
    let seed = lines[0].iter().position(|name| *name == "seed").unwrap();
    assert_eq!(lines[1..].iter().map(|line| line[seed]).collect::<Vec<_>>(), ["20", "21"]);
    assert!(lines[1..].iter().all(|line| line[finish].is_empty() && line.len() == lines[0].len()), "{text}");
}

#[test]
fn seeds_and_runs() {
    let keys = |args: &[&str]| -> Vec<(u64, u64)> {
        let rows = json(&[&["run", "overload", "--policy", "full"], args].concat());
        rows.iter().map(|row| (row["seed"].as_u64().unwrap(), row["run"].as_u64().unwrap())).collect()
    };
    assert_eq!(keys(&["--seeds", "20..21"]), [(20, 0), (21, 0)]);
    assert_eq!(keys(&["--seeds", "20..=21"]), [(20, 0), (21, 0)]);
    assert_eq!(keys(&["--seeds", "7"]), [(7, 0)]);
    assert_eq!(keys(&["--runs", "3"]), [(0, 0), (0, 1), (0, 2)]);
    assert_eq!(keys(&["--runs", "2", "--seed", "9"]), [(9, 0), (9, 1)]);
    assert_eq!(keys(&["--seed", "18446744073709551615"]), [(u64::MAX, 0)]);
}

#[test]
fn the_same_rows_on_any_number_of_threads() {
    let rows = |threads| {
        prints(&["run", "herd", "--runs", "3", "--policy", "full", "--threads", threads, "--format", "csv"])
    };
    assert_eq!(rows("1"), rows("2"));
    assert_eq!(rows("1"), rows("5"));
}

#[test]
fn set_numbers_strings_and_tables() {
    let attempts = |set: &[&str]| -> u64 {
        let mut args = vec!["run", "burst", "--policy", "immediate", "--seed", "1"];
        set.iter().for_each(|set| args.extend(["--set", set]));
        json(&args)[0]["attempts"].as_u64().unwrap()
    };
    assert_eq!(
        attempts(&["workload.clients=10"]),
        70,
        "seven attempts, the seventh in the first window that is up"
    );
    assert_eq!(attempts(&["workload.clients=10", "service.outages=[]"]), 10);
    assert_eq!(attempts(&["workload.clients=10", "horizon=\"250ms\""]), 30);
    assert_eq!(attempts(&["workload.clients=10", "policy.immediate.stop={attempts=2}"]), 20);
    assert_eq!(
        attempts(&["workload.clients=10", "policy.immediate.stop={}", "policy.immediate.stop.retries=3"]),
        40
    );
    assert_eq!(
        attempts(&["workload.clients=10", "unit=s", "policy.immediate.delay=[{const=\"300ms\"}]"]),
        30
    );
}

#[test]
fn delays_of_a_policy_named_in_every_way() {
    let folder = Folder::new();
    let scenario = folder.file("my.toml", bundled("herd"));
    let policy = folder
        .file("policy.toml", "delay = [{ exp = { base = \"100ms\", shift = 1 } }, { jitter = [0, 1] }]\n");
    let in_file = format!("{}:full", scenario.display());
    for name in [
        "herd.full",
        &in_file,
        policy.to_str().unwrap(),
        "[{exp={base=\"100ms\",shift=1}},{cap=\"10s\"},{jitter=[0,1]}]",
        "{delay=[{exp={base=\"100ms\",shift=1}},{jitter=[0,1]}],stop={attempts=9}}",
    ] {
        let rows = json(&["policy", "delays", name, "--u", "0.5", "--retries", "3"]);
        let delays: Vec<f64> = rows.iter().map(|row| row["delay_s"].as_f64().unwrap()).collect();
        assert_eq!(delays, [0.1, 0.2, 0.4], "{name}");
        assert_eq!(rows[2]["retry"], 3);
    }
}

#[test]
fn delays_drawn_and_hinted() {
    let rows = json(&["policy", "delays", "herd.full", "--retries", "2", "--draws", "4000"]);
    let at = |row: usize, key: &str| rows[row][key].as_f64().unwrap();
    assert!((at(0, "mean_s") - 0.1).abs() < 0.01 && at(0, "max_s") < 0.2 && at(0, "min_s") >= 0.0);
    assert!(at(1, "p05_s") < at(1, "p50_s") && at(1, "p50_s") < at(1, "p95_s"));
    let hinted = json(&[
        "policy",
        "delays",
        "devices.retry_after_floor_1_2x",
        "--u",
        "0.5",
        "--hint",
        "20s",
        "--retries",
        "1",
    ]);
    assert_eq!(hinted[0]["delay_s"].as_f64(), Some(30.0));
}
