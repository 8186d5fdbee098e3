//! Ctrl-C and SIGTERM as a wish to stop, where something is kept.

use std::{
    error::Error,
    fmt,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Result;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

/// The exit code after a signal, as shells have it for Ctrl-C.
pub const EXIT_CODE: u8 = 130;

/// Whether somebody wants the program to stop.
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on the first signal is a wish, and the second one ends the program at once.
    pub fn listen() -> Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_shutdown(signal, EXIT_CODE.into(), Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self(asked))
    }

    /// Whether a signal has come.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What `progress` says, unless a signal has come.
    pub fn or(&self, progress: ControlFlow<()>) -> ControlFlow<()> {
        if self.is_asked() { ControlFlow::Break(()) } else { progress }
    }
}

/// Stopped by a signal; the line says what is kept and how to go on.
#[derive(Debug)]
pub struct Interrupted(pub String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Interrupted {}
