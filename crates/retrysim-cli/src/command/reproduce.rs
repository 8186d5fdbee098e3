//! `retrysim reproduce`

use anyhow::{Result, bail};
use retrysim::published::{Listed, Row, Verdict, reproduce as run_again};
use serde_json::Value;

use crate::{
    Answer,
    cli::{Format, Reproduce},
    grid::Grid,
};

pub fn reproduce(args: &Reproduce) -> Result<Answer> {
    let wanted = |entry: Listed<'_>| {
        args.id.as_ref().is_none_or(|glob| matches(glob, entry.id))
            && args
                .source
                .as_ref()
                .is_none_or(|name| entry.document == name || entry.source.contains(name.as_str()))
    };
    let rows = run_again(wanted)?;
    if rows.is_empty() {
        let documents: Vec<&str> = retrysim::bundled::PUBLISHED.iter().map(|(name, _)| *name).collect();
        bail!(
            "no entry matches; documents: {}; all ids: retrysim reproduce --format csv",
            documents.join(", ")
        );
    }
    let text = if args.format == Format::Table {
        for_reading(&rows)?
    } else {
        all_columns(&rows).print(args.format)?
    };
    Ok(Answer { text, passed: rows.iter().all(|row| row.verdict == row.expect) })
}

fn all_columns(rows: &[Row]) -> Grid {
    let mut grid = Grid::new([
        "id",
        "source",
        "published",
        "reproduced",
        "kind",
        "verdict",
        "expected",
        "unit",
        "where",
        "note",
    ]);
    for row in rows {
        grid.push(
            [
                row.id.as_str(),
                &row.source,
                &row.published,
                &row.reproduced,
                row.kind.name(),
                row.verdict.name(),
                row.expect.name(),
                &row.unit,
                &row.place,
                &row.note,
            ]
            .map(Value::from)
            .to_vec(),
        );
    }
    grid
}

/// One table a document, and the sum of verdicts.
fn for_reading(rows: &[Row]) -> Result<String> {
    let mut text = String::new();
    for document in rows.chunk_by(|a, b| a.document == b.document) {
        let mut grid = Grid::new(["id", "published", "reproduced", "verdict", "note"]);
        for row in document {
            let with_unit = |value: &str| format!("{value} {}", row.unit).trim_end().to_owned();
            let verdict = if row.verdict == row.expect {
                row.verdict.name().to_owned()
            } else {
                format!("{} (expected {})", row.verdict.name(), row.expect.name())
            };
            let reproduced = if row.kind == retrysim::published::Kind::Claim {
                row.reproduced.clone()
            } else {
                with_unit(&row.reproduced)
            };
            let cells = [row.id.clone(), with_unit(&row.published), reproduced, verdict, row.note.clone()];
            grid.push(cells.map(Value::from).to_vec());
        }
        text +=
            &format!("{} ({})\n\n{}\n", document[0].document, document[0].source, grid.print(Format::Table)?);
    }
    Ok(text + &summary(rows))
}

fn summary(rows: &[Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let unexpected: Vec<&str> =
        rows.iter().filter(|row| row.verdict != row.expect).map(|row| row.id.as_str()).collect();
    let end = if unexpected.is_empty() {
        "every verdict as expected".to_owned()
    } else {
        format!("NOT as expected: {}", unexpected.join(", "))
    };
    format!(
        "{} numbers and claims: {} exact, {} consistent, {} contradicted; {end}\n",
        rows.len(),
        count(Verdict::Exact),
        count(Verdict::Consistent),
        count(Verdict::Contradicted)
    )
}

/// Whether `text` matches a pattern of literal characters, `?` and `*`.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                g += 1;
                t += 1;
            }
            _ => match star {
                // Let the last star take one more character.
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs() {
        for (glob, text, expected) in [
            ("herd.*.finish_mean", "herd.full.finish_mean", true),
            ("herd.*", "herd_spread.full.x", false),
            ("*mean", "herd.full.finish_mean", true),
            ("herd.ful?.finish_mean", "herd.full.finish_mean", true),
            ("herd", "herd.full", false),
            ("*a*b", "aab", true),
            ("", "", true),
        ] {
            assert_eq!(matches(glob, text), expected, "{glob} on {text}");
        }
    }
}
