//! What can be asked for.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;
use retrysim::{Generator, Seeds, farm::MAX_WORKERS, limits::MAX_THREADS, lint::Lint, shard::Shard};

/// A laboratory for retries: what does your policy do to your outage?
///
/// Exit code 0: done. 1: a check failed. 2: bad input or trouble. 130: stopped by a signal, where something is kept.
///
/// Progress goes to stderr, and only to a terminal.
#[derive(Debug, Parser)]
#[command(name = "retrysim", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// A folder of policies in the form of data/policies: they are added to the catalogue, and go before it.
    #[arg(long, value_name = "DIR", global = true)]
    pub catalogue: Option<PathBuf>,
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
    /// Put the parts of a sweep together, or say which are missing.
    ///
    /// Exit code 1, and a line on stderr for each, if parts are missing, damaged, or of another sweep.
    #[command(after_help = GATHER_EXAMPLES)]
    Gather(GatherArgs),
    /// Make a sweep in shards on many workers, by Dask: processes here, a scheduler that runs, or Slurm jobs.
    ///
    /// Needs a Python with `distributed`, which hands out the shards; a worker runs this program. Stop it when you
    /// like: a part that is finished is not made again.
    #[command(after_help = FARM_EXAMPLES)]
    Farm(FarmArgs),
    /// Print a script that makes a sweep in shards: with Slurm, with GNU parallel or xargs, or on Kubernetes.
    #[command(after_help = EMIT_EXAMPLES)]
    Emit(EmitArgs),
    /// Draw a figure into a PNG or SVG file.
    #[command(after_help = FIGURE_EXAMPLES)]
    Figure(FigureArgs),
    /// Make a file again from the manifest in or beside it, and compare: exit code 0 if it is the same.
    Rerun(Rerun),
    /// Measure delays: of a policy, or of any program that can write them down.
    ///
    /// Retry by retry: mean, quantiles, the jitter that is left, lumps, correlation with the delay before.
    #[command(after_help = MEASURE_EXAMPLES)]
    Measure(Measure),
    /// Run policies in situations that an on-call engineer would name: a line a pair.
    #[command(after_help = MATRIX_EXAMPLES)]
    Matrix(MatrixArgs),
    /// Look at a retry policy by itself, or look one up that a library ships.
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
  retrysim sweep design.toml --frame runs -o runs.parquet
  retrysim sweep design.toml -o summary.csv --checkpoint parts     # stop it, start it again: it goes on
  retrysim sweep design.toml --shard 3/24 -o parts                 # the fourth of 24 parts";

const GATHER_EXAMPLES: &str = "Examples:
  retrysim gather parts -o summary.csv
  retrysim gather parts --frame runs -o runs.parquet
  retrysim gather parts --missing                                  # 3,7-9";

const FARM_EXAMPLES: &str = "Examples:
  retrysim farm design.toml -o summary.csv                         # a worker a processor; parts in design.parts
  retrysim farm design.toml --workers 8 --shards 400 --parts parts --frame runs -o runs.parquet
  retrysim farm design.toml --scheduler tcp://127.0.0.1:8786       # as `dask scheduler` and `dask worker` have it
  retrysim farm design.toml --slurm --workers 40 --sbatch=--time=4:00:00 --sbatch=--partition=long";

const EMIT_EXAMPLES: &str = "Examples:
  retrysim emit slurm design.toml --shards 200 -o parts > sweep.sh && bash sweep.sh
  retrysim emit parallel design.toml --shards 24 -o parts | bash
  retrysim emit kubernetes /data/design.toml --shards 200 -o /data/parts > job.yaml";

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
    /// The policies that libraries, proxies and queues ship.
    List(List),
    /// One of them: what it does, where that is from, and its TOML.
    Show(Show),
    /// Those that mention some words.
    Search(Search),
    /// What can be said against a policy without simulating a service.
    ///
    /// Each finding has its number, a sentence and a cure.
    #[command(after_help = LINT_EXAMPLES)]
    Lint(LintArgs),
    /// Everything about a policy: findings, delays, a figure of them, and every situation beside what libraries ship.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Report),
}

const MEASURE_EXAMPLES: &str = "Examples:
  retrysim measure object_store --draws 100000
  retrysim measure '[{exp={base=\"1s\"}},{jitter=[0.5,1.5]},{cap=\"5s\"}]' --retries 8
  my-program | retrysim measure --sequences -     # a line a client: its delays in seconds, in order";

const MATRIX_EXAMPLES: &str = "Examples:
  retrysim matrix                                     # all situations, 32 policies of libraries
  retrysim matrix --policy aws-standard-2.0 --policy aws-standard-2.1 --situation black_hole
  retrysim matrix --policy mine.toml --policy envoy -o matrix.csv";

const LINT_EXAMPLES: &str = "Examples:
  retrysim policy lint mine.toml
  retrysim policy lint socket.io stripe object_store
  retrysim policy lint data/scenarios/herd.toml --deny --allow no-cap-no-limit";

const REPORT_EXAMPLES: &str = "Examples:
  retrysim policy report mine.toml -o report/
  retrysim policy report stripe --against aws-standard-2.1 --against openai-python";

const DELAYS_EXAMPLES: &str = "Examples:
  retrysim policy delays herd.full --u 0.5
  retrysim policy delays data/scenarios/devices.toml:decorrelated --retries 20
  retrysim policy delays openai-python --retry-after 121 --u 0.5
  retrysim policy delays urllib3 --retry-after 'Mon, 30 Nov 2026 12:01:00 GMT' --at 2026-11-30T12:00:00Z
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
#[derive(Debug, Default, Args)]
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
    /// Make only slice K of N (K from 0 to N - 1) of the runs, as a file in the folder --output: part-0000K.parquet.
    ///
    /// What it holds depends on the design, K and N alone. A part that is there is not made again.
    #[arg(long, value_name = "K/N", requires = "output", conflicts_with_all = ["frame", "confidence", "format"])]
    pub shard: Option<Shard>,
    /// Keep what has been run in this folder, and go on from there when started again; removed when FILE is written.
    #[arg(long, value_name = "DIR", requires = "output", conflicts_with = "shard")]
    pub checkpoint: Option<PathBuf>,
    /// Don't remove the folder of --checkpoint.
    #[arg(long, requires = "checkpoint")]
    pub keep: bool,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct GatherArgs {
    /// The folder with the parts.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Which frame.
    #[arg(long, value_enum, default_value_t)]
    pub frame: SweepFrame,
    /// Level of the intervals.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    /// Print only the numbers of the shards to be made (again), as `sbatch --array` wants them.
    #[arg(long, conflicts_with_all = ["frame", "confidence", "format", "output"])]
    pub missing: bool,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct FarmArgs {
    /// A design file, a scenario file, or the name of a bundled scenario; the latter two with --vary.
    #[command(flatten)]
    pub what: What,
    /// A dotted path and its values: a list, or FROM..TO:STEP; may be given several times (a grid).
    #[arg(long = "vary", value_name = "dotted.path=VALUES")]
    pub vary: Vec<String>,
    /// Processes on this machine, or jobs with --slurm; one a processor of this machine unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_WORKERS)))]
    pub workers: Option<u32>,
    /// The workers of a Dask scheduler that runs. They see the program and the parts under the same names.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["workers", "slurm"])]
    pub scheduler: Option<String>,
    /// Slurm jobs, each a worker.
    #[arg(long)]
    pub slurm: bool,
    /// An option for sbatch, such as --sbatch=--time=4:00:00; may be given several times.
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// The network interface by which Slurm jobs reach this machine, such as ib0; that of its host name unless given.
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub interface: Option<String>,
    /// Into how many shards; as the parts that are there, or else 100, unless given.
    #[arg(long, value_name = "N")]
    pub shards: Option<u32>,
    /// The folder for the parts, which is kept; DESIGN.parts here unless given.
    #[arg(long, value_name = "DIR")]
    pub parts: Option<PathBuf>,
    /// The program as workers find it; this one unless given.
    #[arg(long, value_name = "PATH")]
    pub program: Option<PathBuf>,
    /// A Python with `distributed`; .lab/venv here or in a folder above, or python3, unless given.
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Which frame.
    #[arg(long, value_enum, default_value_t)]
    pub frame: SweepFrame,
    /// Level of the intervals.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    pub confidence: f64,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct EmitArgs {
    /// For whom.
    #[arg(value_enum)]
    pub scheduler: Scheduler,
    /// A design file, named as the tasks see it.
    #[arg(value_name = "DESIGN.toml")]
    pub design: PathBuf,
    /// Into how many shards.
    #[arg(long, value_name = "N")]
    pub shards: u32,
    /// The folder for the parts, named as the tasks see it.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}

/// Who hands out shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// A job array.
    Slurm,
    /// GNU parallel, or xargs.
    Parallel,
    /// An indexed job.
    Kubernetes,
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
    /// The text of a Retry-After header with every failure, read as the policy reads it.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "hint")]
    pub retry_after: Option<String>,
    /// When the header is read, such as 2026-11-30T12:00:00Z; for a header that is a date.
    #[arg(long, value_name = "TIME", requires = "retry_after")]
    pub at: Option<Timestamp>,
    /// Sequences to draw when --u is not given.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    pub draws: u32,
    /// Seed of the draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct List {
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Show {
    /// Its name, such as aws-standard-2.1, or name/variant.
    #[arg(value_name = "NAME")]
    pub name: String,
}

#[derive(Debug, Args)]
pub struct Search {
    /// Words; all must occur.
    #[arg(value_name = "TEXT", required = true)]
    pub words: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct LintArgs {
    /// Policies: names of the catalogue, files with a policy, scenarios (all their policies), or TOML.
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<String>,
    /// Exit code 1 if there is any finding.
    #[arg(long)]
    pub deny: bool,
    /// Say nothing of this lint; may be given several times.
    #[arg(long, value_name = "LINT", value_parser = parse_lint)]
    pub allow: Vec<Lint>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Measure {
    /// A policy: a name of the catalogue, scenario.policy, FILE.toml:policy, a file, or TOML.
    #[arg(value_name = "POLICY", required_unless_present = "sequences", conflicts_with = "sequences")]
    pub policy: Option<String>,
    /// A file of delays in seconds, a line a client, separated by commas or spaces; - reads stdin.
    #[arg(long, value_name = "FILE")]
    pub sequences: Option<PathBuf>,
    /// How many retries.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub retries: u32,
    /// Clients, each with a sequence of its own.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    pub draws: u32,
    /// Seed of the draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// A row a retry, or a row a bin of each retry's density.
    #[arg(long, value_enum, default_value_t)]
    pub frame: MeasureFrame,
    #[command(flatten)]
    pub out: Out,
}

/// The frames of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MeasureFrame {
    /// A row a retry.
    #[default]
    Retries,
    /// A row a bin of the density.
    Density,
}

#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// Only these policies; what libraries ship unless given.
    #[arg(long = "policy", value_name = "POLICY")]
    pub policies: Vec<String>,
    /// Only these situations.
    #[arg(long = "situation", value_name = "NAME")]
    pub situations: Vec<String>,
    /// Runs of each pair.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub runs: u64,
    /// Their seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Worker threads; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub out: Out,
}

#[derive(Debug, Args)]
pub struct Report {
    /// A policy: a file, a name of the catalogue, scenario.policy, FILE.toml:policy, or TOML.
    #[arg(value_name = "POLICY")]
    pub policy: String,
    /// What it is compared with; may be given several times.
    #[arg(long, value_name = "POLICY", default_values = ["aws-standard-2.1", "grpc-retry-a6", "resilience4j"])]
    pub against: Vec<String>,
    /// Runs of each situation.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub runs: u64,
    /// A folder for report.md, delays.png, arrivals.png and matrix.csv; without, the report is printed.
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
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

fn parse_lint(text: &str) -> Result<Lint, String> {
    let known = || Lint::ALL.map(Lint::name).join(", ");
    Lint::ALL.into_iter().find(|lint| lint.name() == text).ok_or_else(|| format!("allowed: {}", known()))
}

fn parse_generator(text: &str) -> Result<Generator, String> {
    Generator::ALL
        .into_iter()
        .find(|generator| generator.name() == text)
        .ok_or_else(|| "allowed: philox, cpython, mulberry32".into())
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
        _ => Err(format!("allowed: 1 to {MAX_THREADS}")),
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
