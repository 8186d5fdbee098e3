//! What a caller keeps between calls: the count of its retries, and its random numbers.

use serde::{Deserialize, Serialize};

use super::scope::Scope;
use crate::{error::Error, span::Span};

/// Where a delay is measured from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The moment.
    #[serde(default)]
    pub from: From,
    /// An attempt is given its delay as its timeout, at least this; the service's own timeout unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_timeout: Option<Span>,
}

/// The moment that a delay is measured from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// When the attempt has failed.
    #[default]
    Failure,
    /// When the attempt was sent: after a slow failure there is no wait.
    AttemptStart,
}

impl Anchor {
    pub(super) fn validate(&self) -> Result<(), Error> {
        self.min_timeout.map_or(Ok(()), |timeout| timeout.at_least("min_timeout", Span::ZERO))
    }
}

/// What is kept between calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Who shares the count of retries and the previous delay; a success sets them back.
    #[serde(default = "call")]
    pub scope: Scope,
    /// They are set back as well if the last failure is this long ago.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_after: Option<Span>,
    /// Whose random numbers a delay uses.
    #[serde(default)]
    pub rng: Rng,
}

/// Whose random numbers a delay uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rng {
    /// Every delay draws its own.
    #[default]
    Draw,
    /// Every call of a process repeats the same sequence, as if the generator were cloned with its state.
    Maker,
    /// One number for each process, drawn once.
    Process,
}

const fn call() -> Scope {
    Scope::Call
}

impl Default for State {
    fn default() -> Self {
        Self { scope: Scope::Call, reset_after: None, rng: Rng::Draw }
    }
}

impl State {
    pub(super) fn validate(&self) -> Result<(), Error> {
        self.reset_after.map_or(Ok(()), |span| span.at_least("reset_after", Span::ZERO))
    }
}
