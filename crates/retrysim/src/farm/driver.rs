//! The Python process that hands shards to Dask, as seen from here: a job goes in, a line a part comes out.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize, de::IgnoredAny};

use super::Crew;
use crate::{error::Error, simulation::Progress};

/// The driver itself: a program that was installed somewhere has it with it.
const SOURCE: &str = include_str!("../../python/retrysim_farm.py");

/// How often somebody who wants to stop is asked for.
const TICK: Duration = Duration::from_millis(100);

/// What a driver that was asked to stop has for putting its workers away.
const PATIENCE: Duration = Duration::from_secs(20);

/// Lines that are kept of what it writes to stderr.
const LAST: usize = 5;

/// What it is told, in the words of its `made`.
#[derive(Serialize)]
pub(super) struct Job<'a> {
    pub design: &'a str,
    pub parts: &'a str,
    pub numbers: &'a [u32],
    pub shards: u32,
    pub program: &'a str,
    pub version: &'a str,
    pub options: Vec<String>,
    #[serde(flatten)]
    pub crew: Words<'a>,
}

/// A crew in the words of the driver.
#[derive(Default, Serialize)]
pub(super) struct Words<'a> {
    workers: Option<u32>,
    scheduler: Option<&'a str>,
    slurm: bool,
    sbatch: &'a [String],
    interface: Option<&'a str>,
}

impl<'a> From<&'a Crew> for Words<'a> {
    fn from(crew: &'a Crew) -> Self {
        match crew {
            Crew::Local(workers) => Self { workers: Some(*workers), ..Self::default() },
            Crew::Scheduler(address) => Self { scheduler: Some(address), ..Self::default() },
            Crew::Slurm { jobs, options, interface } => Self {
                workers: Some(*jobs),
                slurm: true,
                sbatch: options,
                interface: interface.as_deref(),
                ..Self::default()
            },
        }
    }
}

/// What it says.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// This part is there; they are counted.
    Made(IgnoredAny),
    /// It gives up.
    Trouble(String),
}

/// How it ended.
pub(super) enum End {
    /// All parts are there.
    Made,
    /// As `progress` wished.
    Stopped,
    /// Something was in the way.
    Trouble(String),
}

/// A driver at work.
pub(super) struct Driver {
    child: Child,
    /// Its end is the wish to stop, also when this process is killed.
    stdin: Option<ChildStdin>,
    said: Receiver<Said>,
    /// The last lines of its stderr.
    complaints: JoinHandle<Vec<String>>,
}

impl Driver {
    /// Starts it.
    pub fn start(python: &Path, job: &Job<'_>) -> Result<Self, Error> {
        let failed = |reason| Error::File { path: python.to_owned(), reason };
        let mut command = Command::new(python);
        command.args(["-c", SOURCE]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own: Ctrl-C reaches it and its workers through this process alone, in good order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let lines =
                stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok);
            let words = lines.filter_map(|line| serde_json::from_str(&line).ok());
            words.into_iter().try_for_each(|word| sender.send(word)).ok();
        });
        let complaints = thread::spawn(move || {
            let lines =
                stderr.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok);
            lines.fold(Vec::new(), |mut last, line| {
                last.push(line);
                last.drain(..last.len().saturating_sub(LAST));
                last
            })
        });
        let line = serde_json::to_string(job).map_err(|error| Error::Farm(error.to_string()))?;
        if let Some(pipe) = &mut stdin {
            // One that has ended already says why on stderr.
            writeln!(pipe, "{line}").ok();
        }
        Ok(Self { child, stdin, said, complaints })
    }

    /// Follows it to its end; `progress(done, total)` may stop it.
    pub fn watch(mut self, total: u64, progress: &Progress<'_>) -> Result<End, Error> {
        let (mut done, mut trouble, mut asked) = (0, None, None);
        let status = loop {
            match self.said.recv_timeout(TICK) {
                Ok(Said::Made(_)) => done += 1,
                Ok(Said::Trouble(what)) => trouble = Some(what),
                // Workers may hold the pipe open when it is gone.
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(status) = self.child.try_wait().map_err(of_child)? {
                        break status;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break self.child.wait().map_err(of_child)?,
            }
            if asked.is_none() && progress(done, total).is_break() {
                asked = Some(Instant::now());
                self.stdin = None;
            }
            if asked.is_some_and(|since: Instant| since.elapsed() > PATIENCE) {
                self.child.kill().map_err(of_child)?;
            }
        };
        if asked.is_some() {
            return Ok(End::Stopped);
        }
        Ok(match trouble {
            Some(what) => End::Trouble(what),
            None if status.success() => End::Made,
            None => End::Trouble(self.last_words(status)),
        })
    }

    /// Why it ended without saying so.
    fn last_words(self, status: ExitStatus) -> String {
        let begun = Instant::now();
        while !self.complaints.is_finished() && begun.elapsed() < PATIENCE {
            thread::sleep(TICK);
        }
        let lines = if self.complaints.is_finished() { self.complaints.join().ok() } else { None };
        let lines = lines.unwrap_or_default().join(" | ");
        let colon = if lines.is_empty() { "" } else { ": " };
        format!("the driver in Python ended with {status}{colon}{lines}")
    }
}

fn of_child(reason: std::io::Error) -> Error {
    Error::File { path: "the driver in Python".into(), reason }
}
