//! Policies of real libraries, to be named in a scenario instead of written down.
//!
//! An entry is a policy with a name, what surprises about it, where it was read, and variants. It may extend
//! another: see [`Catalogue::resolve`].
//!
//! ```
//! use retrysim_core::{Catalogue, Policy};
//!
//! let stripe = Catalogue::bundled().entry("stripe")?;
//! assert_eq!(stripe.policy.stop.max_attempts(), 3);
//! let longer = Policy::from_toml("extends = 'stripe'\nstop = { attempts = 6 }")?;
//! assert_eq!(longer.delay, stripe.policy.delay);
//! # Ok::<(), retrysim_core::Error>(())
//! ```

mod bundled;
mod entry;
mod lay;
mod layer;
mod near;
mod refer;
mod search;

use std::{path::Path, sync::OnceLock};

use indexmap::IndexMap;

pub use self::entry::{Entry, Evidence, Kind, Variant};
use self::layer::Layer;
use crate::{error::Error, policy::Policy};

/// Entries by id, in the order of their files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    entries: IndexMap<String, Entry>,
}

impl Catalogue {
    /// The entries that come with the library.
    #[must_use]
    pub fn bundled() -> &'static Self {
        static BUNDLED: OnceLock<Catalogue> = OnceLock::new();
        // The files are part of the library, and its tests read every one of them.
        BUNDLED.get_or_init(|| Self::default().with_files(bundled::FILES).unwrap_or_default())
    }

    /// The bundled entries and those in the `*.toml` of a folder, which are of the same form. An entry with the id
    /// of a bundled one takes its place; it may extend the one it replaces.
    ///
    /// # Errors
    /// [`Error::Shape`] for a file that can't be read or is of another shape, [`Error::Invalid`] for a value that
    /// is not allowed; both name file, entry and field.
    pub fn with_folder(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let files = layer::files(folder.as_ref())?;
        Self::bundled().with_files(&files)
    }

    /// These entries and those of some files, given by name and text; as [`Catalogue::with_folder`] does with a folder.
    ///
    /// ```
    /// use retrysim_core::Catalogue;
    ///
    /// let mine = Catalogue::bundled().with_files(&[("mine.toml", "[mine]\nextends = 'stripe'")])?;
    /// assert_eq!(mine.policy("mine")?, mine.policy("stripe")?);
    /// # Ok::<(), retrysim_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Catalogue::with_folder`].
    pub fn with_files<S: AsRef<str>>(&self, files: &[(S, S)]) -> Result<Self, Error> {
        let mut entries = self.entries.clone();
        for entry in Layer::read(files, self)?.entries()? {
            entries.insert(entry.id.clone(), entry);
        }
        Ok(Self { entries })
    }

    /// All entries.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.values()
    }

    /// The entry with this id.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the ids that are most like it.
    pub fn entry(&self, id: &str) -> Result<&Entry, Error> {
        self.entries.get(id).ok_or_else(|| Error::Unknown {
            kind: "entry of the catalogue",
            name: id.to_owned(),
            known: near::and_more(id, self.entries.keys().map(String::as_str)),
        })
    }

    /// The policy of an entry (`"stripe"`) or of one of its variants (`"kafka-java/reconnect"`).
    ///
    /// # Errors
    /// [`Error::Unknown`] with the names that are most like it.
    pub fn policy(&self, name: &str) -> Result<&Policy, Error> {
        self.find(name).ok_or_else(|| Error::Unknown {
            kind: "policy of the catalogue",
            name: name.to_owned(),
            known: near::and_more(name, self.names().iter().map(String::as_str)),
        })
    }

    fn find(&self, name: &str) -> Option<&Policy> {
        match name.split_once('/') {
            None => Some(&self.entries.get(name)?.policy),
            Some((id, variant)) => Some(&self.entries.get(id)?.variants.get(variant)?.policy),
        }
    }

    /// Names of all policies: of entries, and of variants as `id/variant`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.entries().flat_map(Entry::names).collect()
    }
}
