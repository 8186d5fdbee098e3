//! `retrysim matrix`

use anyhow::Result;
use retrysim::{
    matrix::{self, Matrix},
    request::{Job, Product, Request},
};

use crate::{
    Answer,
    cli::{Format, MatrixArgs},
    load, show,
};

pub fn matrix(args: &MatrixArgs) -> Result<Answer> {
    let names: Vec<String> = if args.policies.is_empty() {
        matrix::POLICIES.iter().map(|name| (*name).to_owned()).collect()
    } else {
        args.policies.clone()
    };
    let mut policies = Vec::new();
    for name in &names {
        policies.extend(load::policies(name)?.policies);
    }
    let mut wanted = Matrix { runs: args.runs, seed: args.seed, ..Matrix::of(policies) };
    if !args.situations.is_empty() {
        wanted.situations.clone_from(&args.situations);
    }
    if args.out.output.is_none() && args.out.format == Format::Table {
        let progress = show::Progress::of("pairs", args.out.quiet);
        let cells = wanted.cells(args.threads, &|done, total| progress.at(done, total))?;
        return Ok(Answer { text: wanted.document(&cells), passed: true });
    }
    let request = Request { job: Job::Matrix(Box::new(wanted)), product: Product::Matrix };
    show::answer(request, args.threads, &args.out)
}
