//! `retrysim policy delays`

use anyhow::{Result, bail};
use retrysim::{
    Policy,
    delays::{Delays as Wanted, Draw},
    policy::header::Said,
    request::{Job, Product, Request},
};

use crate::{Answer, cli::Delays, load, show};

/// Retries shown when neither the command nor the policy limits them.
const RETRIES: u32 = 12;

pub fn delays(args: &Delays) -> Result<Answer> {
    let policy = load::policy(&args.policy)?;
    let own = policy.stop.max_attempts().saturating_sub(1);
    let retries = args.retries.unwrap_or(own.clamp(1, RETRIES));
    let draw = match args.u {
        Some(u) => Draw::Fixed(u),
        None => Draw::Sequences { draws: args.draws, seed: args.seed },
    };
    let hint = match &args.retry_after {
        Some(header) => match read(&policy, header, args)? {
            Said::Wait(span) => Some(span),
            Said::Nothing => None,
            Said::Stop => return Ok(Answer { text: "It gives the call up.\n".into(), passed: true }),
        },
        None => args.hint,
    };
    let job = Job::Delays(Box::new(Wanted { policy, retries, hint, draw }));
    show::answer(Request { job, product: Product::Delays }, None, &args.out)
}

/// What the policy makes of a header's text.
fn read(policy: &Policy, header: &str, args: &Delays) -> Result<Said> {
    // Only a date has colons, and only a date needs to know when it is read.
    let at = match args.at {
        None if header.contains(':') => {
            bail!("--retry-after {header:?} looks like a date; allowed: with --at TIME")
        }
        at => at.unwrap_or_default(),
    };
    let reads = policy.hint.as_ref().map(|hint| hint.reads.clone()).unwrap_or_default();
    Ok(reads.read(header, at))
}
