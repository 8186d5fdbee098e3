//! The one error of the core: which field, which value, and what is allowed.

/// What went wrong, said so that the reader can mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A field holds a value that the model does not allow.
    #[error("{field} = {value} is not allowed; allowed: {allowed}")]
    Invalid {
        /// Dotted path of the field, such as `policy.full.delay[1].cap`.
        field: String,
        /// The value as given.
        value: String,
        /// What would be accepted.
        allowed: String,
    },
    /// Text that is not TOML, or TOML of another shape than a scenario.
    #[error("{field}: {message}")]
    Shape {
        /// Dotted path of the field, or `the file` when the text is not TOML at all.
        field: String,
        /// What the reader said.
        message: String,
    },
    /// A name that is not there.
    #[error("no {kind} named {name:?}; there are: {known}")]
    Unknown {
        /// What was looked for: a policy, a metric, a source.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A run that nothing ends in any time that somebody could wait for.
    #[error(
        "{policy} would go on for ever, or nearly so; the limits are {attempts} attempts of one call, {steps} failures \
         and waits of one run, {under_way} attempts under way at once: set a stop rule (attempts, elapsed), a delay \
         above zero, or fewer clients"
    )]
    Endless {
        /// The policy's name.
        policy: String,
        /// Attempts that one call may make.
        attempts: u32,
        /// Failures and waits that one run may have.
        steps: u64,
        /// Attempts of one run that may be under way at once.
        under_way: usize,
    },
    /// Somebody stopped the simulation before all its runs were made.
    #[error("interrupted: this simulation's runs are lost, nothing else is")]
    Interrupted,
}

impl Error {
    /// Shorthand for [`Error::Invalid`].
    pub fn invalid(field: impl Into<String>, value: impl ToString, allowed: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), value: value.to_string(), allowed: allowed.into() }
    }

    /// The same error with `prefix.` before its field.
    #[must_use]
    pub fn within(self, prefix: &str) -> Self {
        match self {
            Self::Invalid { field, value, allowed } => {
                Self::Invalid { field: format!("{prefix}.{field}"), value, allowed }
            }
            other => other,
        }
    }
}

/// `Ok` if `value` is a finite number in `lo..=hi`; else an error that names `field`.
///
/// # Errors
/// [`Error::Invalid`] for NaN, an infinity or a number outside the range.
pub fn in_range(field: &str, value: f64, lo: f64, hi: f64) -> Result<(), Error> {
    if value.is_finite() && (lo..=hi).contains(&value) {
        Ok(())
    } else {
        let allowed = if hi == f64::MAX {
            format!("a finite number, at least {lo}")
        } else if lo == f64::MIN {
            "a finite number".into()
        } else {
            format!("a number from {lo} to {hi}")
        };
        Err(Error::invalid(field, value, allowed))
    }
}
