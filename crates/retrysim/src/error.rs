//! Errors of the analytics crate: those of the core, and where they arose.

use std::path::PathBuf;

/// What went wrong, and in which file or expression.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine's own error.
    #[error(transparent)]
    Core(#[from] retrysim_core::Error),
    /// The engine's error about something that a file says.
    #[error("{}: {reason}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        reason: retrysim_core::Error,
    },
    /// A file that can't be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A file that isn't what it should be.
    #[error("{}: {message}", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// What was found.
        message: String,
    },
    /// An expression that can't be read or evaluated.
    #[error("in {expression:?}: {message}")]
    Expression {
        /// The expression.
        expression: String,
        /// What is wrong with it.
        message: String,
    },
    /// polars would not make a frame of what it was given.
    #[error("frame: {0}")]
    Frame(polars::prelude::PolarsError),
    /// A frame of something that was not recorded.
    #[error("no {frame} were recorded; run with {record}")]
    NotRecorded {
        /// The frame.
        frame: &'static str,
        /// What would record it.
        record: &'static str,
    },
    /// A manifest that isn't there or isn't one.
    #[error("manifest: {0}")]
    Manifest(String),
    /// What Python, Dask, or a worker of a farm says.
    #[error("farm: {0}")]
    Farm(String),
    /// A farm that was stopped; the parts that were finished are kept.
    #[error("interrupted: {finished} of {n} parts are in {}; the same again goes on from there", folder.display())]
    Stopped {
        /// Parts that are there.
        finished: u32,
        /// Of how many.
        n: u32,
        /// The folder.
        folder: PathBuf,
    },
    /// A figure that can't be drawn.
    #[error(transparent)]
    Figure(#[from] crate::figure::Error),
}
