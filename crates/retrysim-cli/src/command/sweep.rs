//! `retrysim sweep`

use anyhow::Result;
use retrysim::request::{Job, Product, Request, SweepJob};

use crate::{
    Answer,
    cli::{SweepArgs, SweepFrame},
    load, show,
};

pub fn sweep(args: &SweepArgs) -> Result<Answer> {
    let job = Job::Sweep(Box::new(SweepJob {
        design: load::design(&args.what, &args.vary)?,
        metrics: load::metrics(&args.what),
    }));
    let product = match args.frame {
        SweepFrame::Summary => Product::Summary { confidence: args.confidence },
        SweepFrame::Runs => Product::Runs,
    };
    show::answer(Request { job, product }, args.what.threads, &args.out)
}
