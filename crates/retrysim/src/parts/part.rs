//! A part: the file of one shard.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use retrysim_core::limits::read;
use serde_json::Value;

use crate::{
    error::Error,
    export::{footer, text},
    manifest::{KEYWORD, Manifest},
    request::{Job, SweepJob},
    stamp::{Stamp, find, is_sealed},
};

/// Bytes of a part at the most.
pub(super) const MAX_PART: u64 = 4 << 30;

/// The name of a part, such as `part-00003.parquet`.
#[must_use]
pub fn part_name(k: u32) -> String {
    format!("part-{k:05}.parquet")
}

/// A part that lies in a folder.
pub(super) struct Part {
    pub path: PathBuf,
    /// The number in its name.
    pub k: u32,
    /// What it says of itself, or why it can't be read.
    pub stamp: Result<Stamp, String>,
}

/// How closely a part is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// At its stamp, to see where it belongs.
    Stamp,
    /// At every byte.
    Whole,
}

impl Part {
    /// The parts in a folder by number; what has another name is nobody's business.
    pub fn all(folder: &Path, look: Look) -> Result<Vec<Self>, Error> {
        let in_file = |reason| Error::File { path: folder.to_owned(), reason };
        let mut parts = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(in_file)? {
            let path = entry.map_err(in_file)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let digits = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(".parquet"));
            let number = digits.and_then(|digits| digits.parse().ok());
            if let Some(k) = number.filter(|k| name == part_name(*k)) {
                parts.extend(Self::read(path, k, look)?);
            }
        }
        parts.sort_by_key(|part| part.k);
        Ok(parts)
    }

    /// The part of this number, every byte of it, if it is there.
    pub fn one(folder: &Path, k: u32) -> Result<Option<Self>, Error> {
        Self::read(folder.join(part_name(k)), k, Look::Whole)
    }

    fn read(path: PathBuf, k: u32, look: Look) -> Result<Option<Self>, Error> {
        let stamp = match look {
            Look::Stamp => footer(&path).map(|footer| footer.and_then(|bytes| find(&bytes))),
            Look::Whole => {
                read(&path, MAX_PART).map(|bytes| if is_sealed(&bytes) { find(&bytes) } else { None })
            }
        };
        match stamp {
            Ok(found) => {
                let stamp = found.ok_or_else(|| "it is not as it was written".to_owned());
                Ok(Some(Self { path, k, stamp }))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(reason) => Err(Error::File { path, reason }),
        }
    }

    /// In what it differs from part `k` of the sweep that `wanted` is a stamp of; a part that can't be read doesn't.
    pub fn differs(&self, wanted: &Stamp, sweep: &SweepJob) -> Option<String> {
        let stamp = self.stamp.as_ref().ok()?;
        if stamp.version != wanted.version {
            return Some(format!("made by version {}, this is {}", stamp.version, wanted.version));
        }
        if stamp.design != wanted.design {
            return Some(format!("of another design: {}", self.other_design(sweep)));
        }
        if stamp.n != wanted.n {
            return Some(format!("one of {} shards, not of {}", stamp.n, wanted.n));
        }
        (stamp.k != self.k).then(|| format!("shard {} by what it says, {} by its name", stamp.k, self.k))
    }

    /// The sweep of which it is a part.
    pub fn sweep(&self) -> Result<SweepJob, Error> {
        let in_file = |reason| Error::File { path: self.path.clone(), reason };
        let bytes = read(&self.path, MAX_PART).map_err(in_file)?;
        let json = if is_sealed(&bytes) { text(&bytes, KEYWORD) } else { None };
        match json.map(|json| Manifest::from_json(&json)).transpose()?.map(|manifest| manifest.request.job) {
            Some(Job::Shard(job)) => Ok(job.sweep),
            _ => {
                let message = "it is not as it was written".to_owned();
                Err(Error::NotText { path: self.path.clone(), message })
            }
        }
    }

    fn other_design(&self, sweep: &SweepJob) -> String {
        let json = |sweep: &SweepJob| serde_json::to_value(sweep).unwrap_or_default();
        match self.sweep() {
            Ok(other) => difference("", &json(&other), &json(sweep)).unwrap_or_else(|| "its order".into()),
            Err(error) => error.to_string(),
        }
    }
}

/// The first place where two values differ: its dotted path, what is there and what is here.
fn difference(path: &str, there: &Value, here: &Value) -> Option<String> {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    if let (Value::Object(there), Value::Object(here)) = (there, here) {
        let keys = there.keys().chain(here.keys());
        let at = |key: &String| {
            difference(
                &below(key),
                there.get(key).unwrap_or(&Value::Null),
                here.get(key).unwrap_or(&Value::Null),
            )
        };
        return keys.filter_map(at).next();
    }
    (there != here).then(|| format!("{path} = {} there, {} here", short(there), short(here)))
}

fn short(value: &Value) -> String {
    let text = if value.is_null() { "nothing".to_owned() } else { value.to_string() };
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
