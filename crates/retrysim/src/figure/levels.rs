//! Levels over time: tokens in a bucket, requests in flight.

use super::arrivals::outage_label;
use super::layer::Layer;
use super::model::{Axis, Figure, Panel};

/// The level of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Policy or series: decides label and colour.
    pub name: String,
    /// Time in seconds and the level from then on, by rising time.
    pub changes: Vec<(f64, f64)>,
}

/// What [`levels`] draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// End of the time shown, in seconds; every level lasts until then.
    pub end_s: f64,
    /// Start and end of the outage in seconds.
    pub outage_s: Option<(f64, f64)>,
    /// Levels that mean something, with words: a full bucket, the mark below which retries stop.
    pub marks: Vec<(f64, String)>,
    /// The levels.
    pub levels: Vec<Level>,
}

/// Step lines over time in seconds: a level holds until its next change. The y axis says what is counted.
///
/// ```
/// # use retrysim::figure;
/// use figure::{levels, Axis, Level, Levels};
///
/// let level = Level { name: "grpc_throttling".into(), changes: vec![(0.0, 10.0), (1.0, 4.0)] };
/// let data = Levels { end_s: 5.0, outage_s: None, marks: vec![(5.0, "retries stop".into())], levels: vec![level] };
/// assert!(levels("Tokens", Axis::linear("tokens", ""), &data).check().is_ok());
/// ```
pub fn levels(title: &str, y: Axis, data: &Levels) -> Figure {
    let outage = data.outage_s.map(|(x0, x1)| Layer::Band { x0, x1, label: outage_label(x0, x1) });
    let marks = data.marks.iter().map(|(y, label)| Layer::HLine { y: *y, label: label.clone() });
    let lines = data.levels.iter().map(|level| Layer::Line {
        name: level.name.clone(),
        points: held(&level.changes, data.end_s),
        dashed: false,
        marked: false,
    });
    let layers = outage.into_iter().chain(marks).chain(lines).collect();
    let start = data.levels.iter().filter_map(|level| level.changes.first()).map(|change| change.0);
    let start = start.fold(f64::INFINITY, f64::min);
    let x = Axis::linear("time", "s");
    let x = if start < data.end_s { x.between(start, data.end_s) } else { x };
    Figure::new(title, x, y, vec![Panel { layers, ..Panel::default() }])
}

/// Corners of the step line.
fn held(changes: &[(f64, f64)], end_s: f64) -> Vec<(f64, f64)> {
    let ends = changes.iter().skip(1).map(|change| change.0).chain([end_s]);
    changes
        .iter()
        .zip(ends)
        .flat_map(|(&(start, level), end)| [(start, level), (end.max(start), level)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_holds_until_its_next_change() {
        assert_eq!(held(&[(0.0, 10.0), (1.0, 4.0)], 5.0), [(0.0, 10.0), (1.0, 10.0), (1.0, 4.0), (5.0, 4.0)]);
    }
}
