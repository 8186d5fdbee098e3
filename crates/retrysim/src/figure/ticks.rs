//! Ticks at round numbers: steps of 1, 2 or 5 times a power of ten, on linear and logarithmic axes.

use super::label::number;
use super::model::{Axis, Scale, Ticks};

/// A position on an axis and its words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// The ticks of an axis between `low` and `high`, about `want` of them and never more than `want + 1`.
pub(super) fn ticks(axis: &Axis, low: f64, high: f64, want: usize) -> Vec<Tick> {
    match (&axis.ticks, axis.scale) {
        (Ticks::Named(named), _) => named_ticks(named, low, high, want),
        (Ticks::Auto, Scale::Linear) => linear_ticks(low, high, want),
        (Ticks::Auto, Scale::Log10) => log_ticks(low, high, want),
    }
}

/// Every name, or every second, third, ... when they are too many.
fn named_ticks(named: &[(f64, String)], low: f64, high: f64, want: usize) -> Vec<Tick> {
    let shown: Vec<_> = named.iter().filter(|(at, _)| *at >= low && *at <= high).collect();
    let every = shown.len().div_ceil(want.max(1)).max(1);
    shown.iter().step_by(every).map(|(at, label)| Tick { at: *at, label: label.clone() }).collect()
}

/// Multiples of the smallest round step that gives at most `want` intervals.
pub(super) fn linear_ticks(low: f64, high: f64, want: usize) -> Vec<Tick> {
    let step = round_up((high - low) / want.max(1) as f64);
    if !(step.is_finite() && step > 0.0) {
        return vec![Tick { at: low, label: number(low, 3) }];
    }
    let digits = (-libm::log10(step).floor()).clamp(0.0, 12.0) as usize;
    let is_plain = step >= 1e-5 && low.abs().max(high.abs()) < 1e9;
    let label = |at: f64| {
        if is_plain { number(at, digits) } else { power_label(at) }
    };
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    let count = (last - first).clamp(0.0, 64.0) as usize;
    (0..=count).map(|i| (first + i as f64) * step).map(|at| Tick { at, label: label(at) }).collect()
}

/// The smallest of 1, 2, 5, 10 times a power of ten that is at least `raw`.
pub(super) fn round_up(raw: f64) -> f64 {
    let power = libm::pow(10.0, libm::log10(raw).floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= raw * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// The densest of 1-2-5, decades, every 2nd, 3rd, ... decade with at most `want` ticks. A range too short for
/// three of them (say 300 to 450) gets the round numbers of a linear axis.
pub(super) fn log_ticks(low: f64, high: f64, want: usize) -> Vec<Tick> {
    let dense = log_values(low, high, &[1.0, 2.0, 5.0], 1);
    if dense.len() < 3 {
        return linear_ticks(low, high, want.min(6)).into_iter().filter(|tick| tick.at > 0.0).collect();
    }
    let choices = std::iter::once(dense).chain((1..=400).map(|every| log_values(low, high, &[1.0], every)));
    let values = choices.into_iter().find(|values| values.len() <= want.max(2)).unwrap_or_default();
    values.into_iter().map(|at| Tick { at, label: log_label(at) }).collect()
}

fn log_values(low: f64, high: f64, factors: &[f64], every: i32) -> Vec<f64> {
    let (first, last) = (libm::log10(low).floor() as i32, libm::log10(high).ceil() as i32);
    (first..=last)
        .filter(|power| power.rem_euclid(every) == 0)
        .flat_map(|power| factors.iter().map(move |factor| decade(*factor, power)))
        .filter(|value| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9))
        .collect()
}

/// `factor` x 10^`power`, written so that 0.1 is 0.1.
fn decade(factor: f64, power: i32) -> f64 {
    if power < 0 {
        factor / libm::pow(10.0, f64::from(-power))
    } else {
        factor * libm::pow(10.0, f64::from(power))
    }
}

/// Plain digits from 0.0001 to 999,999, then powers of ten.
fn log_label(value: f64) -> String {
    if (1e-4..1e6).contains(&value) { number(value, 5) } else { power_label(value) }
}

/// `2×10⁷`, `10⁻⁶`, `0`.
fn power_label(value: f64) -> String {
    if value == 0.0 {
        return number(value, 0);
    }
    let power = (libm::log10(value.abs()) + 1e-9).floor() as i32;
    let factor = number(value / libm::pow(10.0, f64::from(power)), 3);
    let lead = if factor == "1" { String::new() } else { format!("{factor}\u{d7}") };
    format!("{lead}10{}", superscript(power))
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    power.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_bare() {
        assert_eq!(labels(&linear_ticks(0.0, 1050.0, 5)), ["0", "500", "1,000"]);
        assert_eq!(labels(&linear_ticks(0.0, 1.0, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&linear_ticks(-1.0, 1.0, 4)), ["\u{2212}1", "\u{2212}0.5", "0", "0.5", "1"]);
        assert_eq!(labels(&linear_ticks(0.0, 0.003, 3)), ["0", "0.001", "0.002", "0.003"]);
    }

    #[test]
    fn huge_and_tiny_numbers_are_powers() {
        assert_eq!(labels(&linear_ticks(0.0, 2e9, 2)), ["0", "10⁹", "2×10⁹"]);
        assert_eq!(labels(&linear_ticks(0.0, 1e-6, 2)), ["0", "5×10⁻⁷", "10⁻⁶"]);
    }

    #[test]
    fn linear_ticks_survive_strange_ranges() {
        assert_eq!(linear_ticks(3.0, 3.0, 5).len(), 1);
        assert!(linear_ticks(1e12, 1e12 + 1.0, 5).len() <= 6);
        assert!(linear_ticks(0.0, 1e-300, 5).len() <= 66);
    }

    #[test]
    fn log_ticks_are_125_or_decades() {
        assert_eq!(labels(&log_ticks(10.0, 190.0, 8)), ["10", "20", "50", "100"]);
        assert_eq!(labels(&log_ticks(20.0, 20_000.0, 6)), ["100", "1,000", "10,000"]);
        assert_eq!(labels(&log_ticks(0.001, 10.0, 6)), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&log_ticks(1.0, 1e8, 5)), ["1", "100", "10,000", "10⁶", "10⁸"]);
        assert_eq!(labels(&log_ticks(300.0, 450.0, 4)), ["300", "350", "400", "450"]);
        assert_eq!(labels(&log_ticks(1e-9, 1e-5, 3)), ["10⁻⁸", "10⁻⁶"]);
    }

    #[test]
    fn too_many_names_are_thinned() {
        let axis = Axis::categories("retry", (1..=20).map(|n| n.to_string()));
        assert_eq!(labels(&ticks(&axis, -0.5, 19.5, 7)), ["1", "4", "7", "10", "13", "16", "19"]);
    }
}
