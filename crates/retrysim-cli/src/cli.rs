//! What can be asked for.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use retrysim::{Generator, Seeds};

/// A laboratory for retries: what does your policy do to your outage?
///
/// Exit code 0: done. 1: a check failed. 2: bad input or trouble.
///
/// Progress goes to stderr, and only to a terminal.
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
    /// Run a scenario and sum up: a row a policy, metric and statistic, with intervals.
    Summary(Summary),
    /// Compare policies run by run on common random numbers: differences and ratios with intervals.
    Compare(Compare),
    /// Run a scenario at many points of its parameters.
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Draw a figure into a PNG or SVG file.
    #[command(after_help = FIGURE_EXAMPLES)]
    Figure(FigureArgs),
    /// Make a file again from the manifest in or beside it, and compare: exit code 0 if it is the same.
    Rerun(Rerun),
    /// Look at a retry policy by itself.
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

const RUN_EXAMPLES: &str = "Examples:
  retrysim run data/scenarios/herd.toml --policy full --policy equal
  retrysim run herd --seeds 20..39 --generator cpython --format csv
  retrysim run overload --policy full --runs 20000 --seed 1
  retrysim run herd --policy full --runs 1000 -o runs.parquet
  retrysim run herd --policy full --runs 1000 --assert 'p99(finish_s) < 20'
  retrysim run herd --set service.capacity=3 --set workload.spread='\"0.5s\"'
  retrysim run herd --policy full --set policy.full.delay='[{exp={base=\"50ms\"}},{jitter=[0,1]}]'";

const SWEEP_EXAMPLES: &str = "Examples:
  retrysim sweep contention --vary workload.clients=10..190:10 --runs 200 -o curves.csv
  retrysim sweep herd --policy full --vary service.capacity=[3,5,8] --vary workload.spread='[\"0s\",\"1s\"]' --runs 100
  retrysim sweep design.toml --frame runs -o runs.parquet";

const FIGURE_EXAMPLES: &str = "Examples:
  retrysim figure arrivals herd --policy full --policy exponential --until 15s -o arrivals.png
  retrysim figure ecdf herd --metric finish_s --policy full --policy equal --runs 2000 --generator philox -o finish.svg
  retrysim figure levels budget --policy grpc_throttling --seeds 0..0 -o tokens.png
  retrysim figure curves contention --metric attempts --vary workload.clients=10..190:10 --runs 100 -o calls.png
  retrysim figure fingerprint herd -o delays.png";

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
    #[command(flatten)]
    pub out: Out,
}

/// Where the answer goes.
#[derive(Debug, Args)]
pub struct Out {
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Write a file instead, in the format of its extension: .csv, .parquet, .json or .md.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
}

/// What is run.
#[derive(Debug, Args)]
pub struct What {
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
    /// Keep only this metric; may be given several times.
    #[arg(long = "metric", value_name = "NAME")]
    pub metrics: Vec<String>,
    /// Worker threads; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
}

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub what: What,
    /// Which frame: totals, every attempt, or counts by bin.
    #[arg(long, value_enum, default_value_t)]
    pub frame: RunFrame,
    /// Length of a bin of the timeline.
    #[arg(long, value_name = "SPAN", default_value = "100ms")]
    pub bin: retrysim::Span,
    /// A statement that must hold for every policy, such as 'p99(finish_s) < 20'; exit code 1 if it does not.
    #[arg(long = "assert", value_name = "EXPRESSION")]
    pub asserts: Vec<String>,
    #[command(flatten)]
    pub out: Out,
}

/// The frames of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RunFrame {
    /// A row a run.
    #[default]
    Runs,
    /// A row an attempt.
    Attempts,
    /// A row a bin.
    Timeline,
}

#[derive(Debug, Args)]
pub struct Summary {
    #[command(flatten)]
    pub what: What,
    /// Level of the intervals.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct Compare {
    #[command(flatten)]
    pub what: What,
    /// The policy to compare with; the first one unless given.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Level of the intervals.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// A design file, a scenario file, or the name of a bundled scenario; the latter two with --vary.
    #[command(flatten)]
    pub what: What,
    /// A dotted path and its values: a list, or FROM..TO:STEP; may be given several times (a grid).
    #[arg(long = "vary", value_name = "dotted.path=VALUES")]
    pub vary: Vec<String>,
    /// Which frame.
    #[arg(long, value_enum, default_value_t)]
    pub frame: SweepFrame,
    /// Level of the intervals.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    #[command(flatten)]
    pub out: Out,
}

/// The frames of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SweepFrame {
    /// A row a point, policy, metric and statistic.
    #[default]
    Summary,
    /// A row a run.
    Runs,
}

#[derive(Debug, Args)]
pub struct FigureArgs {
    /// Which figure.
    #[arg(value_enum)]
    pub figure: FigureName,
    #[command(flatten)]
    pub what: What,
    /// For curves and heat maps: a dotted path and its values.
    #[arg(long = "vary", value_name = "dotted.path=VALUES")]
    pub vary: Vec<String>,
    /// The title; a plain one unless given.
    #[arg(long)]
    pub title: Option<String>,
    /// Length of a bin, where time is drawn.
    #[arg(long, value_name = "SPAN")]
    pub bin: Option<retrysim::Span>,
    /// End of the time that is drawn.
    #[arg(long, value_name = "SPAN")]
    pub until: Option<retrysim::Span>,
    /// Retries in a fingerprint.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub retries: Option<u32>,
    /// Light on dark.
    #[arg(long)]
    pub dark: bool,
    /// Pixels of a PNG a logical pixel.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub scale: u32,
    /// The file: .png or .svg.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FigureName {
    /// Arrivals over time, a panel a policy, with outage and capacity.
    Arrivals,
    /// Waits of 40 clients by number of the retry.
    Waits,
    /// Distribution of a metric over runs.
    Ecdf,
    /// Distribution of a metric over runs as dots.
    Dots,
    /// Mean of a metric by policy.
    Bars,
    /// Tokens of one client over time.
    Levels,
    /// Densities of a policy's delays, retry by retry.
    Fingerprint,
    /// A metric against one parameter.
    Curves,
    /// A metric over two parameters, for the first policy.
    HeatMap,
}

#[derive(Debug, Args)]
pub struct Rerun {
    /// A file that this program wrote.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Worker threads; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
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
    #[arg(long, value_name = "SPAN", value_parser = parse_hint, allow_hyphen_values = true)]
    pub hint: Option<retrysim::Span>,
    /// Sequences to draw when --u is not given.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    pub draws: u32,
    /// Seed of the draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub out: Out,
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

fn parse_hint(text: &str) -> Result<retrysim::Span, String> {
    match text.parse::<retrysim::Span>() {
        Ok(span) if span < retrysim::Span::ZERO => Err("allowed: a duration of 0 or more".into()),
        result => result,
    }
}

fn parse_u(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(u) if (0.0..1.0).contains(&u) => Ok(u),
        _ => Err("allowed: a number u with 0 <= u < 1".into()),
    }
}
