//! What can be asked for.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use retrysim::{Generator, Seeds};

/// A laboratory for retries: what does your policy do to your outage?
///
/// Exit code 0: done. 1: a check failed. 2: bad input or trouble.
#[derive(Debug, Parser)]
#[command(name = "retrysim", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run every published number and claim again, and say of each whether it holds.
    ///
    /// A verdict is `exact` (the printed digits come out), `consistent` (inside a stated interval, or
    /// true as a sentence) or `contradicted` (the note gives the number). Exit code 1 if a verdict
    /// differs from the expected one.
    Reproduce(Reproduce),
    /// Run a scenario: a row a run.
    ///
    /// Without --seed, --seeds or --runs, the scenario's own seeds are run.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Look at a retry policy by itself.
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
}

const RUN_EXAMPLES: &str = "Examples:
  retrysim run data/scenarios/herd.toml --policy full --policy equal
  retrysim run herd --seeds 20..39 --generator cpython --format csv
  retrysim run overload --policy full --runs 20000 --seed 1
  retrysim run herd --set service.capacity=3 --set workload.spread='\"0.5s\"'
  retrysim run herd --policy full --set policy.full.delay='[{exp={base=\"50ms\"}},{jitter=[0,1]}]'";

#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// The delays of a policy, retry by retry.
    ///
    /// With --u, every draw is that number; without, mean, extremes and quantiles over many draws.
    #[command(after_help = DELAYS_EXAMPLES)]
    Delays(Delays),
}

const DELAYS_EXAMPLES: &str = "Examples:
  retrysim policy delays herd.full --u 0.5
  retrysim policy delays data/scenarios/devices.toml:decorrelated --retries 20
  retrysim policy delays '[{exp={base=\"1s\"}},{cap=\"60s\"},{jitter=[0,1]}]'";

#[derive(Debug, Args)]
pub struct Reproduce {
    /// Only this document: a file name of data/published, or part of the document's identifier.
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// Only ids that match, such as `herd.*.finish_mean` (`*` any text, `?` one character).
    #[arg(long, value_name = "GLOB")]
    pub id: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Run {
    /// A scenario file, or the name of a bundled scenario (herd, budget, devices, ...).
    #[arg(value_name = "SCENARIO.toml")]
    pub scenario: PathBuf,
    /// Only this policy; may be given several times.
    #[arg(long = "policy", value_name = "NAME")]
    pub policies: Vec<String>,
    /// The seed: one run, or with --runs that many keyed runs.
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    pub seed: Option<u64>,
    /// Seeds A to B, both included, one run each.
    #[arg(long, value_name = "A..B", conflicts_with = "runs")]
    pub seeds: Option<Seeds>,
    /// This many runs under one seed (0 unless --seed says otherwise).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Where random numbers come from; the scenario's own generator unless given.
    #[arg(long, value_parser = parse_generator, value_name = "philox|cpython|mulberry32")]
    pub generator: Option<Generator>,
    /// Set a field of the scenario to a TOML value; may be given several times.
    #[arg(long = "set", value_name = "dotted.path=value")]
    pub set: Vec<String>,
    /// Worker threads; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// How to print. `table` sums up when there are many runs; `csv` and `json` give every run.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Delays {
    /// `scenario.policy`, `FILE.toml:policy`, a file that holds a policy, or TOML (a delay list or a policy).
    #[arg(value_name = "POLICY")]
    pub policy: String,
    /// How many retries; the policy's own limit up to 12 unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub retries: Option<u32>,
    /// Fix every draw at this number, 0 <= u < 1.
    #[arg(long, value_name = "VALUE", value_parser = parse_u, allow_negative_numbers = true)]
    pub u: Option<f64>,
    /// The server's hint (Retry-After) with every failure, such as 30s.
    #[arg(long, value_name = "SPAN")]
    pub hint: Option<retrysim::Span>,
    /// Sequences to draw when --u is not given.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    pub draws: u32,
    /// Seed of the draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    #[default]
    Table,
    /// An array of objects.
    Json,
    /// Comma-separated values.
    Csv,
    /// A Markdown table.
    Md,
}

fn parse_generator(text: &str) -> Result<Generator, String> {
    Generator::ALL
        .into_iter()
        .find(|generator| generator.name() == text)
        .ok_or_else(|| "allowed: philox, cpython, mulberry32".into())
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("allowed: 1 to 1024".into()),
    }
}

fn parse_u(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(u) if (0.0..1.0).contains(&u) => Ok(u),
        _ => Err("allowed: a number u with 0 <= u < 1".into()),
    }
}
