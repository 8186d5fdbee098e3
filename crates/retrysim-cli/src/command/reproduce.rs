//! `retrysim reproduce`

use anyhow::{Result, bail};
use retrysim::{
    Manifest, Request, export,
    frame::{Cells, column, of_columns, verdicts},
    published::{Kind, Listed, Row, Verdict, reproduce as run_again},
    request::{Job, Output, Product},
};

use crate::{
    Answer,
    cli::{Format, Reproduce},
    show,
};

pub fn reproduce(args: &Reproduce) -> Result<Answer> {
    let wanted = |entry: Listed<'_>| {
        args.id.as_ref().is_none_or(|glob| matches(glob, entry.id))
            && args.source.as_ref().is_none_or(|name| is_named(name, entry))
    };
    let rows = run_again(wanted)?;
    if rows.is_empty() {
        let documents: Vec<&str> = retrysim::bundled::PUBLISHED.iter().map(|(name, _)| *name).collect();
        bail!(
            "no entry matches; documents: {}; all ids: retrysim reproduce --format csv",
            documents.join(", ")
        );
    }
    let passed = rows.iter().all(|row| row.verdict == row.expect);
    if let Some(path) = &args.out.output {
        let ids = rows.iter().map(|row| row.id.clone()).collect();
        let request = Request { job: Job::Reproduce { ids }, product: Product::Verdicts };
        export::save(&Output::Frame(verdicts(&rows)?), &Manifest::new(request), path)?;
        return Ok(Answer { text: String::new(), passed });
    }
    let text = match args.out.format {
        Format::Table => for_reading(&rows)?,
        format => show::print(&verdicts(&rows)?, format)?,
    };
    Ok(Answer { text, passed })
}

/// A document goes by its file's name, or by part of its identifier (or a file name that begins with it).
fn is_named(name: &str, entry: Listed<'_>) -> bool {
    entry.document.contains(name) || entry.source.contains(name) || name.starts_with(entry.source)
}

/// One table a document, and the sum of verdicts.
fn for_reading(rows: &[Row]) -> Result<String> {
    let mut text = String::new();
    for document in rows.chunk_by(|a, b| a.document == b.document) {
        let cells = |get: &dyn Fn(&Row) -> String| Cells::Text(document.iter().map(get).collect());
        let frame = of_columns(vec![
            column("id", cells(&|row| row.id.clone())),
            column("published", cells(&|row| with_unit(&row.published, row))),
            column("reproduced", cells(&|row| with_unit(&row.reproduced, row))),
            column("verdict", cells(&verdict)),
            column("note", cells(&|row| row.note.clone())),
        ])?;
        text += &format!("{} ({})\n\n{}\n", document[0].document, document[0].source, show::table(&frame));
    }
    Ok(text + &summary(rows))
}

fn with_unit(value: &str, row: &Row) -> String {
    if row.kind == Kind::Claim {
        value.to_owned()
    } else {
        format!("{value} {}", row.unit).trim_end().to_owned()
    }
}

fn verdict(row: &Row) -> String {
    let verdict = row.verdict.name();
    if row.verdict == row.expect {
        verdict.to_owned()
    } else {
        format!("{verdict} (expected {})", row.expect.name())
    }
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
