//! `retrysim summary` and `retrysim compare`

use anyhow::Result;
use retrysim::request::{Job, Product, Request};

use crate::{
    Answer,
    cli::{Compare, Summary},
    load, show,
};

pub fn summary(args: &Summary) -> Result<Answer> {
    let job = Job::Run(Box::new(load::job(&args.what)?));
    let product = Product::Summary { confidence: args.confidence };
    show::answer(Request { job, product }, args.what.threads, &args.out)
}

pub fn compare(args: &Compare) -> Result<Answer> {
    let job = load::job(&args.what)?;
    let baseline = args.baseline.clone().unwrap_or_else(|| job.policies[0].clone());
    let product = Product::Comparison { baseline, confidence: args.confidence };
    let request = Request { job: Job::Run(Box::new(job)), product };
    show::answer(request, args.what.threads, &args.out)
}
