//! TOML in and out, with errors that name the field.

use serde::{Deserialize, Deserializer, Serialize, de, de::DeserializeOwned};
use toml::{Table, Value};

use crate::{
    error::Error,
    limits::{MAX_KEYS, MAX_TEXT},
};

/// The field that an error about a whole table names.
const TOP: &str = "at the top";

/// Parses TOML text.
///
/// # Errors
/// [`Error::Shape`] with line and column if the text is not TOML, and for more than [`MAX_TEXT`] bytes.
pub fn parse(toml: &str) -> Result<Table, Error> {
    if toml.len() > MAX_TEXT {
        let message = format!("{} bytes are too many; allowed: at most {MAX_TEXT}", toml.len());
        return Err(Error::Shape { field: "the text".into(), message });
    }
    toml.parse::<Table>()
        .map_err(|error| Error::Shape { field: "the file is not TOML".into(), message: error.to_string() })
}

/// Reads a value out of a table.
///
/// # Errors
/// [`Error::Shape`] with the dotted path of the field that doesn't fit.
pub fn read<T: DeserializeOwned>(table: Table) -> Result<T, Error> {
    serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { TOP.to_owned() } else { path };
        Error::Shape { field, message: error.inner().message().trim().to_owned() }
    })
}

/// Takes the `kind` out of a table, for a type whose shape depends on it.
pub(crate) fn tagged<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(String, Table), D::Error> {
    let mut table = Table::deserialize(deserializer)?;
    match table.remove("kind") {
        Some(Value::String(kind)) => Ok((kind, table)),
        Some(other) => {
            Err(de::Error::custom(format!("kind = {other} is not allowed; allowed: a name in quotes")))
        }
        None => Err(de::Error::custom("missing field `kind`")),
    }
}

/// Reads what is left of a tagged table, naming the field that doesn't fit.
pub(crate) fn part<T: DeserializeOwned, E: de::Error>(table: Table) -> Result<T, E> {
    read(table).map_err(|error| match error {
        Error::Shape { field, message } if field == TOP => E::custom(message),
        other => E::custom(other),
    })
}

/// The error for a `kind` that isn't there.
pub(crate) fn unknown_kind<E: de::Error>(kind: &str, known: &[&str]) -> E {
    E::custom(format!("kind = {kind:?} is not allowed; allowed: {}", known.join(", ")))
}

/// Writes a scenario, a policy or a part of one as TOML that [`read`] reads back.
///
/// ```
/// use retrysim_core::{Policy, Span, text};
///
/// let policy = Policy::exponential(Span::from_millis(100), 2.0).jitter(0.0, 1.0);
/// assert_eq!(text::read::<Policy>(text::parse(&text::write(&policy)?)?)?, policy);
/// # Ok::<(), retrysim_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for a value that TOML can't hold, such as a bare number.
pub fn write<T: Serialize>(value: &T) -> Result<String, Error> {
    toml::to_string(value).map_err(|error| Error::Shape { field: TOP.into(), message: error.to_string() })
}

/// Sets `path` (dotted, such as `policy.full.delay`) to `value`, making tables on the way.
///
/// # Errors
/// [`Error::Invalid`] if the path is empty, has more than [`MAX_KEYS`] keys, or runs through something that isn't a table.
pub fn set(table: &mut Table, path: &str, value: Value) -> Result<(), Error> {
    let mut keys: Vec<&str> = path.split('.').collect();
    if keys.len() > MAX_KEYS {
        return Err(Error::invalid(
            "--set",
            format!("a path of {} keys", keys.len()),
            format!("at most {MAX_KEYS}"),
        ));
    }
    let last = keys.pop().filter(|last| !last.is_empty() && keys.iter().all(|key| !key.is_empty()));
    let Some(last) = last else {
        return Err(Error::invalid("--set", path, "a dotted path such as service.capacity"));
    };
    let mut at = table;
    for key in keys {
        let entry = at.entry(key).or_insert_with(|| Value::Table(Table::new()));
        at = match entry {
            Value::Table(table) => table,
            other => {
                return Err(Error::invalid(
                    "--set",
                    path,
                    format!("a path through tables; {key} is {}", other.type_str()),
                ));
            }
        };
    }
    at.insert(last.to_owned(), value);
    Ok(())
}

/// Reads the right-hand side of `--set path=value`: any TOML value; a bare word counts as text.
///
/// # Errors
/// [`Error::Shape`] if the text is no TOML value.
pub fn value(text: &str) -> Result<Value, Error> {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match format!("value = {text}").parse::<Table>() {
        Ok(mut table) if table.len() == 1 => Ok(table.remove("value").unwrap_or(Value::Boolean(false))),
        _ if !text.is_empty() && text.chars().all(bare) => Ok(Value::String(text.to_owned())),
        Ok(_) => Err(Error::Shape {
            field: "not a TOML value".into(),
            message: format!("{text:?} is more than one"),
        }),
        Err(error) => {
            Err(Error::Shape { field: "not a TOML value".into(), message: error.message().to_owned() })
        }
    }
}

/// A value as the table that [`write()`] would write.
///
/// # Errors
/// As [`write()`].
pub fn table<T: Serialize>(value: &T) -> Result<Table, Error> {
    Table::try_from(value).map_err(|error| Error::Shape { field: TOP.into(), message: error.to_string() })
}

/// A value on one line, for messages.
pub(crate) fn one_line<T: Serialize>(value: &T) -> String {
    Value::try_from(value).map_or_else(|_| "?".into(), |value| value.to_string().replace('\n', " "))
}
