//! The command line of retrysim.

mod cli;
mod command;
mod grid;
mod load;

use std::{
    io::{ErrorKind, Write},
    process::ExitCode,
};

use clap::Parser;

use crate::cli::{Cli, Command, PolicyCommand};

/// What a command gives: the text for stdout, and whether every check passed.
struct Answer {
    text: String,
    passed: bool,
}

fn main() -> ExitCode {
    let answer = match Cli::parse().command {
        Command::Reproduce(args) => command::reproduce::reproduce(&args),
        Command::Run(args) => command::run::run(&args),
        Command::Policy { command: PolicyCommand::Delays(args) } => command::delays::delays(&args),
    };
    match answer {
        Ok(answer) => match print(&answer.text) {
            Ok(()) if answer.passed => ExitCode::SUCCESS,
            Ok(()) => ExitCode::from(1),
            Err(error) => fail(&error.into()),
        },
        Err(error) => fail(&error),
    }
}

/// Bad input or trouble: a line on stderr, exit code 2.
fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("retrysim: {error:#}");
    ExitCode::from(2)
}

/// Writes to stdout; a reader that has seen enough is no error.
fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
