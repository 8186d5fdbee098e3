//! One file a command.

pub mod assert;
pub mod delays;
pub mod figure;
pub mod reproduce;
pub mod rerun;
pub mod run;
pub mod sums;
pub mod sweep;
