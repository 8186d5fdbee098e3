//! Every bundled published number and claim, run again.

use std::collections::HashSet;

use retrysim::published::{Row, Verdict, reproduce};

fn count(rows: &[Row], verdict: Verdict) -> usize {
    rows.iter().filter(|row| row.verdict == verdict).count()
}

/// One test for all, because running everything again is the expensive part.
#[test]
fn every_entry_gives_its_known_verdict() {
    let rows = reproduce(|_| true).unwrap();
    for row in &rows {
        assert_eq!(row.verdict, row.expect, "{}: {} against {}", row.id, row.reproduced, row.published);
    }
    let ids: HashSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((rows.len(), ids.len()), (186, 186), "ids are distinct and none is lost");
    let verdicts = [Verdict::Exact, Verdict::Consistent, Verdict::Contradicted];
    assert_eq!(verdicts.map(|verdict| count(&rows, verdict)), [149, 25, 12]);

    // "It does not hold" convinces nobody without the number that came out instead.
    for row in rows.iter().filter(|row| row.verdict == Verdict::Contradicted) {
        let said = format!("{} {}", row.reproduced, row.note);
        assert!(said.contains(|c: char| c.is_ascii_digit()), "{}: no number in {said:?}", row.id);
    }
    // An exact entry is what was printed, character by character.
    for row in rows.iter().filter(|row| row.verdict == Verdict::Exact) {
        assert_eq!(row.reproduced, row.published, "{}", row.id);
    }
}
