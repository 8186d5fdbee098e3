//! `retrysim policy delays`

use anyhow::Result;
use retrysim::{
    Policy, Unit,
    draw::{Draws, Fixed, Philox, Purpose},
    stats,
};
use serde_json::Value;

use crate::{
    Answer,
    cli::Delays,
    grid::{Grid, number},
    load,
};

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
    let grid = match args.u {
        Some(u) => fixed(&policy, retries, hint, u),
        None => drawn(&policy, retries, hint, args)?,
    };
    Ok(Answer { text: grid.print(args.format)?, passed: true })
}

fn fixed(policy: &Policy, retries: u32, hint: Option<f64>, u: f64) -> Grid {
    let compiled = policy.compile(Unit::S);
    let mut memory = compiled.memory();
    let mut grid = Grid::new(["retry", "delay_s"]);
    for n in 1..=retries {
        let Some(delay) = compiled.delay(n, hint, &mut memory, &mut Fixed(u)) else { break };
        grid.push(vec![Value::from(n), number(delay, false)]);
    }
    grid
}

fn drawn(policy: &Policy, retries: u32, hint: Option<f64>, args: &Delays) -> Result<Grid> {
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
    let mut grid = Grid::new(
        ["retry", "mean_s", "min_s"].into_iter().chain(QUANTILES.map(|(name, _)| name)).chain(["max_s"]),
    );
    for (n, delays) in by_retry.iter().enumerate() {
        let sorted = stats::sorted(delays);
        let at = |p| number(stats::quantile_linear(&sorted, p), false);
        let mut row = vec![Value::from(n + 1), number(stats::mean_sd(delays).0, false), at(0.0)];
        row.extend(QUANTILES.map(|(_, p)| at(p)));
        row.push(at(1.0));
        grid.push(row);
    }
    Ok(grid)
}
