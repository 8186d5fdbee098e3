//! Entries as files give them, over a catalogue that they may extend.

use std::{
    fs,
    path::{Path, PathBuf},
};

use indexmap::IndexMap;
use serde::Deserialize;
use toml::{Table, Value};

use super::{
    Catalogue,
    entry::{Entry, Evidence, Kind, Variant},
    lay,
};
use crate::{
    error::Error,
    limits::{self, MAX_EXTENDS, MAX_TEXT, at_most},
    policy::Policy,
    text,
};

/// Entries as they were written.
pub(super) struct Layer<'a> {
    written: IndexMap<String, Written>,
    below: &'a Catalogue,
}

/// An entry as it was written.
struct Written {
    /// File and id, for errors.
    place: String,
    meta: Meta,
    slots: Table,
    variants: IndexMap<String, (String, Table)>,
}

/// What an entry says beside its policy.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Meta {
    name: Option<String>,
    about: String,
    kind: Kind,
    source: Vec<String>,
    version: Option<String>,
    evidence: Evidence,
    not_expressed: Option<String>,
}

/// The fields of [`Meta`]; all others are slots of the policy, or `extends`.
const META: [&str; 7] = ["name", "about", "kind", "source", "version", "evidence", "not_expressed"];

/// Name and text of the TOML files of a folder, by name.
pub(super) fn files(folder: &Path) -> Result<Vec<(String, String)>, Error> {
    let unreadable = |path: &Path, error: std::io::Error| Error::Shape {
        field: path.display().to_string(),
        message: error.to_string(),
    };
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .map_err(|error| unreadable(folder, error))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let read = |path: &PathBuf| {
        let bytes = limits::read(path, MAX_TEXT as u64).map_err(|error| unreadable(path, error))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unreadable(path, std::io::Error::other(error.utf8_error())))?;
        Ok((path.display().to_string(), text))
    };
    paths.iter().map(read).collect()
}

impl<'a> Layer<'a> {
    /// Reads files, given by name and text.
    pub fn read<S: AsRef<str>>(files: &[(S, S)], below: &'a Catalogue) -> Result<Self, Error> {
        let mut written = IndexMap::new();
        for (file, toml) in files {
            let file = file.as_ref();
            for (id, value) in text::parse(toml.as_ref()).map_err(|error| at(&format!("{file}: "), error))? {
                let place = format!("{file}: {id}");
                if id.is_empty() || id.contains('/') {
                    return Err(Error::invalid(file, format!("{id:?}"), "an id without a slash"));
                }
                let entry = Written::read(place, value)?;
                if let Some(Written { place, .. }) = written.insert(id.clone(), entry) {
                    return Err(Error::invalid(
                        file,
                        format!("{id:?}"),
                        format!("one entry of this id; {place}"),
                    ));
                }
            }
        }
        Ok(Self { written, below })
    }

    /// All entries, with what they extend.
    pub fn entries(&self) -> Result<Vec<Entry>, Error> {
        self.written.iter().map(|(id, written)| self.entry(id, written)).collect()
    }

    fn entry(&self, id: &str, written: &Written) -> Result<Entry, Error> {
        let mut variants = IndexMap::new();
        for (variant, (about, _)) in &written.variants {
            let policy = self.policy(&format!("{id}/{variant}"))?;
            variants.insert(variant.clone(), Variant { about: about.clone(), policy });
        }
        let Meta { name, about, kind, source, version, evidence, not_expressed } = written.meta.clone();
        Ok(Entry {
            id: id.to_owned(),
            name: name.unwrap_or_else(|| id.to_owned()),
            about,
            kind,
            source,
            version,
            evidence,
            not_expressed,
            policy: self.policy(id)?,
            variants,
        })
    }

    fn policy(&self, name: &str) -> Result<Policy, Error> {
        let place = self.place(name);
        let table = self.table(name, &mut Vec::new())?;
        let policy: Policy = text::read(table).map_err(|error| at(&format!("{place}."), error))?;
        policy.validate().map_err(|error| at(&format!("{place}."), error))?;
        Ok(policy)
    }

    /// File and path of a policy, for errors.
    fn place(&self, name: &str) -> String {
        let (id, variant) = split(name);
        let entry = self.written.get(id).map_or(id, |written| &written.place);
        variant.map_or_else(|| entry.to_owned(), |variant| format!("{entry}.variants.{variant}"))
    }

    /// The slots that were written for a policy of this layer.
    fn slots(&self, name: &str) -> Option<&Table> {
        let (id, variant) = split(name);
        let written = self.written.get(id)?;
        variant.map_or(Some(&written.slots), |variant| written.variants.get(variant).map(|(_, slots)| slots))
    }

    /// A policy of this layer with what it extends; `from` are those that lead here.
    fn table(&self, name: &str, from: &mut Vec<String>) -> Result<Table, Error> {
        let Some(slots) = self.slots(name) else { return Ok(Table::new()) };
        let mut own = slots.clone();
        let (id, variant) = split(name);
        let refused = |value: String, allowed: String| {
            Error::invalid(format!("{}.extends", self.place(name)), value, allowed)
        };
        let extends = match own.remove("extends") {
            Some(Value::String(other)) => Some(other),
            Some(other) => return Err(refused(other.to_string(), "the name of a policy in quotes".into())),
            None => variant.map(|_| id.to_owned()),
        };
        at_most(&format!("{}.extends", self.place(name)), from.len(), MAX_EXTENDS)?;
        from.push(name.to_owned());
        let mut table = match extends {
            None => Table::new(),
            // What an entry extends under its own id is the one that it replaces.
            Some(other) if self.slots(&other).is_some() && other != name => {
                if from.contains(&other) {
                    let allowed =
                        format!("a policy that does not lead back here ({} -> {other})", from.join(" -> "));
                    return Err(refused(format!("{other:?}"), allowed));
                }
                self.table(&other, from)?
            }
            Some(other) => {
                let names = self.below.names().into_iter().chain(self.written.keys().cloned());
                let policy = self.below.find(&other).ok_or_else(|| {
                    let names: Vec<_> = names.filter(|known| known != name).collect();
                    refused(format!("{other:?}"), super::refer::allowed(&other, &names))
                })?;
                text::table(policy)?
            }
        };
        from.pop();
        lay::over(&mut table, own);
        Ok(table)
    }
}

/// The id and the variant of a name.
fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once('/').map_or((name, None), |(id, variant)| (id, Some(variant)))
}

/// The same error with `place` before its field.
fn at(place: &str, error: Error) -> Error {
    match error {
        Error::Shape { field, message } => Error::Shape { field: format!("{place}{field}"), message },
        Error::Invalid { field, value, allowed } => {
            Error::Invalid { field: format!("{place}{field}"), value, allowed }
        }
        other => other,
    }
}

impl Written {
    fn read(place: String, value: Value) -> Result<Self, Error> {
        let mut slots = table(&place, value)?;
        let variants = slots.remove("variants").unwrap_or_else(|| Value::Table(Table::new()));
        let meta = meta(&place, &mut slots, &META)?;
        let variants = table(&format!("{place}.variants"), variants)?.into_iter().map(|(name, value)| {
            let place = format!("{place}.variants.{name}");
            let mut slots = table(&place, value)?;
            let about = self::meta(&place, &mut slots, &["about"])?.about;
            Ok((name, (about, slots)))
        });
        let variants = variants.collect::<Result<_, Error>>()?;
        Ok(Self { place, meta, slots, variants })
    }
}

fn table(place: &str, value: Value) -> Result<Table, Error> {
    match value {
        Value::Table(table) => Ok(table),
        other => Err(Error::invalid(place, other, "a table")),
    }
}

/// Takes what is no slot out of a table.
fn meta(place: &str, table: &mut Table, fields: &[&str]) -> Result<Meta, Error> {
    let taken = fields.iter().filter_map(|field| table.remove_entry(*field)).collect();
    text::read(taken).map_err(|error| at(&format!("{place}."), error))
}
