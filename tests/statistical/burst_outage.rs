//! The burst's outage, exactly: until the server is back the clients are independent, and attempt `k + 1`
//! starts at a sum of `k` uniform waits.

use retrysim::{
    draw::Philox,
    record::{Attempt, Recorder},
};

use crate::{
    support::{number, numbers, run, scenario, vectors},
    z::{Sample, Zs, chi_square, runs},
};

/// Upper ends of the waits, in slices of 100 ms: doubling up to the cap of 3.2 s.
const WIDTHS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 32.0];

/// P(sum of the first `k` waits <= x), by inclusion and exclusion over the waits at their upper end.
fn cdf(k: usize, x: f64) -> f64 {
    let widths = &WIDTHS[..k];
    let mut sum = 0.0;
    for subset in 0_u32..1 << k {
        let chosen: f64 = (0..k).filter(|i| subset >> i & 1 == 1).map(|i| widths[i]).sum();
        let sign = if subset.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
        sum += if x >= chosen { sign * (x - chosen).powi(i32::try_from(k).unwrap()) } else { 0.0 };
    }
    sum / (1..=k).map(|i| i as f64 * widths[i - 1]).product::<f64>()
}

/// Probabilities that a client spends 1, 2, ..., 8 attempts before `until` slices are over.
fn spent(until: f64) -> Vec<f64> {
    let started = |k: usize| if k < 8 { cdf(k, until) } else { 0.0 };
    (1..=8).map(|n| started(n - 1) - started(n)).collect()
}

/// Mean and standard deviation of the attempts of 200 clients.
fn of_200(spent: &[f64]) -> (f64, f64) {
    let moment = |power| -> f64 { (1..).zip(spent).map(|(n, p)| f64::from(n).powi(power) * p).sum() };
    (200.0 * moment(1), (200.0 * (moment(2) - moment(1).powi(2))).sqrt())
}

fn close(ours: f64, target: f64) {
    assert!((ours - target).abs() < 1e-9 * target.abs().max(1.0), "{ours}, not {target}");
}

/// The formula here and the stored values, two programs, agree.
#[test]
fn formula() {
    let target = vectors("burst")["exact_outage"].clone();
    let (outage, first) = (of_200(&spent(6.0)), of_200(&spent(1.0)));
    close(outage.0, number(&target["mean_calls_outage"]));
    close(outage.1, number(&target["sd_calls_outage"]));
    close(outage.0, 114_278_086_715.0 / 132_120_576.0);
    close(first.0, 20_007_393_655.0 / 44_040_192.0);
    close(first.1, number(&target["sd_first_slice"]));
    close(spent(6.0)[7], number(&target["P_all_8_spent_in_outage"]));
    for (slice, target) in numbers(&target["mean_calls_per_slice"]).into_iter().enumerate() {
        let upto = |x: f64| -> f64 { (0..8).map(|k| if x > 0.0 { cdf(k, x) } else { 0.0 }).sum() };
        close(200.0 * (upto(slice as f64 + 1.0) - upto(slice as f64)), target);
    }
    for (n, target) in target["attempts_spent_pmf"].as_object().unwrap() {
        close(spent(6.0)[n.parse::<usize>().unwrap() - 1], number(target));
    }
}

/// Means against the exact ones, and standard deviations: that of a sample standard deviation of nearly
/// normal sums is `sd / sqrt(2 n)`.
#[test]
fn calls_in_the_outage() {
    let runs = runs(&scenario("burst", &[]), "full", 20_000);
    let mut zs = Zs::default();
    // The first slice is the peak of every run: nothing else comes near its 454 calls.
    for (column, until) in [("arrivals_in_outage", 6.0), ("peak_arrivals", 1.0)] {
        let (mean, sd) = of_200(&spent(until));
        let sample = Sample::column(&runs, "full", column);
        zs.push(column, sample.mean - mean, sd / sample.n.sqrt());
        zs.push(format!("sd of {column}"), sample.sd - sd, sd / (2.0 * sample.n).sqrt());
    }
    zs.check();
}

/// Attempts of each client that started while the server was down.
struct Spent([u32; 200]);

impl Recorder for Spent {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.0[attempt.call.client as usize] += u32::from(attempt.start < 600.0);
    }
}

/// 100,000 clients; the two rarest cells are pooled, which leaves 4 degrees of freedom: above 28 in 1 of
/// 100,000.
#[test]
fn attempts_spent_by_a_client() {
    let (scenario, mut counts) = (scenario("burst", &[]), [0.0; 8]);
    for i in 0..500 {
        let mut spent = Spent([0; 200]);
        run(&scenario, "full", &mut Philox::new(2, i), &mut spent);
        spent.0.iter().for_each(|n| counts[*n as usize - 1] += 1.0);
    }
    // Nobody's first three attempts can outlast 600 ms: the waits add up to 300 at the most.
    assert_eq!(counts[..2], [0.0, 0.0]);
    let p = spent(6.0);
    let cells = [counts[2], counts[3], counts[4], counts[5], counts[6] + counts[7]];
    let chi_square = chi_square(&cells, &[p[2], p[3], p[4], p[5], p[6] + p[7]], f64::INFINITY);
    assert!(chi_square < 28.0, "chi-square {chi_square}");
}
