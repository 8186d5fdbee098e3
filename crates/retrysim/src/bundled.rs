//! The data that comes with the library: scenarios of the published experiments, and what was printed
//! about them. Everything is part of the program, so nothing has to be found at run time.

use retrysim_core::{Error, Policy, Scenario, text};
use toml::Table;

macro_rules! bundle {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../data/", $folder, "/", $name, ".toml")))),*]
    };
}

/// Scenarios: name and TOML text.
pub const SCENARIOS: &[(&str, &str)] = bundle!("scenarios":
    "herd", "herd_spread", "budget", "layers", "devices", "burst", "overload", "overload_step1",
    "amplification", "contention", "black_hole",
);

/// Situations that an on-call engineer would name: scenarios without policies.
pub const SITUATIONS: &[(&str, &str)] = bundle!("situations":
    "healthy", "partial_failure", "short_outage", "long_outage", "flapping", "rolling_deploy", "black_hole",
    "brown_out", "slow_dependency", "throttle", "flash_crowd", "metastable", "reconnect", "contention",
);

/// Published tables: name of the document and TOML text.
pub const PUBLISHED: &[(&str, &str)] = bundle!("published":
    "herd_and_budget", "amplification", "burst", "devices", "overload", "contention",
);

/// A bundled scenario as TOML text.
///
/// # Errors
/// [`Error::Unknown`] with the names that exist.
pub fn scenario_text(name: &str) -> Result<&'static str, Error> {
    SCENARIOS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).ok_or_else(|| Error::Unknown {
        kind: "scenario",
        name: name.to_owned(),
        known: SCENARIOS.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", "),
    })
}

/// A bundled scenario.
///
/// ```
/// assert_eq!(retrysim::bundled::scenario("herd")?.workload.clients(), 1000);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// As [`scenario_text`].
pub fn scenario(name: &str) -> Result<Scenario, Error> {
    Scenario::from_toml(scenario_text(name)?)
}

/// The table of a situation.
fn situation_table(name: &str) -> Result<Table, Error> {
    let found = SITUATIONS.iter().find(|(known, _)| *known == name).ok_or_else(|| Error::Unknown {
        kind: "situation",
        name: name.to_owned(),
        known: SITUATIONS.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", "),
    })?;
    text::parse(found.1)
}

/// What a situation is, in a sentence.
///
/// # Errors
/// [`Error::Unknown`] with the names that exist.
pub fn situation_about(name: &str) -> Result<String, Error> {
    let about = situation_table(name)?.get("about").and_then(|about| about.as_str().map(str::to_owned));
    Ok(about.unwrap_or_default())
}

/// A situation that is met with one policy.
///
/// ```
/// use retrysim::{Policy, bundled};
///
/// let scenario = bundled::situation("short_outage", "mine", &Policy::immediate().attempts(3))?;
/// assert_eq!(scenario.service.outages().len(), 1);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unknown`] with the names that exist; what [`Scenario::validate`] says of the two together.
pub fn situation(name: &str, policy_name: &str, policy: &Policy) -> Result<Scenario, Error> {
    let mut table = situation_table(name)?;
    let of_one = text::table(policy)?;
    table.insert("policy".into(), Table::from_iter([(policy_name.to_owned(), of_one.into())]).into());
    Scenario::from_table(table)
}
