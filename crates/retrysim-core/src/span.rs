//! Lengths of time: whole nanoseconds in data, `f64` in a scenario's own unit inside kernels.
//!
//! A published program that counted in milliseconds is replayed in milliseconds: another unit would
//! change the last bit of its products.

use std::{fmt, str::FromStr, time::Duration};

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::Error;

/// A length of time in whole nanoseconds; written `"50ms"`, `"1.5s"` or `"2m 30s"` in TOML.
///
/// Signed, so that a negative duration can be read and refused by the field that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of whole nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// A span of whole milliseconds (saturating).
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// A span of whole seconds (saturating).
    #[must_use]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// Whole nanoseconds.
    #[must_use]
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Length in `unit`, correctly rounded for spans below 104 days.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "spans above 2^53 ns lose nanoseconds, not meaning")]
    pub fn in_unit(self, unit: Unit) -> f64 {
        self.0 as f64 / unit.nanos()
    }

    /// Length in seconds.
    #[must_use]
    pub fn secs(self) -> f64 {
        self.in_unit(Unit::S)
    }

    /// Refuses a span below `least`, in the name of `field`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the span is shorter than `least`.
    pub fn at_least(self, field: &str, least: Self) -> Result<(), Error> {
        if self >= least {
            Ok(())
        } else if least == Self::ZERO {
            Err(Error::invalid(field, self, "a duration of 0 or more"))
        } else {
            Err(Error::invalid(field, self, format!("a duration of {least} or more")))
        }
    }
}

impl From<Duration> for Span {
    /// Whole nanoseconds of `duration`, saturating at 292 years.
    fn from(duration: Duration) -> Self {
        Self(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{:#}", SignedDuration::from_nanos(self.0).abs())
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let duration: SignedDuration = text.parse().map_err(|_| {
            format!("{text:?} is not a duration; allowed: text such as \"50ms\", \"1.5s\", \"2m\"")
        })?;
        i64::try_from(duration.as_nanos())
            .map(Self)
            .map_err(|_| format!("{text:?} is too long; allowed: at most 292 years"))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Span;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration in quotes such as \"50ms\", \"1.5s\" or \"2m\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The unit in which a scenario's kernel counts time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Seconds.
    #[default]
    S,
    /// Milliseconds.
    Ms,
}

impl Unit {
    /// Nanoseconds in one unit.
    #[must_use]
    pub const fn nanos(self) -> f64 {
        match self {
            Self::S => 1e9,
            Self::Ms => 1e6,
        }
    }

    /// `time`, counted in this unit, in seconds.
    #[must_use]
    pub fn to_secs(self, time: f64) -> f64 {
        match self {
            Self::S => time,
            Self::Ms => time / 1e3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_durations() {
        for (text, nanos) in
            [("50ms", 50_000_000), ("1.5s", 1_500_000_000), ("51.2us", 51_200), ("-5s", -5_000_000_000)]
        {
            let span: Span = text.parse().expect(text);
            assert_eq!(span.nanos(), nanos, "{text}");
            assert_eq!(span.to_string().parse::<Span>(), Ok(span), "{text} as {span}");
        }
        assert!("".parse::<Span>().is_err());
        assert!("20".parse::<Span>().is_err());
        assert!("1000y".parse::<Span>().is_err());
    }

    #[test]
    fn converts_without_an_extra_rounding() {
        assert_eq!(Span::from_millis(100).in_unit(Unit::S).to_bits(), 0.1_f64.to_bits());
        assert_eq!(Span::from_millis(10).in_unit(Unit::S).to_bits(), 0.01_f64.to_bits());
        assert_eq!(Span::from_millis(100).in_unit(Unit::Ms).to_bits(), 100_f64.to_bits());
    }
}
