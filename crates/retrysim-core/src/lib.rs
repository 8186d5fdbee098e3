//! The engine of retrysim: retry policies as data, and the services they meet.
//!
//! A [`Scenario`] is a plain value; [`simulate()`] turns it into rows of totals.
//!
//! ```
//! use retrysim_core::{Plan, RunConfig, Scenario, simulate};
//!
//! let scenario = Scenario::from_toml(
//!     r#"
//!     name = "six"
//!     unit = "ms"
//!     horizon = "2s"
//!     workload = { kind = "burst", clients = 6 }
//!     service = { kind = "overload", capacity = 4, call = "100ms" }
//!     [policy.full]
//!     delay = [{ exp = { base = "100ms" } }, { cap = "800ms" }, { jitter = [0, 1] }]
//!     stop = { attempts = 5 }
//!     "#,
//! )?;
//! let runs = simulate(&scenario, &["full"], &RunConfig::new(Plan::Runs { seed: 0, runs: 1000 }))?;
//! let attempts = runs.column("full", "attempts")?;
//! assert!(attempts.iter().all(|n| (18.0..=30.0).contains(n)));
//! # Ok::<(), retrysim_core::Error>(())
//! ```

pub mod calendar;
pub mod callers;
pub mod catalogue;
pub mod draw;
pub mod due;
pub mod error;
pub mod event_queue;
pub mod latency;
pub mod limits;
pub mod lint;
pub mod measure;
pub mod policy;
pub mod record;
pub mod scenario;
pub mod service;
pub mod simulate;
pub mod span;
pub mod stats;
pub mod text;

pub use self::{
    catalogue::Catalogue,
    draw::Generator,
    error::Error,
    policy::Policy,
    scenario::{Scenario, Seeds},
    simulate::{Plan, RunConfig, Runs, simulate},
    span::{Span, Unit},
};
