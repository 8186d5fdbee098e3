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
mod error;
pub mod expression;
pub mod file;
pub mod published;

pub use retrysim_core::{
    Generator, Plan, Policy, RunConfig, Runs, Scenario, Seeds, Span, Unit, callers, draw, latency, policy,
    record, scenario, service, simulate, span, stats, text,
};

pub use self::error::Error;
