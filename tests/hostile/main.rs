//! Bad input: whatever is read, nothing panics, nothing hangs, and what is accepted runs.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analytics;
mod campaign;
mod corpus;
mod engine;
mod limits;
mod mutate;
