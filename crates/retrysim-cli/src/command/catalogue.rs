//! `retrysim policy list`, `show` and `search`

use anyhow::Result;
use retrysim::{
    catalogue::{self, Entry},
    polars::prelude::DataFrame,
};

use crate::{
    Answer,
    cli::{Format, List, Search, Show},
    load, show as print,
};

pub fn list(args: &List) -> Result<Answer> {
    let entries: Vec<_> = load::catalogue().entries().collect();
    Ok(Answer { text: print::print(&frame(&entries, args.format)?, args.format)?, passed: true })
}

/// Entries; what is too long for a table is left to `show` and to files.
fn frame(entries: &[&Entry], format: Format) -> Result<DataFrame> {
    let frame = catalogue::frame(entries)?;
    Ok(if format == Format::Table { frame.drop_many(["name", "version"]) } else { frame })
}

pub fn search(args: &Search) -> Result<Answer> {
    let found = load::catalogue().search(&args.words.join(" "));
    Ok(Answer { text: print::print(&frame(&found, args.format)?, args.format)?, passed: !found.is_empty() })
}

/// An entry in words, then its policy as TOML that a scenario can hold.
pub fn show(args: &Show) -> Result<Answer> {
    let policy = load::catalogue().policy(&args.name)?;
    let (id, variant) = args.name.split_once('/').map_or((args.name.as_str(), None), |(id, v)| (id, Some(v)));
    let entry = load::catalogue().entry(id)?;
    let mut lines = vec![format!("# {}", entry.name)];
    lines.extend(
        variant.and_then(|name| entry.variants.get(name)).map(|variant| format!("# {}", variant.about)),
    );
    lines.extend(entry.about.lines().map(|line| format!("# {line}")));
    lines.extend(entry.not_expressed.iter().map(|text| format!("# Not expressed: {text}")));
    lines.push(format!("# Evidence: {}. Source: {}", entry.evidence.name(), entry.source.join("; ")));
    if variant.is_none() && !entry.variants.is_empty() {
        let names: Vec<String> = entry.variants.keys().map(|variant| format!("{id}/{variant}")).collect();
        lines.push(format!("# Variants: {}", names.join(", ")));
    }
    Ok(Answer { text: format!("{}\n\n{}", lines.join("\n"), policy.to_toml()?), passed: true })
}
