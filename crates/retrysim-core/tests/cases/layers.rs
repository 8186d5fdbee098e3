//! E: amplification and deadlines.

use crate::{run, total};

/// E2: 3 x 3 x 5 attempts, 4 x 3, 2 x 2 x 3: layers multiply, and the top layer sees a fraction of it.
#[test]
fn e2_the_product() {
    for (attempts, product) in [(vec![3, 3, 5], 45.0), (vec![4, 3], 12.0), (vec![2, 2, 3], 12.0)] {
        let tiers: Vec<String> = (0..attempts.len()).map(|tier| format!("tier{tier}")).collect();
        let policies: Vec<String> = tiers
            .iter()
            .zip(&attempts)
            .map(|(tier, n)| format!("[policy.of_{tier}]\nstop.attempts = {n}"))
            .collect();
        let hops: Vec<String> = tiers.iter().map(|tier| format!("{tier} = \"of_{tier}\"")).collect();
        let (runs, _) = run(&format!(
            "name = \"e2\"\nhorizon = \"1h\"\nworkload = {{ kind = \"burst\", clients = 10 }}\n\
             service = {{ kind = \"layers\", tiers = {tiers:?}, policies = {{ {} }} }}\n{}",
            hops.join(", "),
            policies.join("\n")
        ));
        assert_eq!(total(&runs, "of_tier0", "amplification"), product, "{attempts:?}");
        let top = total(&runs, "of_tier0", "arrivals_tier0") / 10.0;
        assert_eq!(top, f64::from(attempts[0]), "what the top layer's own log shows");
    }
}

/// E3: a deadline of 10 s, a failure at 9.9 s, a next delay of 6.4 s. Checked before the sleep it ends at 16.3 s
/// and one attempt later; checked with the sleep it ends at 9.9 s, with the true error.
#[test]
fn e3_sleeping_past_the_deadline() {
    let (_, logs) = run(r#"
        name = "e3"
        horizon = "1m"
        workload = { kind = "burst", clients = 1 }
        service = { kind = "failures", probability = 1, call = "9.9s" }
        policy.before = { delay = [{ const = "6.4s" }], stop = { elapsed = "10s", check = "before" } }
        policy.would_exceed = { delay = [{ const = "6.4s" }], stop = { elapsed = "10s", check = "would_exceed" } }
        "#);
    let starts: Vec<f64> = logs[0].iter().map(|seen| seen.start).collect();
    assert_eq!(starts.len(), 2);
    assert!((starts[1] - 16.3).abs() < 1e-9 && (logs[0][1].end - 26.2).abs() < 1e-9, "{:?}", logs[0]);
    assert_eq!(logs[1].len(), 1);
    assert!((logs[1][0].end - 9.9).abs() < 1e-9);
}

/// A deadline that is passed on stops the layers below; one that is not leaves them at work for nobody.
#[test]
fn a_deadline_that_is_passed_on() {
    let requests = |propagates: bool| {
        let (runs, _) = run(&format!(
            r#"
            name = "deadlines"
            horizon = "1h"
            workload = {{ kind = "burst", clients = 1 }}
            service = {{ kind = "layers", tiers = ["front", "db"], call = "1s", timeout = "2500ms", propagates_deadline = {propagates}, policies = {{ db = "below" }} }}
            policy.above = {{ stop = {{ attempts = 2 }} }}
            policy.below = {{ stop = {{ attempts = 10 }} }}
            "#
        ));
        total(&runs, "above", "arrivals_db")
    };
    // Two attempts of 2.5 s hold three requests of a second each, the last of them begun in time.
    assert_eq!(requests(true), 6.0);
    assert_eq!(requests(false), 20.0);
}
