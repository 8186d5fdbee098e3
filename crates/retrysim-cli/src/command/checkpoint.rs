//! `retrysim sweep --checkpoint`: part after part, then all of them together.

use std::path::Path;

use anyhow::{Result, bail};
use retrysim::{
    parts::{Parts, Survey, shards_for},
    request::{Job, Product, Request, SweepJob},
};

use crate::{
    Answer,
    cli::SweepArgs,
    interrupt::{Interrupted, Stop},
    show,
};

pub fn sweep(
    sweep: SweepJob,
    product: Product,
    folder: &Path,
    file: &Path,
    args: &SweepArgs,
) -> Result<Answer> {
    show::check_output(Some(file))?;
    let stop = Stop::listen()?;
    let n = shards_for(folder, &sweep)?;
    let parts = Parts::open(folder, &sweep, n)?;
    let unfinished = parts.unfinished()?;
    let kept = |done: usize| {
        format!("{} of {n} parts are in {}", n as usize - unfinished.len() + done, folder.display())
    };
    if unfinished.len() < n as usize && !args.out.quiet {
        show::say(&format!("going on: {}", kept(0)));
    }
    let progress = show::Progress::new(args.out.quiet);
    for (i, k) in unfinished.iter().enumerate() {
        let (before, parts_in_all) = (i as u64, unfinished.len() as u64);
        let made = parts.make(*k, args.what.threads, &|done, total| {
            stop.or(progress.at(before * total + done, parts_in_all * total))
        });
        if made.is_err() && stop.is_asked() {
            drop(progress);
            return Err(Interrupted(format!(
                "interrupted: {}; the same command goes on from there",
                kept(i)
            ))
            .into());
        }
        made?;
    }
    drop(progress);

    let mut survey = Survey::of(folder)?;
    let Some(whole) = survey.gather()? else { bail!(survey.lines().join("; ")) };
    let request = Request { job: Job::Sweep(Box::new(sweep)), product };
    let output = request.of_sweep(&whole)?;
    let answer = show::deliver(request, &output, &args.out)?;
    if !args.keep {
        parts.remove()?;
    }
    Ok(answer)
}
