//! What policies of libraries make of situations that an on-call engineer would name, as text that is kept: a change
//! of any figure is seen in review.
//!
//! To keep new ones: `cargo run --release -- matrix > tests/golden/report.md`. A change that alters them is
//! *value-breaking*.

use retrysim::{matrix::Matrix, unwatched};

#[test]
fn every_cell_is_as_kept() {
    let kept = include_str!("report.md");
    let matrix = Matrix::bundled().unwrap();
    let cells = matrix.cells(None, &unwatched).unwrap();
    assert!(cells.len() >= 12 * 25, "{} pairs of situation and policy", cells.len());
    let report = matrix.document(&cells);
    let differences: Vec<String> = kept
        .lines()
        .zip(report.lines())
        .filter(|(kept, now)| kept != now)
        .map(|(kept, now)| format!("kept: {kept}\nnow:  {now}"))
        .collect();
    assert_eq!(kept.lines().count(), report.lines().count(), "another number of lines");
    assert!(differences.is_empty(), "{} lines differ:\n{}", differences.len(), differences.join("\n"));
}

/// A gain that no policy can have: no more requests arrive than attempts were made, and no more calls succeed than
/// were begun.
#[test]
fn what_cannot_be_is_not_kept() {
    let rows = include_str!("report.md").lines().filter(|line| line.contains(" % |"));
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let success: f64 = cells[2].trim_end_matches(" %").parse().unwrap();
        let requests: f64 = cells[3].parse().unwrap();
        assert!((0.0..=100.0).contains(&success), "{row}");
        assert!(requests >= success / 100.0 - 1e-9, "{row}");
    }
}
