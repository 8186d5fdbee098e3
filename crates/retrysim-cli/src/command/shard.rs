//! `retrysim sweep --shard`

use std::path::Path;

use anyhow::Result;
use retrysim::{
    parts::{Made, Parts, part_name},
    request::SweepJob,
    shard::Shard,
};

use crate::{
    Answer,
    cli::SweepArgs,
    interrupt::{Interrupted, Stop},
    show,
};

pub fn shard(sweep: &SweepJob, wanted: Shard, folder: &Path, args: &SweepArgs) -> Result<Answer> {
    let stop = Stop::listen()?;
    let parts = Parts::open(folder, sweep, wanted.n)?;
    let file = folder.join(part_name(wanted.k));
    let progress = show::Progress::new(args.out.quiet);
    let made = parts.make(wanted.k, args.what.threads, &|done, total| stop.or(progress.at(done, total)));
    drop(progress);
    if made.is_err() && stop.is_asked() {
        let line = format!("interrupted: {} is not made, finished parts are kept", file.display());
        return Err(Interrupted(line).into());
    }
    let what = match made? {
        Made::Now => "made",
        Made::Before => "was there",
    };
    Ok(Answer { text: format!("{}: {what}\n", file.display()), passed: true })
}
