//! One file a command.

pub mod assert;
pub mod catalogue;
pub mod checkpoint;
pub mod delays;
pub mod emit;
pub mod farm;
pub mod figure;
pub mod gather;
pub mod lint;
pub mod matrix;
pub mod measure;
pub mod report;
pub mod reproduce;
pub mod rerun;
pub mod run;
pub mod shard;
pub mod sums;
pub mod sweep;
