//! Figures for tests, one a kind.

use super::*;

pub(super) fn herd() -> Figure {
    let policy = |name: &str, peak: f64| PolicyArrivals {
        policy: name.into(),
        bins: (0..60).map(|i| peak * (-f64::from(i) / 9.0).exp()).collect(),
    };
    let policies = vec![policy("fixed_1s", 1000.0), policy("full", 120.0)];
    let data = Arrivals { bin_s: 0.1, outage_s: Some((0.0, 1.0)), capacity_per_s: Some(500.0), policies };
    arrivals("A herd of 1,000 clients after an outage", &data).subtitle("one second of outage").note("n = 1")
}

pub(super) fn cost() -> Figure {
    let curve = |name: &str, factor: f64| {
        let points: Vec<_> = (1..20).map(|i| (10.0 * f64::from(i), factor * f64::from(i * i))).collect();
        let band = points.iter().map(|&(x, y)| (x, 0.9 * y, 1.1 * y)).collect();
        Curve::line(name, points).band(band)
    };
    let series = ["none", "exponential", "full", "equal", "decorrelated"];
    let all = series.iter().zip(1..).map(|(name, i)| curve(name, f64::from(i))).collect();
    curves("Calls until all have written", Axis::log("clients", ""), Axis::log("calls", ""), all)
}

pub(super) fn samples() -> Vec<Sample> {
    let names = ["full", "retry_after_floor_1_2x", "a policy whose name is long enough to wrap twice"];
    let values = |k: usize| (1..200).map(|i| (i * k) as f64).collect();
    names.iter().zip(1..).map(|(name, k)| Sample { name: (*name).into(), values: values(k) }).collect()
}

pub(super) fn spread() -> Vec<Waits> {
    let line: Vec<_> = (1..=30).map(|n| (n, f64::from(n))).collect();
    let of = |policy: &str| Waits { policy: policy.into(), waits: line.clone(), no_jitter: line.clone() };
    vec![of("full"), of("equal"), of("proportional_10pct")]
}

pub(super) fn delays() -> Figure {
    let row = |retry: u32| RetryDelay {
        retry,
        density: vec![(0.0, 1.0), (f64::from(retry), 0.5)],
        masses: vec![(f64::from(retry), 0.3)],
    };
    let of = |policy: &str| Fingerprint { policy: policy.into(), retries: (1..=8).map(row).collect() };
    fingerprint("Delays", Axis::linear("delay", "s"), &[of("decorrelated"), of("full")])
}

pub(super) fn sweep() -> Figure {
    let sweep = Sweep {
        x: ("base".into(), "ms".into()),
        y: ("cap".into(), "s".into()),
        xs: (0..14).map(|i| 2_f64.powi(i)).collect(),
        ys: vec![0.5, 1.0, 2.0],
        z: (0..3).map(|j| (0..14).map(|i| f64::from(1 + i * j) * 1.37).collect()).collect(),
        measure: "attempts per call".into(),
        scale: Scale::Log10,
    };
    heat_map("Base and cap", &sweep)
}

pub(super) fn amplification() -> Figure {
    let all = ["full", "exponential_cap_300s", "fixed_1s"].map(|name| Bar::new(name, 2000.0, 1500.0, 2600.0));
    bars("Attempts", Axis::linear("attempts", ""), &all)
}
