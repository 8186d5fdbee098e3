//! What frames cost beside the runs that they are made of: processor time, and memory of a million runs.
//!
//! `cargo bench -p retrysim --bench frames`; memory is known on Linux only.

use std::{error::Error, fs, hint::black_box};

use cpu_time::ProcessTime;
use retrysim::{Generator, RunConfig, Simulation, bundled, simulate};

/// The first two have the shortest runs there are, so that their frames weigh most: with a million of them, it is their
/// memory that weighs.
const CASES: [(&str, u64); 4] =
    [("overload", 1_000_000), ("overload", 20_000), ("contention", 20_000), ("herd", 20_000)];
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let (scenario, runs) = CASES[0];
    let million = run(scenario, runs)?;
    println!("{runs} runs of {scenario}, {} metrics; peak memory in MB", million.metrics().len());
    println!("  simulated {:>5}", peak_mb());
    million.summary_frame(0.95)?;
    println!("  summary   {:>5}", peak_mb());
    million.runs_frame()?;
    println!("  frame     {:>5}", peak_mb());
    drop(million);

    println!(
        "\nprocessor time, ns a run, least of {ROUNDS} rounds; shares of the time of simulating, all rounds"
    );
    println!(
        "{:12} {:>8} {:>9} {:>9} {:>7} {:>14} {:>9} {:>7} {:>14}",
        "", "runs", "simulate", "frame", "", "", "summary", "", ""
    );
    for (scenario, runs) in CASES {
        let rounds = (0..ROUNDS).map(|_| round(scenario, runs)).collect::<Result<Vec<_>, _>>()?;
        let least = |part: usize| rounds.iter().map(|times| times[part]).fold(f64::INFINITY, f64::min);
        let shares = |part: usize| {
            let mut shares: Vec<f64> = rounds.iter().map(|times| 100.0 * times[part] / times[0]).collect();
            shares.sort_by(f64::total_cmp);
            let spread = format!("{:.1} to {:.1} %", shares[0], shares[ROUNDS - 1]);
            format!("{:>5.1} % {spread:>14}", shares[ROUNDS / 2])
        };
        println!(
            "{scenario:12} {runs:8} {:9.0} {:9.0} {} {:9.0} {}",
            least(0),
            least(1),
            shares(1),
            least(2),
            shares(2)
        );
    }
    Ok(())
}

fn run(scenario: &str, runs: u64) -> Result<Simulation, Box<dyn Error>> {
    let config = RunConfig::runs(runs).policies(["full"]).generator(Generator::Philox).threads(1);
    Ok(simulate(&bundled::scenario(scenario)?, &config)?)
}

/// Nanoseconds a run for simulating, the frame of all runs, and their summary.
fn round(scenario: &str, runs: u64) -> Result<[f64; 3], Box<dyn Error>> {
    #[allow(clippy::cast_precision_loss, reason = "a count")]
    let each = |begin: ProcessTime| begin.elapsed().as_secs_f64() * 1e9 / runs as f64;
    let begin = ProcessTime::now();
    let simulation = run(scenario, runs)?;
    let simulating = each(begin);
    let begin = ProcessTime::now();
    black_box(simulation.runs_frame()?);
    let frame = each(begin);
    let begin = ProcessTime::now();
    black_box(simulation.summary_frame(0.95)?);
    Ok([simulating, frame, each(begin)])
}

/// The most memory that this process has held, in MB.
fn peak_mb() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or("?".into(), |kilobytes| (kilobytes / 1000).to_string())
}
