//! `retrysim sweep`

use anyhow::Result;
use retrysim::request::{Job, Product, Request, SweepJob};

use crate::{
    Answer,
    cli::{SweepArgs, SweepFrame},
    command::{checkpoint, shard},
    load, show,
};

pub fn sweep(args: &SweepArgs) -> Result<Answer> {
    let sweep =
        SweepJob { design: load::design(&args.what, &args.vary)?, metrics: load::metrics(&args.what) };
    if let (Some(wanted), Some(folder)) = (args.shard, &args.out.output) {
        return shard::shard(&sweep, wanted, folder, args);
    }
    let product = product(args.frame, args.confidence);
    if let (Some(folder), Some(file)) = (&args.checkpoint, &args.out.output) {
        return checkpoint::sweep(sweep, product, folder, file, args);
    }
    let job = Job::Sweep(Box::new(sweep));
    show::answer(Request { job, product }, args.what.threads, &args.out)
}

/// What is made of a sweep's runs.
pub fn product(frame: SweepFrame, confidence: f64) -> Product {
    match frame {
        SweepFrame::Summary => Product::Summary { confidence },
        SweepFrame::Runs => Product::Runs,
    }
}
