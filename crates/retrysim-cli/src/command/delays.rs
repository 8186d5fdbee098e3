//! `retrysim policy delays`

use anyhow::Result;
use retrysim::{
    Policy, Unit,
    draw::{Draws, Fixed, Philox, Purpose},
    frame::{Cells, column, of_columns},
    polars::prelude::DataFrame,
    stats,
};

use crate::{Answer, cli::Delays, load, show};

/// Retries shown when neither the command nor the policy limits them.
const RETRIES: u32 = 12;

/// Quantiles over draws, with their columns.
const QUANTILES: [(&str, f64); 5] =
    [("p05_s", 0.05), ("p25_s", 0.25), ("p50_s", 0.5), ("p75_s", 0.75), ("p95_s", 0.95)];

/// Draws are made in blocks of at most this many numbers.
const MAX_NUMBERS: usize = 200_000_000;

pub fn delays(args: &Delays) -> Result<Answer> {
    let policy = load::policy(&args.policy)?;
    let own = policy.stop.max_attempts().saturating_sub(1);
    let retries = args.retries.unwrap_or(own.clamp(1, RETRIES));
    let hint = args.hint.map(retrysim::Span::secs);
    let frame = match args.u {
        Some(u) => fixed(&policy, retries, hint, u)?,
        None => drawn(&policy, retries, hint, args)?,
    };
    Ok(Answer { text: show::print(&frame, args.format)?, passed: true })
}

fn retries_column(retries: usize) -> Cells {
    Cells::Whole((1..).take(retries).collect())
}

fn fixed(policy: &Policy, retries: u32, hint: Option<f64>, u: f64) -> Result<DataFrame> {
    let compiled = policy.compile(Unit::S);
    let mut memory = compiled.memory();
    let delays: Vec<f64> =
        (1..=retries).map_while(|n| compiled.delay(n, hint, &mut memory, &mut Fixed(u))).collect();
    Ok(of_columns(vec![
        column("retry", retries_column(delays.len())),
        column("delay_s", Cells::Number(delays)),
    ])?)
}

fn drawn(policy: &Policy, retries: u32, hint: Option<f64>, args: &Delays) -> Result<DataFrame> {
    let draws = args.draws as usize;
    if draws.saturating_mul(retries as usize) > MAX_NUMBERS {
        let most = MAX_NUMBERS / retries as usize;
        anyhow::bail!("--draws = {draws} is not allowed with {retries} retries; allowed: at most {most}");
    }
    let compiled = policy.compile(Unit::S);
    let mut by_retry = vec![Vec::with_capacity(draws); retries as usize];
    for sequence in 0..args.draws {
        let mut source = Philox::new(args.seed, u64::from(sequence));
        let mut memory = compiled.memory();
        for n in 1..=retries {
            let mut stream = source.at(Purpose::Attempt, 0, n);
            let Some(delay) = compiled.delay(n, hint, &mut memory, &mut stream) else { break };
            by_retry[n as usize - 1].push(delay);
        }
    }
    let sorted: Vec<Vec<f64>> = by_retry.iter().map(|delays| stats::sorted(delays)).collect();
    let quantile =
        |p: f64| Cells::Number(sorted.iter().map(|delays| stats::quantile_linear(delays, p)).collect());
    let mean = sorted.iter().map(|delays| stats::mean_sd(delays).0).collect();
    let mut columns =
        vec![column("retry", retries_column(sorted.len())), column("mean_s", Cells::Number(mean))];
    columns.push(column("min_s", quantile(0.0)));
    columns.extend(QUANTILES.map(|(name, p)| column(name, quantile(p))));
    columns.push(column("max_s", quantile(1.0)));
    Ok(of_columns(columns)?)
}
