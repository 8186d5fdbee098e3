//! What a client makes of the text of a Retry-After header.

use jiff::{Timestamp, civil, fmt::rfc2822, tz::TimeZone};
use serde::{Deserialize, Serialize};

use crate::span::Span;

/// How a header is read. The forms are tried in order; the first that fits gives the hint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reads {
    /// Forms that are understood.
    #[serde(default = "seconds_or_date")]
    pub forms: Vec<Form>,
    /// What a date in the past or a number below 0 means.
    #[serde(default = "none")]
    pub past: Odd,
    /// What any other text means.
    #[serde(default = "none")]
    pub junk: Odd,
}

/// A form of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Whole seconds: `120`.
    Seconds,
    /// Seconds with a fraction: `0.2`; `inf` is longer than any limit, as in Python.
    Fraction,
    /// Whole milliseconds: `1500`.
    Millis,
    /// An HTTP date (RFC 9110): `Wed, 21 Oct 2026 07:28:00 GMT`.
    Date,
    /// Seconds since 1970.
    Epoch,
    /// The number that a text begins with, as JavaScript's `parseFloat` reads it: `2026-12-01` is 2026 seconds.
    LeadingNumber,
}

/// What a header means that names no moment to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Odd {
    /// As if there were no header.
    NoHint,
    /// A hint of 0.
    Now,
    /// A timer of one millisecond.
    OneMillisecond,
    /// The call is given up.
    Stop,
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Wait this long.
    Wait(Span),
    /// Nothing that counts.
    Nothing,
    /// Give up.
    Stop,
}

fn seconds_or_date() -> Vec<Form> {
    vec![Form::Seconds, Form::Date]
}

const fn none() -> Odd {
    Odd::NoHint
}

impl Default for Reads {
    fn default() -> Self {
        Self { forms: seconds_or_date(), past: none(), junk: none() }
    }
}

impl Reads {
    /// What `header` says at `now`.
    ///
    /// ```
    /// use retrysim_core::{Span, policy::header::{Reads, Said}};
    ///
    /// let now = "2026-11-30T12:00:00Z".parse().unwrap();
    /// let reads = Reads::default();
    /// assert_eq!(reads.read("120", now), Said::Wait(Span::from_secs(120)));
    /// assert_eq!(reads.read("Mon, 30 Nov 2026 12:01:00 GMT", now), Said::Wait(Span::from_secs(60)));
    /// assert_eq!(reads.read("soon", now), Said::Nothing);
    /// ```
    #[must_use]
    pub fn read(&self, header: &str, now: Timestamp) -> Said {
        let header = header.trim();
        let nanos = self.forms.iter().find_map(|form| form.nanos(header, now));
        match nanos {
            Some(nanos) if nanos < 0.0 => self.past.said(),
            #[expect(clippy::cast_possible_truncation, reason = "saturates at 292 years")]
            Some(nanos) => Said::Wait(Span::from_nanos(nanos.round() as i64)),
            None => self.junk.said(),
        }
    }
}

impl Odd {
    const fn said(self) -> Said {
        match self {
            Self::NoHint => Said::Nothing,
            Self::Now => Said::Wait(Span::ZERO),
            Self::OneMillisecond => Said::Wait(Span::from_millis(1)),
            Self::Stop => Said::Stop,
        }
    }
}

impl Form {
    /// Nanoseconds from `now` on, if the header has this form.
    fn nanos(self, header: &str, now: Timestamp) -> Option<f64> {
        let whole = || header.parse::<i64>().ok().map(to_f64);
        match self {
            Self::Seconds => whole().map(|secs| secs * 1e9),
            Self::Millis => whole().map(|millis| millis * 1e6),
            Self::Fraction => header.parse().ok().filter(|secs: &f64| !secs.is_nan()).map(|secs| secs * 1e9),
            Self::Epoch => whole().map(|secs| (secs - to_f64(now.as_second())) * 1e9),
            Self::Date => http_date(header).map(|at| to_f64(at.as_second() - now.as_second()) * 1e9),
            Self::LeadingNumber => leading_number(header).map(|secs| secs * 1e9),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "seconds and milliseconds far below 2^53")]
const fn to_f64(number: i64) -> f64 {
    number as f64
}

/// The three forms of RFC 9110: IMF-fixdate, RFC 850 and asctime.
fn http_date(text: &str) -> Option<Timestamp> {
    let of = |format: &str| {
        let date = civil::DateTime::strptime(format, text).ok()?;
        TimeZone::UTC.to_timestamp(date).ok()
    };
    rfc2822::parse(text)
        .ok()
        .map(|zoned| zoned.timestamp())
        .or_else(|| of("%A, %d-%b-%y %H:%M:%S GMT"))
        .or_else(|| of("%a %b %e %H:%M:%S %Y"))
}

/// The longest beginning of a text that is a number.
fn leading_number(text: &str) -> Option<f64> {
    let ends = (1..=text.len().min(40)).rev().filter(|end| text.is_char_boundary(*end));
    ends.filter_map(|end| text[..end].parse::<f64>().ok()).find(|number| number.is_finite())
}
