//! Scenarios and policies from files, with errors that name the file.

use std::path::Path;

use retrysim_core::{
    Scenario,
    limits::{MAX_TEXT, read},
    text,
};
use toml::Table;

use crate::error::Error;

/// Reads a TOML file as a table.
///
/// # Errors
/// [`Error::File`] if it can't be read, [`Error::NotText`] if it isn't text, [`Error::InFile`] if it isn't TOML.
pub fn read_table(path: &Path) -> Result<Table, Error> {
    let in_file = |reason| Error::File { path: path.to_owned(), reason };
    let bytes = read(path, MAX_TEXT as u64).map_err(in_file)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("byte {at} is not UTF-8; allowed: a TOML text file");
        Error::NotText { path: path.to_owned(), message }
    })?;
    text::parse(&text).map_err(|reason| Error::InFile { path: path.to_owned(), reason })
}

/// Reads a scenario from a file, after setting fields (`path`, TOML value) in it.
///
/// ```
/// use retrysim::file::read_scenario;
///
/// let file = std::path::Path::new("data/scenarios/herd.toml");
/// let set = [("service.capacity".to_owned(), retrysim::text::value("3")?)];
/// assert_eq!(read_scenario(file, &set)?.name, "herd");
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// As [`read_table`]; [`Error::InFile`] for a field that doesn't fit.
pub fn read_scenario(path: &Path, set: &[(String, toml::Value)]) -> Result<Scenario, Error> {
    let mut table = read_table(path)?;
    for (field, value) in set {
        text::set(&mut table, field, value.clone())?;
    }
    Scenario::from_table(table).map_err(|reason| Error::InFile { path: path.to_owned(), reason })
}
