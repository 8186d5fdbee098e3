//! What a policy does with the server's hint (Retry-After).

use serde::{Deserialize, Serialize};

use super::{
    class::Class,
    delay::{Delay, Memory},
    header::Reads,
};
use crate::{
    draw::Stream,
    error::{Error, in_range},
    span::{Span, Unit},
};

/// Use of the hint that a response carried; a policy without one ignores hints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hint {
    /// How the hint and the policy's own delay are combined.
    #[serde(rename = "use")]
    pub combine: Combine,
    /// What to do with a hint that is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Whether a hint of 0 counts as none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignores_zero: bool,
    /// Only after these classes of errors; after all unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Vec<Class>>,
    /// Whether a failure without a hint gives the call up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether the delays start again as for the first retry after a hint was followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resets_backoff: bool,
    /// How the header is read, where it is given as text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reads: Reads,
}

fn is_default(reads: &Reads) -> bool {
    *reads == Reads::default()
}

/// How a hint `h` and the policy's own delay `d` are combined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Combine {
    /// `d`.
    Ignore,
    /// `h`; the own delay is not drawn.
    Replace,
    /// `max(d, h)`.
    #[serde(alias = "max")]
    Floor,
    /// `max(d, h)` before the first random stage, which then spreads the hint as well.
    FloorBeforeJitter,
    /// `h` moved into `[d + lo, d + hi]`.
    Clamp([Span; 2]),
    /// `h * (lo + (hi - lo) u)`; the own delay is not drawn. `[1, 2]` spreads upwards from the hint.
    Uniform([f64; 2]),
}

/// A limit for hints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// Hints above this are too long.
    pub limit: Span,
    /// What happens to them.
    #[serde(rename = "do")]
    pub then: Then,
}

/// What happens to a hint above the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It counts as the limit.
    Clamp,
    /// It is ignored.
    Ignore,
    /// The call is given up.
    Stop,
}

impl Hint {
    /// Follows every hint, however long.
    #[must_use]
    pub fn new(combine: Combine) -> Self {
        Self {
            combine,
            over: None,
            ignores_zero: false,
            after: None,
            required: false,
            resets_backoff: false,
            reads: Reads::default(),
        }
    }

    /// Refuses a combination that gives no delay.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's name.
    pub fn validate(&self) -> Result<(), Error> {
        match &self.combine {
            Combine::Clamp([lo, hi]) => {
                lo.at_least("use.clamp[0]", Span::ZERO)?;
                hi.at_least("use.clamp[1]", *lo)?;
            }
            Combine::Uniform([lo, hi]) => {
                in_range("use.uniform[0]", *lo, 0.0, f64::MAX)?;
                in_range("use.uniform[1]", *hi, 0.0, f64::MAX)?;
            }
            Combine::Ignore | Combine::Replace | Combine::Floor | Combine::FloorBeforeJitter => {}
        }
        if self.after.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid("after", "[]", "at least one of throttle, timeout, error"));
        }
        self.over.as_ref().map_or(Ok(()), |over| over.limit.at_least("over.limit", Span::ZERO))
    }
}

/// A hint rule with its lengths in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct HintRule {
    combine: Combine,
    clamp: [f64; 2],
    limit: f64,
    then: Then,
    ignores_zero: bool,
    after: [bool; 3],
    pub required: bool,
    pub resets_backoff: bool,
}

impl HintRule {
    pub fn compile(hint: &Hint, unit: Unit) -> Self {
        let clamp = match hint.combine {
            Combine::Clamp(ends) => ends.map(|end| end.in_unit(unit)),
            _ => [0.0; 2],
        };
        let (limit, then) = hint
            .over
            .as_ref()
            .map_or((f64::INFINITY, Then::Ignore), |over| (over.limit.in_unit(unit), over.then));
        let follows = |class| hint.after.as_ref().is_none_or(|classes| classes.contains(&class));
        Self {
            combine: hint.combine.clone(),
            clamp,
            limit,
            then,
            ignores_zero: hint.ignores_zero,
            after: Class::ALL.map(follows),
            required: hint.required,
            resets_backoff: hint.resets_backoff,
        }
    }

    /// Whether the rule is about nothing but the hint itself.
    pub fn is_plain(&self) -> bool {
        !self.ignores_zero && !self.required && !self.resets_backoff && self.after == [true; 3]
    }

    /// The hint, if it counts after `class`.
    pub fn heeds(&self, hint: Option<f64>, class: Class) -> Option<f64> {
        hint.filter(|hint| self.after[class as usize] && !(self.ignores_zero && *hint <= 0.0))
    }

    /// Whether the rule itself may need a random number.
    pub const fn draws(&self) -> bool {
        matches!(self.combine, Combine::Uniform(_))
    }

    /// The delay before retry `n` when the server said `hint`; `None` gives the call up.
    pub fn delay<S: Stream>(
        &self,
        hint: f64,
        own: &Delay,
        n: u32,
        memory: &mut Memory,
        stream: &mut S,
    ) -> Option<f64> {
        let hint = match self.then {
            _ if hint <= self.limit => hint,
            Then::Clamp => self.limit,
            Then::Ignore => return Some(own.before_retry(n, memory, stream)),
            Then::Stop => return None,
        };
        Some(match self.combine {
            Combine::Ignore => own.before_retry(n, memory, stream),
            Combine::Replace => hint,
            Combine::Floor => own.before_retry(n, memory, stream).max(hint),
            Combine::FloorBeforeJitter => own.at_least_before_jitter(hint, n, memory, stream),
            Combine::Clamp(_) => {
                let own = own.before_retry(n, memory, stream);
                hint.clamp(own + self.clamp[0], own + self.clamp[1])
            }
            Combine::Uniform([lo, hi]) => hint * (lo + (hi - lo) * stream.unit()),
        })
    }
}
