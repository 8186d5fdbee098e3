//! Figures that others have printed of such services.

use retrysim_core::{Scenario, stats::mean_sd};

use crate::{close, runs, scenario};

/// The printed value is one run of another program: it lies within `Z` standard deviations of our runs' mean, give or
/// take half a unit of its last digit.
#[track_caller]
fn like_one_of(what: &str, values: &[f64], printed: f64, digit: f64) {
    let (mean, sd, _) = mean_sd(values);
    println!("{what}: {mean:.5} (a run: {sd:.5}), printed {printed}");
    assert!(
        (mean - printed).abs() <= crate::Z * sd + digit / 2.0,
        "{what}: {mean} ({sd} a run), not {printed}"
    );
}

/// Marc Brooker, "Fixing retries with token buckets and circuit breakers" (28 February 2022): 100 clients that call ten
/// times a second each for ten seconds, attempts fail with probability `p` and all else is perfect.
fn brooker(p: f64, policy: &str) -> Scenario {
    scenario(
        &format!(
            "horizon = '10s'
             workload = {{ kind = 'open', clients = 100, rate = 10 }}
             service = {{ kind = 'workers', work = {{ constant = '0s' }}, failure = {p} }}"
        ),
        policy,
    )
}

#[test]
fn three_retries() {
    for (p, load, share) in [(0.1, 1.1075, 0.9998), (0.2, 1.244, 0.999), (0.5, 1.857, 0.940)] {
        let scenario = brooker(p, "stop = { retries = 3 }");
        let [loads, shares] = runs(&scenario, 100, ["amplification", "success_share"]);
        close("load", &loads, (1.0 - f64::powi(p, 4)) / (1.0 - p), 0.0);
        close("success", &shares, 1.0 - f64::powi(p, 4), 0.0);
        like_one_of("load", &loads, load, 1e-3);
        like_one_of("success", &shares, share, 1e-3);
    }
}

/// Five tokens, a tenth of one more with each call. His program wants more than one token for a retry; tokens are
/// tenths, so that this is at least one of a bucket that has a tenth less.
#[test]
fn a_token_bucket() {
    let policy = "budget = [{ bucket = { size = 4.9, credit = { request = 0.1 } } }]";
    for (p, load, share) in [(0.1, 1.1005, 0.9925), (0.2, 1.136, 0.906), (0.5, 1.140, 0.564)] {
        let [loads, shares] = runs(&brooker(p, policy), 100, ["amplification", "success_share"]);
        like_one_of("load", &loads, load, 1e-3);
        like_one_of("success", &shares, share, 1e-3);
    }
}
