//! What was published, run again.
//!
//! The targets come from the documents themselves and from programs independent of the engine
//! (`data/vectors`), most of them down to the last bit: the same generator, asked in the same order.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::float_cmp,
    reason = "tests may, and mean equality"
)]

#[path = "../support/mod.rs"]
mod support;

mod amplification;
mod budget;
mod budget_client;
mod burst;
mod device_delays;
mod devices;
mod entries;
mod generators;
mod herd;
mod overload;
mod send_with_retries;
mod ticks;
