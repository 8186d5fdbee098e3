//! What a shard's file says in few words: which design, which slice, which version.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    error::Error,
    manifest::Manifest,
    request::{Job, SweepJob},
    shard::MAX_SHARDS,
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
    /// SHA-256 of the whole file in which these digits are zeros; zeros until it is sealed. A file with a wrong byte
    /// is found out before anything is made of it.
    pub sha256: String,
}

/// How a stamp begins.
const BEGIN: &[u8] = b"{\"design\":\"";

/// What stands before the digits, in JSON without blanks; inside a text the quotes would be escaped.
const FIELD: &[u8] = b"\"sha256\":\"";

/// The digits of a file that isn't sealed.
const BLANK: [u8; 64] = [b'0'; 64];

/// Writes a file's digits into its stamp, the last text of that form in it.
pub(crate) fn seal(bytes: &mut [u8]) {
    if let Some(digits) = digest(bytes)
        && let Some(place) = place(bytes)
        && let Some(room) = bytes.get_mut(place..place + BLANK.len())
    {
        room.copy_from_slice(digits.as_bytes());
    }
}

/// Whether a file is as it was when it was sealed.
pub(crate) fn is_sealed(bytes: &[u8]) -> bool {
    let found = place(bytes).and_then(|place| bytes.get(place..place + BLANK.len()));
    found.is_some() && found == digest(bytes).as_ref().map(String::as_bytes)
}

/// The stamp in a Parquet file's footer. The text is looked for, since a reader of Parquet trusts what it reads.
pub(crate) fn find(footer: &[u8]) -> Option<Stamp> {
    let begin = footer.windows(BEGIN.len()).rposition(|window| window == BEGIN)?;
    let text = footer.get(begin..)?;
    let end = text.iter().position(|byte| *byte == b'}')?;
    let stamp: Option<Stamp> = serde_json::from_slice(text.get(..=end)?).ok();
    stamp.filter(|stamp| stamp.k < stamp.n && stamp.n <= MAX_SHARDS)
}

fn place(bytes: &[u8]) -> Option<usize> {
    let field = bytes.windows(FIELD.len()).rposition(|window| window == FIELD)?;
    Some(field + FIELD.len())
}

/// The digits that a file should have.
fn digest(bytes: &[u8]) -> Option<String> {
    let (before, rest) = bytes.split_at_checked(place(bytes)?)?;
    let after = rest.get(BLANK.len()..)?;
    Some(hex(&Sha256::new().chain_update(before).chain_update(BLANK).chain_update(after).finalize()))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Stamp {
    /// The stamp of a file with this manifest; none if it isn't a part.
    ///
    /// # Errors
    /// [`Error::Manifest`] if the design holds a number that isn't finite.
    pub fn of(manifest: &Manifest) -> Result<Option<Self>, Error> {
        let Job::Shard(job) = &manifest.request.job else { return Ok(None) };
        let (k, n) = (job.shard.k, job.shard.n);
        let (design, version) = (hash(&job.sweep)?, manifest.version.clone());
        Ok(Some(Self { design, k, n, version, sha256: "0".repeat(BLANK.len()) }))
    }

    pub(crate) fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| Error::Manifest(error.to_string()))
    }
}

fn hash(sweep: &SweepJob) -> Result<String, Error> {
    let json = serde_json::to_vec(sweep).map_err(|error| Error::Manifest(error.to_string()))?;
    Ok(hex(&Sha256::digest(json)))
}
