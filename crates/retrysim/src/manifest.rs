//! What made a file: software, version, and the whole request. No clock, no host, no thread count, so that
//! the same request writes the same bytes.

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    request::{Job, Request},
};

/// The keyword of the manifest inside Parquet metadata and PNG text.
pub const KEYWORD: &str = "retrysim";

/// What made a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The program.
    pub software: String,
    /// Its version.
    pub version: String,
    /// All that the file depends on.
    pub request: Request,
}

impl Manifest {
    /// The manifest of a request made by this version.
    #[must_use]
    pub fn new(request: Request) -> Self {
        Self { software: "retrysim".into(), version: env!("CARGO_PKG_VERSION").into(), request }
    }

    /// As JSON, ending with a line break.
    ///
    /// # Errors
    /// [`Error::Manifest`] if a number in it isn't finite.
    pub fn to_json(&self) -> Result<String, Error> {
        let json = serde_json::to_string_pretty(self).map_err(|error| Error::Manifest(error.to_string()))?;
        Ok(json + "\n")
    }

    /// From JSON; the scenario in it is validated.
    ///
    /// # Errors
    /// [`Error::Manifest`] for anything but a manifest, [`Error::Core`] for a scenario that isn't valid.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let manifest: Self = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| Error::Manifest(format!("{}: {}", error.path(), error.inner())))?;
        match &manifest.request.job {
            Job::Run(job) => job.scenario.validate()?,
            Job::Delays(delays) => delays.policy.validate()?,
            Job::Measure(measurement) => measurement.policy.validate()?,
            Job::Matrix(matrix) => matrix.policies.iter().try_for_each(|(_, policy)| policy.validate())?,
            Job::Sweep(_) | Job::Shard(_) | Job::Reproduce { .. } => {}
        }
        Ok(manifest)
    }
}
