//! `retrysim policy delays`

use anyhow::Result;
use retrysim::{
    delays::{Delays as Wanted, Draw},
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
    let job = Job::Delays(Box::new(Wanted { policy, retries, hint: args.hint, draw }));
    show::answer(Request { job, product: Product::Delays }, None, &args.out)
}
