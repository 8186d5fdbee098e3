//! What was printed, and what comes out when it is run again.
//!
//! Each file of `data/published` is one document: its cases (scenario, changes, runs) and its entries
//! (what was printed where, and the expression that reproduces it). Nothing of a document is in code.

mod cases;
mod check;

use retrysim_core::text;
use serde::Deserialize;

pub use self::cases::{Case, Cases};
use crate::{bundled, error::Error};

/// A document with its entries.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Identifier of the document.
    pub source: String,
    /// Title, or what it is.
    pub title: String,
    /// How the numbers were taken from it, and how the model was found.
    pub about: String,
    /// Named runs that entries refer to.
    #[serde(default)]
    pub case: Vec<Case>,
    /// Numbers and claims.
    pub entry: Vec<Entry>,
}

/// A printed number or a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name: experiment, policy, quantity.
    pub id: String,
    /// As printed (a claim: in our words).
    pub printed: String,
    /// Unit of a number.
    #[serde(default)]
    pub unit: String,
    /// Where in the document.
    #[serde(rename = "where")]
    pub place: String,
    /// What it takes to hold.
    pub kind: Kind,
    /// The verdict that is known.
    pub expect: Verdict,
    /// Text with `{expression:.digits}` in it: what comes out.
    pub reproduced: String,
    /// Statements that must all be true for the entry to hold.
    #[serde(default)]
    pub holds: Vec<String>,
    /// The number that must lie in `interval`.
    #[serde(default)]
    pub measure: Option<String>,
    /// Both ends are allowed.
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
    /// Why this interval, or what contradicts the claim; may hold `{expression}`.
    #[serde(default)]
    pub note: String,
}

/// What it takes for an entry to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The printed digits come out.
    Exact,
    /// The number lies in a stated interval.
    Consistent,
    /// The sentence is true of the model.
    Claim,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The printed digits come out.
    Exact,
    /// Inside the stated interval, or true as a sentence.
    Consistent,
    /// The model says otherwise.
    Contradicted,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Consistent => "consistent",
            Self::Claim => "claim",
        }
    }
}

impl Verdict {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Consistent => "consistent",
            Self::Contradicted => "contradicted",
        }
    }
}

/// An entry that has been run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The entry's name.
    pub id: String,
    /// Identifier of the document.
    pub source: String,
    /// Name of the document's file in `data/published`.
    pub document: String,
    /// As printed.
    pub published: String,
    /// What came out, formatted like what was printed.
    pub reproduced: String,
    /// What it takes to hold.
    pub kind: Kind,
    /// What became of it.
    pub verdict: Verdict,
    /// The verdict that is known.
    pub expect: Verdict,
    /// Unit of a number.
    pub unit: String,
    /// Where in the document.
    pub place: String,
    /// Why this interval, or what contradicts the claim.
    pub note: String,
}

/// What can be known of an entry before it is run.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The entry's name.
    pub id: &'a str,
    /// Identifier of the document.
    pub source: &'a str,
    /// Name of the document's file in `data/published`.
    pub document: &'a str,
}

/// The bundled documents: name of the file and contents.
///
/// ```
/// let entries: usize = retrysim::published::documents()?.iter().map(|(_, document)| document.entry.len()).sum();
/// assert_eq!(entries, 186);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never for the bundled data, which a test reads.
pub fn documents() -> Result<Vec<(&'static str, Document)>, Error> {
    bundled::PUBLISHED.iter().map(|(name, toml)| Ok((*name, text::read(text::parse(toml)?)?))).collect()
}

/// Runs the wanted entries again, in the order of the documents.
///
/// ```
/// let rows = retrysim::published::reproduce(|entry| entry.id.starts_with("overload.immediate"))?;
/// assert_eq!(rows[0].reproduced, "120");
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Whatever running them says; never for the bundled data, which a test runs.
pub fn reproduce(wanted: impl Fn(Listed<'_>) -> bool) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (name, document) in documents()? {
        let mut cases = Cases::new(&document.case);
        for entry in &document.entry {
            if wanted(Listed { id: &entry.id, source: &document.source, document: name }) {
                rows.push(check::check(entry, &document.source, name, &mut cases)?);
            }
        }
    }
    Ok(rows)
}
