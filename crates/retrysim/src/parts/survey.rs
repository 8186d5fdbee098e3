//! What lies in a folder of parts: what is missing, damaged, or doesn't belong there.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::part::{Look, Part, part_name};
use crate::{error::Error, request::SweepJob, stamp::Stamp};

/// What lies in a folder of parts.
#[derive(Debug)]
pub struct Survey {
    /// The folder.
    pub folder: PathBuf,
    /// The sweep of which they are parts.
    pub sweep: SweepJob,
    /// Into how many shards it is cut.
    pub n: u32,
    /// Numbers of the shards that are not there.
    pub missing: Vec<u32>,
    /// Parts that can't be read, and why.
    pub damaged: Vec<(u32, String)>,
    /// Parts of something else, and of what.
    pub foreign: Vec<(u32, String)>,
}

impl Survey {
    /// Looks at a folder. Where parts of several sweeps lie, the one with the most parts is meant.
    ///
    /// # Errors
    /// [`Error::File`] for a folder that can't be read, [`Error::NotText`] for one without a part that this version
    /// has made.
    pub fn of(folder: &Path) -> Result<Self, Error> {
        let parts = Part::all(folder, Look::Whole)?;
        let mut sweeps: IndexMap<(&str, u32), (usize, &Part, &Stamp)> = IndexMap::new();
        let mut others = parts.iter().filter_map(|part| Some((part, part.stamp.as_ref().ok()?)));
        for (part, stamp) in others.by_ref().filter(|(_, stamp)| stamp.version == env!("CARGO_PKG_VERSION")) {
            sweeps.entry((&stamp.design, stamp.n)).or_insert((0, part, stamp)).0 += 1;
        }
        let most = sweeps.values().rev().max_by_key(|(count, _, _)| count);
        let (_, part, stamp) = most.ok_or_else(|| nothing(folder, &parts))?;
        let (sweep, n) = (part.sweep()?, stamp.n);

        let (mut damaged, mut foreign) = (Vec::new(), Vec::new());
        let mut is_there = vec![false; n as usize];
        for part in &parts {
            is_there.get_mut(part.k as usize).into_iter().for_each(|seen| *seen = true);
            match (&part.stamp, part.differs(stamp, &sweep)) {
                (_, Some(difference)) => foreign.push((part.k, difference)),
                (Err(reason), None) if part.k < n => damaged.push((part.k, reason.clone())),
                _ => {}
            }
        }
        let missing = (0..n).zip(is_there).filter(|(_, seen)| !seen).map(|(k, _)| k).collect();
        Ok(Self { folder: folder.to_owned(), sweep, n, missing, damaged, foreign })
    }

    /// Whether every part is there and nothing else.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.damaged.is_empty() && self.foreign.is_empty()
    }

    /// Numbers of the shards that are to be made (again): what is missing, damaged, or has the name of one.
    #[must_use]
    pub fn to_make(&self) -> Vec<u32> {
        let foreign = self.foreign.iter().map(|(k, _)| *k).filter(|k| *k < self.n);
        let mut numbers: Vec<u32> =
            self.missing.iter().copied().chain(self.damaged.iter().map(|(k, _)| *k)).chain(foreign).collect();
        numbers.sort_unstable();
        numbers
    }

    /// A line for what is missing, and for each part that is damaged or foreign.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let missing = (!self.missing.is_empty())
            .then(|| format!("missing: {} of {}", ranges(&self.missing, "..", ", "), self.n));
        let each = |what: &'static str| {
            move |(k, why): &(u32, String)| {
                format!("{what}: {}: {why}", self.folder.join(part_name(*k)).display())
            }
        };
        let damaged = self.damaged.iter().map(each("damaged"));
        missing.into_iter().chain(damaged).chain(self.foreign.iter().map(each("foreign"))).collect()
    }
}

/// Numbers in order with runs of them drawn together: `3, 7..9`.
///
/// ```
/// assert_eq!(retrysim::parts::ranges(&[3, 7, 8, 9], "-", ","), "3,7-9");
/// ```
#[must_use]
pub fn ranges(numbers: &[u32], to: &str, separator: &str) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let text = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(first.to_string()),
        (first, last) => Some(format!("{first}{to}{last}")),
    });
    text.collect::<Vec<_>>().join(separator)
}

/// The error for a part of something else.
pub(super) fn foreign(path: &Path, difference: &str) -> Error {
    let allowed = "allowed: a folder without parts of anything else";
    Error::NotText { path: path.to_owned(), message: format!("{difference}; {allowed}") }
}

/// The error for a folder without a part of this version.
fn nothing(folder: &Path, parts: &[Part]) -> Error {
    let message = match parts.first().map(|part| (part, &part.stamp)) {
        None => "no parts are in it".to_owned(),
        Some((part, Ok(stamp))) => format!(
            "{} was made by version {}, and this is {}",
            part_name(part.k),
            stamp.version,
            env!("CARGO_PKG_VERSION")
        ),
        Some((part, Err(reason))) => format!("{} can't be read: {reason}", part_name(part.k)),
    };
    let message = format!("{message}; allowed: a folder in which `sweep --shard` has made parts");
    Error::NotText { path: folder.to_owned(), message }
}
