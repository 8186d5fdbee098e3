//! The catalogue against what the libraries did: delays with every draw fixed, distributions, budgets, headers; and
//! what may be written where a policy is expected.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod delays;
mod entries;
mod headers;
mod names;
mod rules;
mod shipped;
mod survival;
mod vectors;
