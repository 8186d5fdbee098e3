//! `retrysim policy report`

use std::{fs, path::Path};

use anyhow::{Context, Result};
use retrysim::{
    Policy, RunConfig, Span, bundled,
    delays::{Delays, Draw},
    export,
    figure::{Figure, Theme},
    matrix::{self, Matrix},
    picture,
    request::{Job, Output, Product, Request},
    table::Table,
};

use crate::{Answer, cli::Report, load, show};

/// Retries whose delays are shown.
const RETRIES: u32 = 8;

pub fn report(args: &Report) -> Result<Answer> {
    let mut policies = vec![(label(&args.policy), load::policy(&args.policy)?)];
    for name in &args.against {
        policies.push((name.clone(), load::policy(name)?));
    }
    let (name, policy) = policies[0].clone();
    let wanted = Matrix { runs: args.runs, ..Matrix::of(policies.clone()) };
    let progress = show::Progress::of("pairs", args.quiet);
    let cells = wanted.cells(None, &|done, total| progress.at(done, total))?;
    drop(progress);
    let mut text =
        format!("# {name}\n\n```toml\n{}```\n\n## Findings\n\n{}", policy.to_toml()?, findings(&policy));
    text += "\n## Delays\n";
    for (name, policy) in &policies {
        text += &format!("\n### {name}\n\n{}", delays(policy)?);
    }
    text += &matrix::report(&cells);
    let Some(folder) = &args.output else { return Ok(Answer { text, passed: true }) };
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    save(folder, "report.md", text.as_bytes())?;
    save(folder, "delays.png", &fingerprint(&policies)?)?;
    save(folder, "arrivals.png", &arrivals(&policies)?)?;
    let request = Request { job: Job::Matrix(Box::new(wanted)), product: Product::Matrix };
    let output = Output::Frame(matrix::frame(&cells)?);
    export::save(&output, &retrysim::Manifest::new(request), &folder.join("matrix.csv"))?;
    Ok(Answer {
        text: format!("{}: report.md, delays.png, arrivals.png, matrix.csv\n", folder.display()),
        passed: true,
    })
}

/// A file by its name alone.
fn label(name: &str) -> String {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| path.is_file());
    stem.unwrap_or(name).to_owned()
}

fn findings(policy: &Policy) -> String {
    let findings = retrysim::lint::lint(policy);
    if findings.is_empty() {
        return "None.\n".into();
    }
    let line = |finding: &retrysim::lint::Finding| {
        format!(
            "- **{}** at `{}`: {}. Cure: {}.\n",
            finding.lint, finding.field, finding.message, finding.cure
        )
    };
    findings.iter().map(line).collect()
}

fn delays(policy: &Policy) -> Result<String> {
    let draw = Draw::Sequences { draws: 20_000, seed: 0 };
    let retries = policy.max_attempts().saturating_sub(1).clamp(1, RETRIES);
    let frame = Delays { policy: policy.clone(), retries, hint: None, draw }.frame()?;
    Ok(Table::of(&frame, retries as usize).markdown())
}

/// Densities of the delays of every policy.
fn fingerprint(policies: &[(String, Policy)]) -> Result<Vec<u8>> {
    png(&picture::fingerprint_of(policies, RETRIES, "Delays by retry"))
}

/// What reaches the service around ten seconds of silence.
fn arrivals(policies: &[(String, Policy)]) -> Result<Vec<u8>> {
    let mut scenario = bundled::situation("black_hole", &policies[0].0, &policies[0].1)?;
    scenario.policy = policies.iter().cloned().collect();
    scenario.validate()?;
    let names = policies.iter().map(|(name, _)| name.as_str());
    let config =
        RunConfig::runs(1).policies(names).record(retrysim::Record::Timeline(Span::from_millis(500)));
    let simulation = retrysim::simulate(&scenario, &config)?;
    let title = "Requests while nothing is answered for ten seconds, and after";
    let figure = picture::arrivals(&simulation, Some(Span::from_secs(90)), title)?;
    png(&figure)
}

fn png(figure: &Figure) -> Result<Vec<u8>> {
    Ok(figure.to_png(2, Theme::Light, &[("Source", "retrysim policy report")])?)
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    Ok(export::write(&folder.join(name), bytes)?)
}
