//! One file a command.

pub mod delays;
pub mod reproduce;
pub mod run;
