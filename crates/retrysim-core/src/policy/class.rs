//! Classes of errors: what a caller can tell of why an attempt failed.

use serde::{Deserialize, Serialize};

use super::{
    Policy,
    hint::Hint,
    stage::{Stage, validate_all},
    stop::Stop,
};
use crate::error::Error;

/// Why an attempt failed, as far as its caller can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The service said that it is asked too much (429, 503 with a hint, a full queue).
    Throttle,
    /// No answer came in time.
    Timeout,
    /// Anything else: the service is down, broke, or lost a race.
    #[default]
    Error,
}

impl Class {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Throttle, Self::Timeout, Self::Error];

    /// The name used in policies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throttle => "throttle",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }
}

/// What a policy does differently for some classes of errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByClass {
    /// After [`Class::Throttle`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Override>,
    /// After [`Class::Timeout`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Override>,
    /// After [`Class::Error`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Override>,
}

/// What replaces the policy's own after one class of errors; what isn't given stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// `false` gives the call up at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    /// Stages of the delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Vec<Stage>>,
    /// When a call is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Use of the server's hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
}

impl ByClass {
    /// Whether nothing is different.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is different after `class`.
    #[must_use]
    pub const fn of(&self, class: Class) -> Option<&Override> {
        match class {
            Class::Throttle => self.throttle.as_ref(),
            Class::Timeout => self.timeout.as_ref(),
            Class::Error => self.error.as_ref(),
        }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        Class::ALL.into_iter().try_for_each(|class| {
            self.of(class).map_or(Ok(()), |own| own.validate().map_err(|error| error.within(class.name())))
        })
    }
}

impl Policy {
    /// The policy that is followed after `class`: what is different then in place of its own. `None` if such errors
    /// are not retried.
    ///
    /// ```
    /// use retrysim_core::{Catalogue, policy::class::Class};
    ///
    /// let policy = Catalogue::bundled().policy("aws-standard-2.1")?;
    /// let throttled = policy.after(Class::Throttle).expect("it is retried");
    /// assert_ne!(throttled.delay, policy.delay);
    /// assert_eq!(throttled.budget, policy.budget);
    /// # Ok::<(), retrysim_core::Error>(())
    /// ```
    #[must_use]
    pub fn after(&self, class: Class) -> Option<Self> {
        let Override { retry, delay, stop, hint } = self.on.of(class).cloned().unwrap_or_default();
        let own = self.clone();
        (retry != Some(false)).then(|| Self {
            delay: delay.unwrap_or(own.delay),
            stop: stop.unwrap_or(own.stop),
            hint: hint.or(own.hint),
            ..own
        })
    }
}

impl Override {
    fn validate(&self) -> Result<(), Error> {
        if let Some(delay) = &self.delay {
            super::begins_with_a_source(delay)?;
            validate_all(delay, "delay")?;
        }
        if let Some(stop) = &self.stop {
            stop.validate().map_err(|error| error.within("stop"))?;
        }
        self.hint.as_ref().map_or(Ok(()), |hint| hint.validate().map_err(|error| error.within("hint")))
    }
}
