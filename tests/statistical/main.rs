//! The default generator against exact formulas and against programs independent of the engine.
//!
//! Every seed is fixed, so a test either always passes or always fails. Its false-alarm rate is the chance
//! that it had to be written with another seed: a comparison fails at 4.5 standard errors, which chance does
//! in 7 of a million (two-sided), and the about 700 comparisons of this binary together in 1 of 200.
//!
//! Formulas are written here once more, from the papers; nothing is computed with the code under test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::float_cmp,
    reason = "tests may, and mean equality"
)]

#[path = "../support/mod.rs"]
mod support;

mod aloha;
mod attempts;
mod buckets;
mod budgets;
mod burst;
mod burst_outage;
mod contention;
mod layers;
mod outage;
mod overload;
mod slots;
mod throttling;
mod waits;
mod z;
