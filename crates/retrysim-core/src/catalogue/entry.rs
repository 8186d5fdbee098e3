//! One entry of the catalogue, as its reader sees it.

use std::iter;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::policy::Policy;

/// A policy with a name, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The name in `extends` and in scenarios.
    pub id: String,
    /// The name for readers.
    pub name: String,
    /// The formula, and what surprises.
    pub about: String,
    /// What kind of program retries like this.
    pub kind: Kind,
    /// Where it was read: packages and files, repositories with the commit after `@`, documents.
    pub source: Vec<String>,
    /// The version that was read, where it has one; of the first source if there are several.
    pub version: Option<String>,
    /// How sure it is.
    pub evidence: Evidence,
    /// What a policy as data can't say of it, and why.
    pub not_expressed: Option<String>,
    /// The policy.
    pub policy: Policy,
    /// The same with other settings, by name.
    pub variants: IndexMap<String, Variant>,
}

/// An entry's policy with other settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variant {
    /// What is different.
    pub about: String,
    /// The policy.
    pub policy: Policy,
}

/// What kind of program retries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A library that a caller uses for single calls.
    #[default]
    Client,
    /// A proxy between callers and services.
    Proxy,
    /// A connection that is made again.
    Reconnect,
    /// A queue or scheduler that runs jobs again.
    Queue,
    /// A supervisor that starts a program again.
    Restart,
    /// A rule for how many retries may be made, whoever makes them.
    Budget,
    /// A rule for when nothing is sent at all.
    Breaker,
    /// A curve without a caller: a formula that was published or is offered for use.
    Curve,
    /// A link of a network.
    Link,
}

/// How sure an entry is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The library was run; its delays are the policy's.
    Run,
    /// Its source was read, and another library with the same arithmetic was run.
    RunPort,
    /// Its source was read.
    Read,
    /// Only its documentation, a standard or an article was read.
    Documented,
    /// Somebody's own policy; there is nothing to compare it with.
    #[default]
    Own,
}

impl Kind {
    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Proxy => "proxy",
            Self::Reconnect => "reconnect",
            Self::Queue => "queue",
            Self::Restart => "restart",
            Self::Budget => "budget",
            Self::Breaker => "breaker",
            Self::Curve => "curve",
            Self::Link => "link",
        }
    }
}

impl Evidence {
    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::RunPort => "run-port",
            Self::Read => "read",
            Self::Documented => "documented",
            Self::Own => "own",
        }
    }
}

impl Entry {
    /// `id`, and `id/variant` for each variant.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let variants = self.variants.keys().map(|variant| format!("{}/{variant}", self.id));
        iter::once(self.id.clone()).chain(variants)
    }
}
