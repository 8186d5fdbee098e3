//! The command line of retrysim.

mod cli;
mod command;
mod interrupt;
mod load;
mod show;

use std::{
    io::{ErrorKind, Write},
    process::ExitCode,
};

use clap::{CommandFactory, Parser};

use crate::{
    cli::{Cli, Command, PolicyCommand},
    interrupt::Interrupted,
};

/// What a command gives: the text for stdout, and whether every check passed.
struct Answer {
    text: String,
    passed: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(folder) = &cli.catalogue
        && let Err(error) = load::add_policies(folder)
    {
        return fail(&error);
    }
    let answer = match cli.command {
        Command::Reproduce(args) => command::reproduce::reproduce(&args),
        Command::Run(args) => command::run::run(&args),
        Command::Summary(args) => command::sums::summary(&args),
        Command::Compare(args) => command::sums::compare(&args),
        Command::Sweep(args) => command::sweep::sweep(&args),
        Command::Gather(args) => command::gather::gather(&args),
        Command::Farm(args) => command::farm::farm(&args),
        Command::Emit(args) => command::emit::emit(&args),
        Command::Figure(args) => command::figure::figure(&args),
        Command::Rerun(args) => command::rerun::rerun(&args),
        Command::Measure(args) => command::measure::measure(&args),
        Command::Matrix(args) => command::matrix::matrix(&args),
        Command::Policy { command } => match command {
            PolicyCommand::Delays(args) => command::delays::delays(&args),
            PolicyCommand::List(args) => command::catalogue::list(&args),
            PolicyCommand::Show(args) => command::catalogue::show(&args),
            PolicyCommand::Search(args) => command::catalogue::search(&args),
            PolicyCommand::Lint(args) => command::lint::lint(&args),
            PolicyCommand::Report(args) => command::report::report(&args),
        },
        Command::Completions { shell } => Ok(completions(shell)),
        Command::Man => manual(),
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

fn completions(shell: clap_complete::Shell) -> Answer {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "retrysim", &mut text);
    Answer { text: String::from_utf8_lossy(&text).into_owned(), passed: true }
}

fn manual() -> anyhow::Result<Answer> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    Ok(Answer { text: String::from_utf8_lossy(&text).into_owned(), passed: true })
}

/// Bad input or trouble: a line on stderr, exit code 2, or 130 after a signal.
fn fail(error: &anyhow::Error) -> ExitCode {
    show::say(&format!("{error:#}"));
    ExitCode::from(if error.is::<Interrupted>() { interrupt::EXIT_CODE } else { 2 })
}

/// Writes to stdout; a reader that has seen enough is no error.
fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
