//! A laboratory for retries.
//!
//! Policies, services and runs come from [`retrysim_core`], re-exported here. This crate adds the
//! published experiments ([`bundled`]), the numbers that were printed about them and what becomes of
//! those numbers when they are run again ([`published`]), and a small language for statements about
//! runs ([`expression`]).
//!
//! ```
//! let rows = retrysim::published::reproduce(|row| row.id == "herd.full.finish_mean")?;
//! assert_eq!(rows[0].reproduced, "12.03");
//! # Ok::<(), retrysim::Error>(())
//! ```

pub mod bundled;
pub mod catalogue;
pub mod checks;
pub mod delays;
mod error;
pub mod experiment;
pub mod export;
pub mod expression;
pub mod farm;
pub mod figure;
pub mod file;
pub mod frame;
mod log;
pub mod manifest;
pub mod matrix;
pub mod parts;
pub mod picture;
mod precise;
pub mod published;
pub mod request;
pub mod shard;
mod simulation;
pub mod stamp;
mod summary;
mod sweep;
pub mod table;

pub use polars;
pub use retrysim_core::{
    Generator, Plan, Policy, Runs, Scenario, Seeds, Span, Unit, callers, draw, latency, limits, lint,
    measure, policy, record, scenario, service, span, stats, text,
};

pub use self::{
    catalogue::Catalogue,
    error::Error,
    log::{AttemptLog, Bin, Logged, Timeline},
    manifest::Manifest,
    precise::{Precision, until_precise},
    request::Request,
    simulation::{MAX_ROWS, Progress, Record, RunConfig, Simulation, simulate, simulate_with, unwatched},
    summary::{QUANTILES, Statistic, statistics},
    sweep::{Design, Point, Sweep, sweep, sweep_with},
};
