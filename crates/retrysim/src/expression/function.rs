//! The functions of the language.

use std::sync::{Arc, Mutex, PoisonError};

use retrysim_core::{
    draw::{Draws, Philox, Purpose},
    stats,
};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{Value, is_true};

/// Names, for the error about an unknown one.
const NAMES: &str = "mean median min max sum sd quantile p50 p90 p95 p99 count share all missing existing fill first abs log sqrt \
                     not spread chi_square_p uniform_spread delay hinted";

/// Repetitions behind [`uniform_spread`].
const REPETITIONS: u32 = 4_000;

pub(super) fn call(name: &str, args: &[Value]) -> Result<Value, String> {
    let arity = match name {
        "quantile" | "fill" => 2,
        "uniform_spread" => 3,
        _ if NAMES.split_whitespace().any(|known| known == name) => 1,
        _ => return Err(format!("no function {name:?}; there are: {NAMES}")),
    };
    if args.len() != arity {
        let s = if arity == 1 { "" } else { "s" };
        return Err(format!("{name} takes {arity} argument{s}, not {}", args.len()));
    }
    let scalar = |i: usize| match &args[i] {
        Value::Scalar(number) => Ok(*number),
        Value::Column(_) => Err(format!("argument {} of {name} is a column where a number is due", i + 1)),
    };
    match name {
        "fill" => {
            let value = scalar(1)?;
            return Ok(args[0].clone().map(|x| if x.is_nan() { value } else { x }));
        }
        "missing" => return Ok(args[0].clone().map(|x| f64::from(x.is_nan()))),
        "not" => return Ok(args[0].clone().map(|x| f64::from(!is_true(x)))),
        "abs" => return Ok(args[0].clone().map(f64::abs)),
        "log" => return Ok(args[0].clone().map(libm::log)),
        "sqrt" => return Ok(args[0].clone().map(f64::sqrt)),
        "uniform_spread" => return uniform_spread(scalar(0)?, scalar(1)?, scalar(2)?).map(Value::Scalar),
        _ => {}
    }
    let column = match &args[0] {
        Value::Column(column) => column.as_slice(),
        Value::Scalar(number) => std::slice::from_ref(number),
    };
    if name == "existing" {
        return Ok(Value::Column(column.iter().copied().filter(|x| !x.is_nan()).collect()));
    }
    let p = match name {
        "quantile" => scalar(1)?,
        "p90" => 0.9,
        "p95" => 0.95,
        "p99" => 0.99,
        _ => 0.5,
    };
    Ok(Value::Scalar(reduce(name, column, p)))
}

/// One number of a column.
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn reduce(name: &str, column: &[f64], p: f64) -> f64 {
    let count = column.iter().filter(|x| is_true(**x)).count() as f64;
    match name {
        "count" => return count,
        "share" => return count / column.len() as f64,
        "all" => return f64::from(column.iter().all(|x| is_true(*x))),
        "first" => return column.first().copied().unwrap_or(f64::NAN),
        _ => {}
    }
    if column.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let sorted = stats::sorted(column);
    let (low, high) = (stats::quantile_lower(&sorted, 0.0), stats::quantile_lower(&sorted, 1.0));
    let (mean, sd, n) = stats::mean_sd(column);
    match name {
        "mean" => mean,
        "sd" => sd,
        "sum" => mean * n as f64,
        "min" => low,
        "max" => high,
        "spread" => (high - low) / mean,
        "chi_square_p" => chi_square_p(column, mean),
        _ => stats::quantile_lower(&sorted, p),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts")]
fn chi_square_p(counts: &[f64], expected: f64) -> f64 {
    let statistic: f64 = counts.iter().map(|count| (count - expected) * (count - expected) / expected).sum();
    match ChiSquared::new(counts.len() as f64 - 1.0) {
        Ok(distribution) => distribution.sf(statistic),
        Err(_) => f64::NAN,
    }
}

/// Quantile of the spread of `n` uniform numbers over `bins` bins.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be small and positive"
)]
fn uniform_spread(n: f64, bins: f64, p: f64) -> Result<f64, String> {
    if !(1.0..=1e5).contains(&n) || !(1.0..=1e3).contains(&bins) || !(0.0..=1.0).contains(&p) {
        return Err("uniform_spread takes 1 to 100000 numbers, 1 to 1000 bins and a probability".into());
    }
    let spreads = uniform_spreads(n as u32, bins as u32);
    Ok(stats::quantile_lower(&spreads, p))
}

/// The spreads of all repetitions, sorted. An entry asks for several quantiles of them, so those of the last question
/// are kept.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bin")]
fn uniform_spreads(n: u32, bins: u32) -> Arc<[f64]> {
    type Answered = ((u32, u32), Arc<[f64]>);
    static LAST: Mutex<Option<Answered>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((question, spreads)) = &*last
        && *question == (n, bins)
    {
        return spreads.clone();
    }
    let spread = |repetition| {
        let mut draws = Philox::new(0, u64::from(repetition));
        let mut counts = vec![0.0; bins as usize];
        for number in 0..n {
            let u = draws.number(Purpose::Statistics, 1, number);
            counts[(u * f64::from(bins)) as usize] += 1.0;
        }
        reduce("spread", &counts, 0.5)
    };
    let spreads: Vec<f64> = (0..REPETITIONS).map(spread).collect();
    let spreads: Arc<[f64]> = stats::sorted(&spreads).into();
    *last = Some(((n, bins), spreads.clone()));
    spreads
}
