//! Frames, intervals, sweeps and files.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

mod coverage;
mod crossings;
mod figures;
mod files;
mod frames;
mod shards;
mod sweeps;
