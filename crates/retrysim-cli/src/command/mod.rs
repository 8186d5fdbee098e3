//! One file a command.

pub mod assert;
pub mod catalogue;
pub mod delays;
pub mod figure;
pub mod lint;
pub mod matrix;
pub mod measure;
pub mod report;
pub mod reproduce;
pub mod rerun;
pub mod run;
pub mod sums;
pub mod sweep;
