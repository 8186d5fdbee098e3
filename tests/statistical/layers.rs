//! Chains of services that retry at every hop: retries multiply.

use retrysim::Scenario;

use crate::{
    support::{entry, list, number, scenario, vectors},
    z::{Sample, Zs, runs},
};

fn chain(layers: usize, attempts: usize, p: f64, clients: usize) -> Scenario {
    let tiers: Vec<String> = (0..layers).map(|tier| format!("'t{tier}'")).collect();
    let set = [
        ("service.tiers", &*format!("[{}]", tiers.join(", "))),
        ("service.probability", &format!("{p:?}")),
        ("policy.attempts_3.stop.attempts", &attempts.to_string()),
        ("workload.clients", &clients.to_string()),
    ];
    scenario("layers", &set)
}

/// Requests at the bottom for one at the top, and the probability that the top fails: from the bottom up,
/// each layer multiplies by (1 - q^n) / (1 - q) and then fails with q^n.
fn partial(layers: usize, attempts: i32, p: f64) -> (f64, f64) {
    (0..layers).fold((1.0, p), |(load, q), _| {
        (load * (0..attempts).map(|k| q.powi(k)).sum::<f64>(), q.powi(attempts))
    })
}

/// A dead bottom: attempts to the power of layers. 3 in 5, 4 (three retries) in 3, 3 in 3.
#[test]
fn dead_bottom() {
    for (layers, attempts, requests) in [(5, 3, 243.0), (3, 4, 64.0), (3, 3, 27.0)] {
        let runs = runs(&chain(layers, attempts, 1.0, 1), "attempts_3", 2);
        assert_eq!(runs.column("attempts_3", "attempts").unwrap(), [requests; 2]);
        assert_eq!(runs.column("attempts_3", "successes").unwrap(), [0.0; 2]);
    }
}

/// Eight failure rates. Ten comparisons at 4.5 standard errors: a false alarm in 1 of 15,000.
#[test]
fn partial_failure() {
    const CLIENTS: f64 = 1_000.0;
    let (vectors, mut zs) = (vectors("amplification"), Zs::default());
    let rows = list(&entry(&vectors["doc001"], "001.layers_partial_failure")["reproduced"]);
    assert_eq!(rows.len(), 8);
    for row in rows {
        let p = number(&row["p"]);
        let (load, fails) = partial(3, 3, p);
        assert!((load / number(&row["exact_mean"]) - 1.0).abs() < 1e-9);
        assert!((fails / number(&row["exact_P_fail"]) - 1.0).abs() < 1e-9);
        let runs = runs(&chain(3, 3, p, 1_000), "attempts_3", 100);
        zs.mean(format!("p = {p}: load"), Sample::column(&runs, "attempts_3", "amplification"), load);
        let failed = 1.0 - Sample::column(&runs, "attempts_3", "successes").mean / CLIENTS;
        // Below 5e-4 fewer than 50 of 100,000 calls fail: too few for a normal error.
        if fails > 5e-4 {
            zs.share(format!("p = {p}: fails"), failed, CLIENTS * 100.0, fails, 0.0);
        } else {
            assert!(failed <= 3e-4, "p = {p}: {failed}");
        }
    }
    zs.check();
}

/// Printed values of the formula, and the engine at five layers. Three comparisons.
#[test]
fn deeper_chains() {
    let mut zs = Zs::default();
    for (layers, p, printed) in [(3, 0.9, 9.4185), (5, 0.9, 10.0), (3, 0.5, 2.0)] {
        let (load, _) = partial(layers, 3, p);
        assert!((load - printed).abs() < 5e-4, "{load}, not {printed}");
        let runs = runs(&chain(layers, 3, p, 1_000), "attempts_3", 100);
        zs.mean(
            format!("{layers} layers, p = {p}"),
            Sample::column(&runs, "attempts_3", "amplification"),
            load,
        );
    }
    zs.check();
}

/// Each hop with a budget of an eighth for each call and all failing: 9/8 a hop, exactly, where every
/// eighth adds up to whole tokens. With a tenth, 1.1 a hop up to the token that rounding leaves behind.
#[test]
fn budgets_multiply() {
    let load = |ratio: &str, clients| {
        let bucket = format!(
            "[{{ bucket = {{ size = 100, start = 0, credit = {{ request = {ratio} }}, scope = 'process' }} }}]"
        );
        let set = [("workload.clients", clients), ("policy.attempts_3.budget", &*bucket)];
        runs(&scenario("layers", &set), "attempts_3", 1).column("attempts_3", "amplification").unwrap()[0]
    };
    assert_eq!(load("0.125", "4096"), 1.125_f64.powi(3));
    let tenth = load("0.1", "100000");
    assert!((1.331 - 3.0 / 1e5 * 1.21..=1.331).contains(&tenth), "{tenth}");
}
