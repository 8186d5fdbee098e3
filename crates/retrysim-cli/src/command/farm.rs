//! `retrysim farm`: shards on many workers, then all of them together.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use retrysim::{
    Error,
    farm::{Crew, Farm, processors},
    request::{Job, Request, SweepJob},
};

use crate::{
    Answer,
    cli::FarmArgs,
    command::sweep::product,
    interrupt::{Interrupted, Stop},
    load, show,
};

pub fn farm(args: &FarmArgs) -> Result<Answer> {
    show::check_output(args.out.output.as_deref())?;
    let design = load::design(&args.what, &args.vary)?;
    let sweep = SweepJob { design: design.clone(), metrics: load::metrics(&args.what) };
    let parts = args.parts.clone().unwrap_or_else(|| beside(&args.what.scenario));
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()
            .context("where this program lies can't be found out; --program says it")?,
    };
    let farm = Farm {
        sweep: sweep.clone(),
        shards: args.shards,
        crew: crew(args),
        threads: args.what.threads.unwrap_or(1),
        program,
        python: args.python.clone(),
        ..Farm::new(design, parts)
    };
    let stop = Stop::listen()?;
    let progress = show::Progress::of("parts", args.out.quiet);
    let whole = farm.run(&|done, total| stop.or(progress.at(done, total)));
    drop(progress);
    let whole = whole.map_err(|error| match error {
        Error::Stopped { .. } => Interrupted(error.to_string()).into(),
        other => anyhow::Error::from(other),
    })?;
    let request = Request { job: Job::Sweep(Box::new(sweep)), product: product(args.frame, args.confidence) };
    let output = request.of_sweep(&whole)?;
    show::deliver(request, &output, &args.out)
}

/// `design.parts` here, for `anywhere/design.toml`.
fn beside(design: &Path) -> PathBuf {
    let mut name = design.file_stem().unwrap_or(design.as_os_str()).to_owned();
    name.push(".parts");
    name.into()
}

fn crew(args: &FarmArgs) -> Crew {
    let workers = args.workers.unwrap_or_else(processors);
    match &args.scheduler {
        Some(address) => Crew::Scheduler(address.clone()),
        None if args.slurm => {
            Crew::Slurm { jobs: workers, options: args.sbatch.clone(), interface: args.interface.clone() }
        }
        None => Crew::Local(workers),
    }
}
