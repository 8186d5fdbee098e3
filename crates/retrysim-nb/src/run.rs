//! Runs with progress, which an interrupt stops.

use std::{
    env,
    io::Write,
    ops::ControlFlow,
    sync::Mutex,
    time::{Duration, Instant},
};

use retrysim::{Design, Error, RunConfig, Scenario, Simulation, Sweep, farm::Farm};

use crate::session::Running;

/// Names the number of runs for the whole notebook: `cargo lab run --runs N` sets it.
pub const RUNS: &str = "RETRYSIM_RUNS";

/// Set to `off`, progress is not shown: a stored notebook must not depend on how fast it ran.
pub const PROGRESS: &str = "RETRYSIM_PROGRESS";

/// Work that ends sooner than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(1500);

const EVERY: Duration = Duration::from_millis(250);

/// The number of runs to make: `wanted`, unless `cargo lab run --runs N` asks for another.
#[must_use]
pub fn runs(wanted: u64) -> u64 {
    env::var(RUNS).ok().and_then(|text| text.parse().ok()).unwrap_or(wanted)
}

/// [`retrysim::simulate`] with progress; an interrupt stops it.
///
/// # Errors
/// As [`retrysim::simulate_with`].
pub fn simulate(scenario: &Scenario, config: &RunConfig) -> Result<Simulation, Error> {
    let line = Line::begin("runs");
    retrysim::simulate_with(scenario, config, &|done, total| line.at(done, total))
}

/// [`retrysim::sweep`] with progress; an interrupt stops it.
///
/// # Errors
/// As [`retrysim::sweep_with`].
pub fn sweep(design: &Design) -> Result<Sweep, Error> {
    let line = Line::begin("runs");
    retrysim::sweep_with(design, None, None, &|done, total| line.at(done, total))
}

/// [`Farm::run`] with progress; an interrupt stops it, and parts that are finished are kept.
///
/// # Errors
/// As [`Farm::run`].
pub fn farm(farm: &Farm) -> Result<Sweep, Error> {
    let line = Line::begin("shards");
    farm.run(&|done, total| line.at(done, total))
}

/// A line that moves: where JupyterLab is opened by `cargo lab`, a line that begins with a carriage return and ends
/// with an ellipsis is overwritten by the next one. Elsewhere the lines stand below each other.
struct Line {
    /// What is counted.
    what: &'static str,
    running: Running,
    begin: Instant,
    last: Mutex<Instant>,
    shown: bool,
}

impl Line {
    fn begin(what: &'static str) -> Self {
        let begin = Instant::now();
        let shown = env::var(PROGRESS).as_deref() != Ok("off");
        Self { what, running: Running::begin(), begin, last: Mutex::new(begin), shown }
    }

    fn at(&self, done: u64, total: u64) -> ControlFlow<()> {
        if self.running.is_interrupted() {
            return ControlFlow::Break(());
        }
        // Whoever finds the lock taken leaves the line to the other.
        if self.shown
            && let Ok(mut last) = self.last.try_lock()
            && self.begin.elapsed() > PATIENCE
            && (last.elapsed() > EVERY || done == total)
        {
            *last = Instant::now();
            // Nothing can be done about a reader that went away.
            let _ = writeln!(std::io::stdout(), "\r{}", self.text(done, total));
        }
        ControlFlow::Continue(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a share of a count")]
    fn text(&self, done: u64, total: u64) -> String {
        const WIDTH: usize = 24;
        let share = done as f64 / total.max(1) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and WIDTH")]
        let full = (share * WIDTH as f64) as usize;
        let bar = "█".repeat(full) + &"░".repeat(WIDTH.saturating_sub(full));
        let what = self.what;
        let spent = self.begin.elapsed().as_secs_f64();
        let left = if done == total {
            format!("in {spent:.0} s     ")
        } else {
            format!("{:.0} s left …", spent / share - spent)
        };
        format!("{bar} {:3.0} %  {done} of {total} {what}, {left}", share * 100.0)
    }
}
