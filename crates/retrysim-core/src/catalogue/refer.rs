//! Names of the catalogue where a policy is expected: in scenarios, and in `extends`.

use toml::{Table, Value};

use super::{Catalogue, lay, near};
use crate::{error::Error, policy::Policy, text};

/// What may stand where `name` stands.
pub(super) fn allowed(name: &str, known: &[String]) -> String {
    let meant = near::did_you_mean(name, known.iter().map(String::as_str));
    format!("a policy of the catalogue, \"id\" or \"id/variant\"{meant}")
}

impl Catalogue {
    /// A policy's table with the policy that it `extends` below it.
    ///
    /// A slot that is given replaces the whole slot of the other; `"none"` takes it away. Two slots are laid over
    /// key by key: `stop`, where `attempts` and `retries` replace each other, and `on`, where each class is laid
    /// over as a policy is.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an `extends` that names nothing.
    pub fn resolve(&self, policy: Table) -> Result<Table, Error> {
        let mut own = policy;
        let mut table = match own.remove("extends") {
            None => return Ok(own),
            Some(Value::String(name)) => self.named("extends", &name)?,
            Some(other) => return Err(not_a_name("extends", &other)),
        };
        lay::over(&mut table, own);
        Ok(table)
    }

    /// A scenario's table with the policies that it names: `policy = "stripe"`, `policy = ["stripe", "got"]`,
    /// `policy.mine = "stripe"`, or a `policy.mine` that `extends` one.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that isn't there, or anything else than a name where one is expected.
    pub fn resolve_scenario(&self, scenario: &mut Table) -> Result<(), Error> {
        let Some(policies) = scenario.get_mut("policy") else { return Ok(()) };
        match policies {
            Value::String(name) => {
                *policies = Value::Table([(name.clone(), self.value("policy", name)?)].into_iter().collect());
            }
            Value::Array(names) => {
                let mut table = Table::new();
                for (i, name) in names.iter().enumerate() {
                    let field = format!("policy[{i}]");
                    let Value::String(name) = name else { return Err(not_a_name(&field, name)) };
                    if table.insert(name.clone(), self.value(&field, name)?).is_some() {
                        return Err(Error::invalid(field, format!("{name:?}"), "each policy once"));
                    }
                }
                *policies = Value::Table(table);
            }
            Value::Table(table) => {
                for (name, policy) in table.iter_mut() {
                    let field = format!("policy.{name}");
                    match policy {
                        Value::String(other) => *policy = self.value(&field, other)?,
                        Value::Table(own) if own.contains_key("extends") => {
                            *own = self.resolve(std::mem::take(own)).map_err(|error| error.within(&field))?;
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn value(&self, field: &str, name: &str) -> Result<Value, Error> {
        self.named(field, name).map(Value::Table)
    }

    /// A policy's table by name; an error names `field`.
    fn named(&self, field: &str, name: &str) -> Result<Table, Error> {
        let policy = self
            .find(name)
            .ok_or_else(|| Error::invalid(field, format!("{name:?}"), allowed(name, &self.names())))?;
        text::table(policy)
    }
}

fn not_a_name(field: &str, value: &Value) -> Error {
    Error::invalid(field, value, "the name of a policy of the catalogue in quotes")
}

impl Policy {
    /// Reads a policy from TOML and validates it. It may extend one of the bundled catalogue
    /// ([`Catalogue::resolve`]).
    ///
    /// # Errors
    /// [`Error::Shape`] for text of another shape, [`Error::Invalid`] for a value that is not allowed.
    pub fn from_toml(toml: &str) -> Result<Self, Error> {
        let table = text::parse(toml)?;
        let table = if table.contains_key("extends") { Catalogue::bundled().resolve(table)? } else { table };
        let policy: Self = text::read(table)?;
        policy.validate()?;
        Ok(policy)
    }
}
