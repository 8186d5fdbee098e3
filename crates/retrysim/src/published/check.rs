//! Runs one entry again and judges it.

use super::{Entry, Kind, Row, Verdict};
use crate::{
    error::Error,
    expression::{Expression, Resolve},
};

pub(super) fn check(
    entry: &Entry,
    source: &str,
    document: &str,
    resolve: &mut dyn Resolve,
) -> Result<Row, Error> {
    let reproduced = fill_in(&entry.reproduced, resolve)?;
    let note = fill_in(&entry.note, resolve)?;
    let mut holds = true;
    for statement in &entry.holds {
        holds &= Expression::parse(statement)?.holds(resolve)?;
    }
    if let (Some(measure), Some([low, high])) = (&entry.measure, entry.interval) {
        let number = Expression::parse(measure)?.number(resolve)?;
        holds &= low <= number && number <= high;
    }
    let verdict = match entry.kind {
        Kind::Exact if holds && reproduced == entry.printed => Verdict::Exact,
        Kind::Consistent | Kind::Claim if holds => Verdict::Consistent,
        _ => Verdict::Contradicted,
    };
    let note = match entry.interval {
        Some([low, high]) => format!("allowed {low} to {high}: {note}"),
        None => note,
    };
    Ok(Row {
        id: entry.id.clone(),
        source: source.to_owned(),
        document: document.to_owned(),
        published: entry.printed.clone(),
        reproduced,
        kind: entry.kind,
        verdict,
        expect: entry.expect,
        unit: entry.unit.clone(),
        place: entry.place.clone(),
        note,
    })
}

/// Replaces every `{expression:.digits}` by its value; a missing value reads "unfinished".
fn fill_in(template: &str, resolve: &mut dyn Resolve) -> Result<String, Error> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, after)) = after.split_once('}') else {
            let message = "'{' without '}'".into();
            return Err(Error::Expression { expression: template.to_owned(), message });
        };
        let (expression, digits) = inside.rsplit_once(":.").unwrap_or((inside, "0"));
        let digits: usize = digits.parse().unwrap_or(0).min(17);
        let number = Expression::parse(expression)?.number(resolve)?;
        text.push_str(before);
        if number.is_nan() {
            text.push_str("unfinished");
        } else {
            text.push_str(&format!("{number:.digits$}"));
        }
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}
