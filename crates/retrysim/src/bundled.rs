//! The data that comes with the library: scenarios of the published experiments, and what was printed
//! about them. Everything is part of the program, so nothing has to be found at run time.

use retrysim_core::{Error, Scenario};

macro_rules! bundle {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../data/", $folder, "/", $name, ".toml")))),*]
    };
}

/// Scenarios: name and TOML text.
pub const SCENARIOS: &[(&str, &str)] = bundle!("scenarios":
    "herd", "herd_spread", "budget", "layers", "devices", "burst", "overload", "overload_step1",
    "amplification", "contention",
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
