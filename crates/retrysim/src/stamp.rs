//! What a shard's file says in few words: which design, which slice, which version.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    error::Error,
    manifest::Manifest,
    request::{Job, SweepJob},
};

/// The keyword of the stamp inside Parquet metadata.
pub(crate) const KEYWORD: &str = "retrysim.shard";

/// What a part is, in few words: beside the manifest in its metadata, so that parts are quickly told apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// SHA-256 of the sweep (the design with its scenario as a table, and the metrics kept) as JSON without blanks,
    /// keys in the order of the design, since the order of policies and parameters is the order of the rows.
    pub design: String,
    /// The shard's number, from 0.
    pub k: u32,
    /// How many there are.
    pub n: u32,
    /// The version of the program.
    pub version: String,
}

impl Stamp {
    /// The stamp of a file with this manifest; none if it isn't a part.
    ///
    /// # Errors
    /// [`Error::Manifest`] if the design holds a number that isn't finite.
    pub fn of(manifest: &Manifest) -> Result<Option<Self>, Error> {
        let Job::Shard(job) = &manifest.request.job else { return Ok(None) };
        let (k, n) = (job.shard.k, job.shard.n);
        Ok(Some(Self { design: digest(&job.sweep)?, k, n, version: manifest.version.clone() }))
    }

    pub(crate) fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| Error::Manifest(error.to_string()))
    }
}

fn digest(sweep: &SweepJob) -> Result<String, Error> {
    let json = serde_json::to_vec(sweep).map_err(|error| Error::Manifest(error.to_string()))?;
    Ok(Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect())
}
