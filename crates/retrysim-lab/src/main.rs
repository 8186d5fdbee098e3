//! `cargo lab`: sets up the notebooks, opens them in JupyterLab, runs them, checks them.

#[cfg(not(unix))]
compile_error!("the notebooks' kernel runs on Linux and macOS; on Windows, inside WSL");

mod artifacts;
mod folder;
mod jupyter;
mod kernel;
mod library;
mod notebooks;
mod program;
mod python;
mod setup;
mod sources;
mod step;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use self::folder::Folder;

/// Notebooks of retrysim: sets up what is missing under .lab, then opens JupyterLab.
#[derive(Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    open: Open,
}

#[derive(Subcommand)]
enum Command {
    /// Sets up what is missing, and nothing else.
    Setup(Setup),
    /// Runs notebooks without a browser; their tables and figures go to out/.
    Run(Run),
    /// Runs notebooks in a copy: fails on an error, a panic, stderr, or text and tables that differ.
    Check(Check),
}

#[derive(Args)]
struct Open {
    /// JupyterLab's port; the next free one if it is taken.
    #[arg(long, default_value_t = 8888)]
    port: u16,
    /// Prints the address instead of opening a browser.
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Args, Clone, Copy)]
struct Setup {
    /// Lets cells write `let x = ...` without a type; needs rust-src, half a gigabyte, and a slower start.
    #[arg(long)]
    infer: bool,
}

#[derive(Args)]
struct Run {
    /// Names or paths of notebooks; all of notebooks/ if none is given.
    notebooks: Vec<String>,
    /// Runs for every simulation that asks `runs(...)` how many to make.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// Stores outputs in the notebook itself, and its twin in Markdown beside it.
    #[arg(long, conflicts_with = "runs")]
    store: bool,
}

#[derive(Args)]
struct Check {
    /// Names or paths of notebooks; all of notebooks/ if none is given.
    notebooks: Vec<String>,
}

fn main() -> ExitCode {
    match answer(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo lab: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn answer(cli: Cli) -> anyhow::Result<bool> {
    let folder = Folder::of_project();
    match cli.command {
        None => {
            setup::all(&folder, cli.open.setup.infer)?;
            Err(jupyter::open(&folder, cli.open.port, !cli.open.no_browser))
        }
        Some(Command::Setup(setup)) => setup::all(&folder, setup.infer).map(|()| true),
        Some(Command::Run(run)) => {
            let notebooks = notebooks::find(&folder, &run.notebooks)?;
            setup::all(&folder, false)?;
            notebooks::run(&folder, &notebooks, run.runs, run.store)
        }
        Some(Command::Check(check)) => {
            let notebooks = notebooks::find(&folder, &check.notebooks)?;
            setup::all(&folder, false)?;
            notebooks::check(&folder, &notebooks)
        }
    }
}
