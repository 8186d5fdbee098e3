//! A scenario is a plain value: who calls, what they call, and what they do when a call fails.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use toml::Table;

use crate::{
    catalogue::Catalogue,
    draw::Generator,
    error::Error,
    latency::Latency,
    limits::{MAX_POLICIES, at_most},
    policy::{Policy, scope::Population},
    service::Service,
    span::{Span, Unit},
    text,
};

/// Clients at the most.
pub const MAX_CLIENTS: u32 = 10_000_000;

/// Calls of one run at the most.
pub const MAX_CALLS: u32 = 100_000_000;

/// A scenario as its TOML file says it; validated by [`Scenario::from_toml`] and [`Scenario::validate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it shows, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The generator of a published program; Philox unless said.
    #[serde(default)]
    pub generator: Generator,
    /// Seeds, one run each; seed 0 unless said.
    #[serde(default)]
    pub seeds: Seeds,
    /// The unit in which the kernel counts time: a published program's own.
    #[serde(default)]
    pub unit: Unit,
    /// Nothing is sent from here on.
    pub horizon: Span,
    /// Who calls.
    pub workload: Workload,
    /// What they call.
    pub service: Service,
    /// A client to watch closely: its retries and tokens become columns `probe_...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// What they do when a call fails, by name.
    pub policy: IndexMap<String, Policy>,
}

/// The client to watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Its number.
    pub client: u32,
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Workload {
    /// Every client makes one call, at a moment uniform in `[0, spread)`.
    Burst(Burst),
    /// Every client makes calls at a given rate, whatever became of the earlier ones.
    Open(Open),
    /// Every client makes a call, thinks when it has ended, and makes the next one.
    Closed(Closed),
}

/// Every client makes one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// How many clients.
    pub clients: u32,
    /// Length of the interval of first sends.
    #[serde(default)]
    pub spread: Span,
    /// In how many processes; client `c` belongs to process `c % processes`. What a process shares, its clients
    /// share: budgets, breakers, random numbers.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub processes: u32,
}

/// Every client makes calls at a given rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// How many clients.
    pub clients: u32,
    /// Calls per second of one client.
    pub rate: f64,
    /// When they come.
    #[serde(default, skip_serializing_if = "is_default")]
    pub arrivals: Arrivals,
    /// In how many processes; client `c` belongs to process `c % processes`. What a process shares, its clients
    /// share: budgets, breakers, random numbers.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub processes: u32,
}

/// When the calls of a client come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// At random moments: a Poisson process.
    #[default]
    Poisson,
    /// At equal distances; only the first one comes at a random moment.
    Regular,
}

/// Every client makes one call after another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// How many clients.
    pub clients: u32,
    /// What a client waits from the end of a call, however it ended, to the next one; and before its first one.
    pub think: Latency,
    /// In how many processes; client `c` belongs to process `c % processes`. What a process shares, its clients
    /// share: budgets, breakers, random numbers.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub processes: u32,
}

const fn one() -> u32 {
    1
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
const fn is_one(n: &u32) -> bool {
    *n == 1
}

impl Burst {
    /// Clients of one process that start within `spread`.
    #[must_use]
    pub const fn new(clients: u32, spread: Span) -> Self {
        Self { clients, spread, processes: 1 }
    }
}

impl Open {
    /// Clients of one process that call `rate` times a second each.
    #[must_use]
    pub const fn new(clients: u32, rate: f64) -> Self {
        Self { clients, rate, arrivals: Arrivals::Poisson, processes: 1 }
    }

    /// Refuses more than [`MAX_CALLS`] calls until `horizon`, on average.
    pub(crate) fn limit_calls(&self, horizon: Span) -> Result<(), Error> {
        let calls = f64::from(self.clients) * self.rate * horizon.secs();
        if calls > f64::from(MAX_CALLS) {
            let allowed = format!("at most {:e} calls a run, not {calls:e}", f64::from(MAX_CALLS));
            return Err(Error::invalid("workload.rate", self.rate, allowed));
        }
        Ok(())
    }
}

impl Closed {
    /// Clients of one process that think so long between calls.
    #[must_use]
    pub const fn new(clients: u32, think: Latency) -> Self {
        Self { clients, think, processes: 1 }
    }

    fn validate(&self) -> Result<(), Error> {
        self.think.validate().map_err(|error| error.within("think"))?;
        if self.think.is_nothing() {
            let allowed = "a length above 0, or calls that fail at once would follow each other in no time";
            return Err(Error::invalid("think", text::one_line(&self.think), allowed));
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Workload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, rest) = text::tagged(deserializer)?;
        match kind.as_str() {
            "burst" => text::part(rest).map(Self::Burst),
            "open" => text::part(rest).map(Self::Open),
            "closed" => text::part(rest).map(Self::Closed),
            _ => Err(text::unknown_kind(&kind, &["burst", "open", "closed"])),
        }
    }
}

impl Workload {
    /// Number of clients.
    #[must_use]
    pub const fn clients(&self) -> u32 {
        self.population().clients
    }

    /// The clients and their processes.
    #[must_use]
    pub const fn population(&self) -> Population {
        let (Self::Burst(Burst { clients, processes, .. })
        | Self::Open(Open { clients, processes, .. })
        | Self::Closed(Closed { clients, processes, .. })) = self;
        Population { clients: *clients, processes: *processes }
    }

    /// The burst, for services that know no other workload.
    ///
    /// # Errors
    /// [`Error::Invalid`] if calls arrive all the time.
    pub fn burst(&self, service: &str) -> Result<&Burst, Error> {
        let kind = match self {
            Self::Burst(burst) => return Ok(burst),
            Self::Open(_) => "open",
            Self::Closed(_) => "closed",
        };
        Err(Error::invalid("workload.kind", kind, format!("burst, for a service of kind {service}")))
    }

    fn validate(&self) -> Result<(), Error> {
        let clients = self.clients();
        if clients == 0 || clients > MAX_CLIENTS {
            return Err(Error::invalid("clients", clients, format!("1 to {MAX_CLIENTS}")));
        }
        let processes = self.population().processes;
        if processes == 0 || processes > clients {
            return Err(Error::invalid("processes", processes, format!("1 to {clients}, the clients")));
        }
        match self {
            Self::Burst(burst) => burst.spread.at_least("spread", Span::ZERO),
            Self::Open(open) => crate::error::in_range("rate", open.rate, 0.0, 1e6),
            Self::Closed(closed) => closed.validate(),
        }
    }
}

/// Seeds of published-style runs: `"0..19"` (both ends included), a list, or one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

/// Seeds at the most, in one range.
pub const MAX_SEEDS: u64 = 10_000_000;

impl Default for Seeds {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl std::str::FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || {
            format!(
                "{text:?} is not a range of seeds; allowed: A..B with both ends included, such as \"0..19\""
            )
        };
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| bad());
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (number(from)?, number(to.strip_prefix('=').unwrap_or(to))?),
            None => (number(text)?, number(text)?),
        };
        if from > to {
            return Err(bad());
        }
        if to - from >= MAX_SEEDS {
            return Err(format!("{text:?} is too many seeds; allowed: at most {MAX_SEEDS}"));
        }
        Ok(Self((from..=to).collect()))
    }
}

impl Serialize for Seeds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0.first(), self.0.last()) {
            (Some(a), Some(b)) if a < b && self.0.windows(2).all(|pair| pair[1] == pair[0] + 1) => {
                serializer.serialize_str(&format!("{a}..{b}"))
            }
            _ => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "seeds such as \"0..19\", [7, 42] or 0 (none below zero)")]
        enum Form {
            Range(String),
            List(Vec<u64>),
            One(u64),
        }
        match Form::deserialize(deserializer)? {
            Form::Range(text) => text.parse().map_err(de::Error::custom),
            Form::List(list) if list.is_empty() => Err(de::Error::custom("no seeds; allowed: at least one")),
            Form::List(list) => Ok(Self(list)),
            Form::One(seed) => Ok(Self(vec![seed])),
        }
    }
}

impl Scenario {
    /// Reads a scenario from TOML and validates it.
    ///
    /// # Errors
    /// [`Error::Shape`] for text of another shape, [`Error::Invalid`] for a value out of range.
    pub fn from_toml(toml: &str) -> Result<Self, Error> {
        Self::from_table(text::parse(toml)?)
    }

    /// Reads a scenario from a TOML table and validates it. Where a policy is expected, there may be a name of the
    /// bundled catalogue: `policy = "stripe"`, `policy = ["stripe", "kafka-java/reconnect"]`,
    /// `policy.mine = "stripe"`, or `policy.mine.extends = "stripe"` beside what is different. What is read holds
    /// the policies themselves.
    ///
    /// # Errors
    /// As [`Scenario::from_toml`].
    pub fn from_table(table: Table) -> Result<Self, Error> {
        Self::from_table_in(Catalogue::bundled(), table)
    }

    /// As [`Scenario::from_table`], with the names of `catalogue`.
    ///
    /// # Errors
    /// As [`Scenario::from_toml`].
    pub fn from_table_in(catalogue: &Catalogue, mut table: Table) -> Result<Self, Error> {
        catalogue.resolve_scenario(&mut table)?;
        let scenario: Self = text::read(table)?;
        scenario.validate()?;
        Ok(scenario)
    }

    /// Refuses values that no kernel can run.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's dotted path.
    pub fn validate(&self) -> Result<(), Error> {
        self.horizon.at_least("horizon", Span::from_nanos(1))?;
        self.workload.validate().map_err(|error| error.within("workload"))?;
        if self.policy.is_empty() {
            return Err(Error::invalid("policy", "nothing", "at least one [policy.NAME]"));
        }
        at_most("policy", self.policy.len(), MAX_POLICIES)?;
        for (name, policy) in &self.policy {
            policy.validate().map_err(|error| error.within(&format!("policy.{name}")))?;
        }
        if let Some(probe) = &self.probe
            && probe.client >= self.workload.clients()
        {
            let last = self.workload.clients() - 1;
            return Err(Error::invalid("probe.client", probe.client, format!("a client, 0 to {last}")));
        }
        self.service.validate(self)?;
        self.policy.iter().try_for_each(|(name, policy)| {
            self.service.hosts(policy).map_err(|error| error.within(&format!("policy.{name}")))
        })
    }

    /// The policy named `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the names that exist.
    pub fn policy(&self, name: &str) -> Result<&Policy, Error> {
        self.policy.get(name).ok_or_else(|| Error::Unknown {
            kind: "policy",
            name: name.to_owned(),
            known: self.policy.keys().cloned().collect::<Vec<_>>().join(", "),
        })
    }
}
