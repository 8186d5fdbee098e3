//! Names for people: `fixed_1s` is shown as `fixed 1 s`, 12345.0 as `12,345`.

const POLICIES: [(&str, &str); 13] = [
    ("none", "no backoff"),
    ("full", "full jitter"),
    ("equal", "equal jitter"),
    ("decorrelated", "decorrelated jitter"),
    ("exponential", "exponential, no jitter"),
    ("exponential_cap_300s", "exponential, cap 300 s"),
    ("proportional_10pct", "proportional \u{b1}10 %"),
    ("proportional_25pct", "proportional \u{b1}25 %"),
    ("attempts_4", "4 attempts"),
    ("grpc_throttling", "gRPC throttling"),
    ("ratio_10pct", "budget ratio 10 %"),
    ("retry_after_floor_1_2x", "Retry-After \u{d7} 1 to 2"),
    ("retry_after_full_jitter", "Retry-After, full jitter"),
];

/// How a policy or series is called in a figure. Known policies have a fixed label; other identifiers lose
/// their underscores and get a space before units; anything that is no identifier stays as it is.
///
/// ```
/// # use retrysim::figure::label_of;
/// assert_eq!(label_of("fixed_1s"), "fixed 1 s");
/// assert_eq!(label_of("budget_20pct"), "budget 20 %");
/// assert_eq!(label_of("M/M/1, exact"), "M/M/1, exact");
/// ```
pub fn label_of(name: &str) -> String {
    if let Some((_, label)) = POLICIES.iter().find(|(known, _)| *known == name) {
        return (*label).to_owned();
    }
    if !is_identifier(name) {
        return name.to_owned();
    }
    if let Some(rest) = name.strip_prefix("retry_after_") {
        return format!("Retry-After {}", words(rest));
    }
    words(name)
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn words(name: &str) -> String {
    name.split('_').filter(|word| !word.is_empty()).map(word_with_unit).collect::<Vec<_>>().join(" ")
}

/// `10pct` becomes `10 %`, `300s` becomes `300 s`; other words stay.
fn word_with_unit(word: &str) -> String {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = word.split_at(digits);
    match unit {
        _ if number.is_empty() => word.to_owned(),
        "pct" => format!("{number} %"),
        "ms" | "s" | "us" | "min" | "h" => format!("{number} {unit}"),
        "x" => format!("{number}\u{d7}"),
        _ => word.to_owned(),
    }
}

/// A number with as many decimals as `digits` at most, without trailing zeros, with commas every three digits.
pub(super) fn number(value: f64, digits: usize) -> String {
    let fixed = format!("{:.*}", digits, value.abs());
    let (whole, fraction) = fixed.split_once('.').unwrap_or((&fixed, ""));
    let fraction = fraction.trim_end_matches('0');
    let zero = whole == "0" && fraction.is_empty();
    let sign = if value < 0.0 && !zero { "\u{2212}" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", grouped(whole))
}

/// Digits with commas every three.
pub(crate) fn grouped(whole: &str) -> String {
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with three significant digits at most.
pub(super) fn short(value: f64) -> String {
    number(value, decimals(value))
}

/// Numbers that stand side by side: three significant digits with their zeros, or bare when all are whole.
pub(super) fn alike(values: &[f64]) -> Vec<String> {
    let whole = values.iter().all(|value| value.fract() == 0.0);
    let one = |value: &f64| {
        if whole { number(*value, 0) } else { full(*value) }
    };
    values.iter().map(one).collect()
}

/// Numbers in a column: as many decimals as the largest needs for three significant digits, or [`alike`] when
/// small ones would lose theirs.
pub(super) fn aligned(values: &[f64]) -> Vec<String> {
    let sizes = || values.iter().map(|value| value.abs()).filter(|size| *size > 0.0);
    let (smallest, largest) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let digits = decimals(largest);
    let is_whole = values.iter().all(|value| value.fract() == 0.0);
    if is_whole || digits == 0 || smallest < largest / 20.0 {
        return alike(values);
    }
    values.iter().map(|value| with_zeros(number(*value, digits), digits)).collect()
}

/// Like [`short`], with trailing zeros: 2.10.
fn full(value: f64) -> String {
    let digits = if value == 0.0 { 0 } else { decimals(value) };
    with_zeros(short(value), digits)
}

/// Fills up to this many decimals.
fn with_zeros(text: String, digits: usize) -> String {
    let shown = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let point = if shown == 0 && digits > 0 { "." } else { "" };
    format!("{text}{point}{}", "0".repeat(digits.saturating_sub(shown)))
}

/// Decimals that make three significant digits.
fn decimals(value: f64) -> usize {
    let magnitude = if value == 0.0 { 0.0 } else { libm::log10(value.abs()).floor() };
    (2.0 - magnitude).clamp(0.0, 12.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_no_trailing_zeros() {
        assert_eq!(number(1000.0, 1), "1,000");
        assert_eq!(number(1234567.0, 0), "1,234,567");
        assert_eq!(number(0.250, 3), "0.25");
        assert_eq!(number(-2.0, 1), "\u{2212}2");
        assert_eq!(number(-0.0, 1), "0");
        assert_eq!(number(0.5, 0), "0");
    }

    #[test]
    fn short_numbers_keep_three_digits() {
        assert_eq!(short(1234.4), "1,234");
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(0.012345), "0.0123");
        assert_eq!(short(0.0), "0");
    }

    #[test]
    fn numbers_side_by_side_look_alike() {
        assert_eq!(alike(&[2.1, 2.0, 11.0, 0.0, 1234.5]), ["2.10", "2.00", "11.0", "0", "1,234"]);
        assert_eq!(alike(&[21.0, 1000.0]), ["21", "1,000"]);
        assert_eq!(aligned(&[1.2, 0.31, -0.5]), ["1.20", "0.31", "\u{2212}0.50"]);
        assert_eq!(aligned(&[99.6, 0.0123]), ["99.6", "0.0123"]);
    }

    #[test]
    fn names_read_as_words() {
        assert_eq!(label_of("fixed_5s"), "fixed 5 s");
        assert_eq!(label_of("retry_after_ignored"), "Retry-After ignored");
        assert_eq!(label_of("proportional_10pct"), "proportional \u{b1}10 %");
        assert_eq!(label_of("Own name"), "Own name");
    }
}
