//! Delays by themselves: means and variances of jitter against formulas.
//!
//! 50 comparisons at 4.5 standard errors: a false alarm in 3 of 10,000.

use retrysim::{
    Policy, Unit,
    draw::{Draws, Fixed, Philox, Purpose, Stream},
};

use crate::z::{Sample, Zs};

const CALLS: u32 = 50_000;

/// The waits before retries 1 to `n` of each call, in ms, after a first "previous" wait of `previous` if given.
fn waits(policy: &str, n: u32, previous: Option<f64>, calls: u32) -> Vec<Vec<f64>> {
    let policy = Policy::from_toml(policy).unwrap().compile(Unit::Ms);
    let mut draws = Philox::new(0, 0);
    let mut of_call = |call| {
        let mut memory = policy.memory();
        memory.previous = previous.unwrap_or(memory.previous);
        let mut wait =
            |n| policy.delay(n, None, &mut memory, &mut draws.at(Purpose::Attempt, call, n)).unwrap();
        (1..=n).map(&mut wait).collect()
    };
    (0..calls).map(&mut of_call).collect()
}

/// The sum of `n` uniform waits with `widths`: variance sum w^2 / 12, fourth cumulant -sum w^4 / 120, from
/// which the error of a sample variance follows.
fn check_sums(zs: &mut Zs, label: &str, sums: &[f64], lows: f64, widths: &[f64]) {
    let power = |k: i32| -> f64 { widths.iter().map(|width| width.powi(k)).sum() };
    let (mean, variance) = (lows + power(1) / 2.0, power(2) / 12.0);
    let sample = Sample::of(sums);
    zs.push(format!("{label}: mean"), sample.mean - mean, (variance / sample.n).sqrt());
    let error = ((2.0 * variance.powi(2) - power(4) / 120.0) / sample.n).sqrt();
    zs.push(format!("{label}: variance"), sample.sd.powi(2) - variance, error);
}

/// Full jitter: mean 1/2 and variance 1/12 of the ceilings; equal jitter: 3/4 and 1/48.
#[test]
fn full_and_equal_jitter() {
    let ceilings: Vec<f64> = (0..8).map(|n| (100.0 * 2_f64.powi(n)).min(3200.0)).collect();
    let mut zs = Zs::default();
    for (name, jitter, low) in [("full", "[0, 1]", 0.0), ("equal", "[0.5, 1]", 0.5)] {
        let policy = format!(
            "delay = [{{ exp = {{ base = '100ms' }} }}, {{ cap = '3200ms' }}, {{ jitter = {jitter} }}]"
        );
        let waits = waits(&policy, 8, None, CALLS);
        for n in 1..=8 {
            let sums: Vec<f64> = waits.iter().map(|waits| waits[..n].iter().sum()).collect();
            let lows: f64 = ceilings[..n].iter().map(|ceiling| low * ceiling).sum();
            let widths: Vec<f64> = ceilings[..n].iter().map(|ceiling| (1.0 - low) * ceiling).collect();
            check_sums(&mut zs, &format!("{name}, {n} waits"), &sums, lows, &widths);
        }
    }
    zs.check();
}

const DECORRELATED: &str =
    "delay = [{ prev = { first = '1ms' } }, { uniform = { lo = { abs = '1ms' }, hi = { prev = 3 } } }]";

/// Decorrelated without a cap: E = 2 b (3/2)^k - b, and E of the square by recurrence, since
/// E[U(b, 3 s)^2] = (b^2 + 3 b s + 9 s^2) / 3.
#[test]
fn decorrelated_without_a_cap() {
    let waits = waits(DECORRELATED, 10, None, 200_000);
    let (mut m1, mut m2, mut zs) = (1.0, 1.0, Zs::default());
    for k in 1..=10 {
        (m1, m2) = ((1.0 + 3.0 * m1) / 2.0, (1.0 + 3.0 * m1 + 9.0 * m2) / 3.0);
        assert!((m1 - (2.0 * 1.5_f64.powi(k) - 1.0)).abs() < 1e-9 * m1);
        let of_k: Vec<f64> = waits.iter().map(|waits| waits[k as usize - 1]).collect();
        zs.push(format!("k = {k}"), Sample::of(&of_k).mean - m1, ((m2 - m1 * m1) / 200_000.0).sqrt());
    }
    zs.check();
}

/// Far above the base a wait is 3 u times the last one: its logarithm grows by ln 3 - 1 on average, with
/// variance 1. (The typical wait grows by 1.104 a retry while the mean grows by 1.5.)
#[test]
fn decorrelated_typical_growth() {
    let start = 1e9_f64;
    let waits = waits(DECORRELATED, 10, Some(start), CALLS);
    let growth: Vec<f64> = waits.iter().map(|waits| (waits[9] / start).ln()).collect();
    let mut zs = Zs::default();
    zs.push("growth", Sample::of(&growth).mean - 10.0 * (3_f64.ln() - 1.0), (10.0 / f64::from(CALLS)).sqrt());
    zs.check();
    assert!(((3_f64.ln() - 1.0).exp() - 1.104).abs() < 5e-4);
}

/// The stationary mean of decorrelated jitter at `cap` with base 1, by iterating its density on a grid. A
/// wait is U(1, 3 s), so the density at y is the sum of 1 / (3 s - 1) over all s with 3 s > y.
pub fn stationary_mean(cap: f64) -> f64 {
    const CELLS: usize = 20_000;
    let width = (cap - 1.0) / CELLS as f64;
    let middle = |cell: usize| 1.0 + (cell as f64 + 0.5) * width;
    let (mut mass, mut at_cap) = (vec![0.0; CELLS], 1.0);
    for _ in 0..60 {
        // From the cap, which 3 s reaches everywhere; then cell by cell from above.
        let (mut density, mut from) = (at_cap / (3.0 * cap - 1.0), CELLS);
        let mut next = vec![0.0; CELLS];
        for cell in (0..CELLS).rev() {
            while from > 0 && 3.0 * middle(from - 1) > middle(cell) {
                from -= 1;
                density += mass[from] / (3.0 * middle(from) - 1.0);
            }
            next[cell] = density * width;
        }
        mass = next;
        at_cap = 1.0 - mass.iter().sum::<f64>();
    }
    mass.iter().enumerate().map(|(cell, mass)| mass * middle(cell)).sum::<f64>() + at_cap * cap
}

/// Waits of 2,000 calls after 100 retries: each call's mean of 100 is one independent value.
#[test]
fn decorrelated_at_its_cap() {
    let exact = stationary_mean(20.0);
    // Two thirds of the cap, where full jitter waits half: 0.6587, by simulation elsewhere 0.6589 +- 0.0004.
    assert!((exact / 20.0 - 0.6587).abs() < 1e-4, "{exact}");
    let policy = DECORRELATED.replace("}]", "}, { cap = '20ms' }]");
    let waits = waits(&policy, 200, None, 2_000);
    let means: Vec<f64> = waits.iter().map(|waits| waits[100..].iter().sum::<f64>() / 100.0).collect();
    let mut zs = Zs::default();
    zs.mean("stationary mean", Sample::of(&means), exact);
    zs.check();
}

/// Polly's second decorrelated jitter: the waits telescope, so that the first n add up to f(n - 1 + u) / 1.4
/// times the base.
#[test]
fn polly_v2_telescopes() {
    let curve = |t: f64| t.exp2() * (4.0 * t).sqrt().tanh();
    let policy = Policy::from_toml("delay = [{ polly_v2 = { base = '1s' } }]").unwrap().compile(Unit::Ms);
    for u in [0.0, 0.1, 0.5, 0.9, 0.999_999] {
        let (mut memory, mut sum) = (policy.memory(), 0.0);
        for n in 1..=20 {
            sum += policy.delay(n, None, &mut memory, &mut Fixed(u)).unwrap();
            let exact = curve(f64::from(n - 1) + u) / 1.4 * 1000.0;
            // 20 additions and another library's tanh: a relative error below 1e-13 a step.
            assert!((sum - exact).abs() <= 1e-12 * exact, "u = {u}, n = {n}: {sum}, not {exact}");
        }
    }
}

/// P(wait before retry `n` <= `x`) for a base of 1, over a grid of the two draws that it depends on.
fn polly_cdf(n: u32, x: f64) -> f64 {
    const GRID: u32 = 300;
    let curve = |t: f64| t.exp2() * (4.0 * t).sqrt().tanh();
    let at = |start: f64, i: u32| curve(start + (f64::from(i) + 0.5) / f64::from(GRID));
    let after: Vec<f64> = (0..GRID).map(|i| at(f64::from(n - 1), i)).collect();
    let before: Vec<f64> = (0..GRID).map(|i| if n == 1 { 0.0 } else { at(f64::from(n) - 2.0, i) }).collect();
    let below = |before: &f64| after.iter().filter(|after| (*after - before) / 1.4 <= x).count() as f64;
    before.iter().map(below).sum::<f64>() / f64::from(GRID * GRID)
}

/// The sample's medians sit at 1/2 of the exact distribution. They are 0.9, 1.1, 2 and 4 times the base:
/// the second wait is hardly longer than the first, and only then do they double.
#[test]
fn polly_v2_medians() {
    let waits = waits("delay = [{ polly_v2 = { base = '1ms' } }]", 4, None, CALLS);
    let mut zs = Zs::default();
    for (n, near) in (1..).zip([0.9, 1.1, 2.0, 4.0]) {
        let mut of_n: Vec<f64> = waits.iter().map(|waits| waits[n as usize - 1]).collect();
        of_n.sort_unstable_by(f64::total_cmp);
        let median = of_n[of_n.len() / 2];
        zs.share(format!("median of wait {n}"), polly_cdf(n, median), f64::from(CALLS), 0.5, 0.0);
        assert!((median / near - 1.0).abs() < 0.05, "wait {n}: {median}");
    }
    zs.check();
}

/// Streams of different keys are independent of each other: neighbours' first numbers don't correlate.
#[test]
fn neighbouring_streams() {
    let mut draws = Philox::new(0, 0);
    let mut unit = |call, attempt| draws.at(Purpose::Attempt, call, attempt).unit() - 0.5;
    let mut products = [Vec::new(), Vec::new()];
    for call in 0..CALLS {
        let here = unit(call, 1);
        products[0].push(here * unit(call + 1, 1));
        products[1].push(here * unit(call, 2));
    }
    let mut zs = Zs::default();
    for (label, products) in ["next call", "next attempt"].into_iter().zip(products) {
        // Two independent uniforms: the product of their deviations has variance 1/144.
        zs.push(label, Sample::of(&products).mean, 1.0 / 12.0 / f64::from(CALLS).sqrt());
    }
    zs.check();
}
