//! `retrysim gather`

use anyhow::Result;
use retrysim::{
    parts::{Survey, ranges},
    request::{Job, Request},
};

use crate::{Answer, cli::GatherArgs, command::sweep::product, show};

pub fn gather(args: &GatherArgs) -> Result<Answer> {
    show::check_output(args.out.output.as_deref())?;
    let mut survey = Survey::of(&args.folder)?;
    let whole = survey.gather()?;
    survey.lines().iter().for_each(|line| show::say(line));
    if args.missing {
        let numbers = ranges(&survey.to_make(), "-", ",");
        let text = if numbers.is_empty() { numbers } else { numbers + "\n" };
        return Ok(Answer { text, passed: survey.is_whole() });
    }
    let Some(whole) = whole else { return Ok(Answer { text: String::new(), passed: false }) };
    let job = Job::Sweep(Box::new(survey.sweep));
    let request = Request { job, product: product(args.frame, args.confidence) };
    let output = request.of_sweep(&whole)?;
    show::deliver(request, &output, &args.out)
}
