//! `retrysim rerun`

use anyhow::Result;
use retrysim::export::{self, Rerun as Found};

use crate::{Answer, cli::Rerun, show};

pub fn rerun(args: &Rerun) -> Result<Answer> {
    let progress = show::Progress::new(args.quiet);
    let found = export::rerun(&args.file, args.threads, &|done, total| progress.at(done, total))?;
    drop(progress);
    let file = args.file.display();
    Ok(match found {
        Found::Same => Answer { text: format!("{file}: the same bytes again\n"), passed: true },
        Found::Different => {
            Answer { text: format!("{file}: OTHER bytes than its manifest gives\n"), passed: false }
        }
    })
}
