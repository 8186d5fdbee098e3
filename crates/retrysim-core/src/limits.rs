//! How large what is read may be, and how much a run may take: whoever wrote a file need not be trusted.
//!
//! Sizes are refused before memory is taken for them; a run that goes beyond its limits ends with
//! [`crate::Error::Endless`]. Other modules keep limits that are theirs alone: [`crate::scenario::MAX_CLIENTS`],
//! [`crate::scenario::MAX_CALLS`], [`crate::scenario::MAX_SEEDS`], [`crate::simulate::MAX_VALUES`],
//! [`crate::callers::MAX_ATTEMPTS`].

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::error::Error;

/// Bytes of a TOML text.
pub const MAX_TEXT: usize = 4 << 20;

/// Keys of a dotted path.
pub const MAX_KEYS: usize = 32;

/// Policies that lead to each other by `extends`.
pub const MAX_EXTENDS: usize = 32;

/// Policies of a scenario.
pub const MAX_POLICIES: usize = 1_000;

/// Stages of a delay, those within stages included.
pub const MAX_STAGES: usize = 100;

/// Budgets of a policy.
pub const MAX_BUDGETS: usize = 8;

/// Outages, and brownouts, of a service.
pub const MAX_OUTAGES: usize = 10_000;

/// Numbers that the clients of an open workload draw in ticks, one a client and tick.
pub const MAX_TICK_DRAWS: f64 = 1e10;

/// Failures and waits of a run; one that a policy keeps in mind counts more than once.
pub const MAX_STEPS: u64 = 500_000_000;

/// Attempts of a run that are under way at once.
pub const MAX_UNDER_WAY: usize = 10_000_000;

/// Bytes that the runs which are made at once may take, as far as that is known before they are made.
pub const MAX_ROOM: u64 = 8 << 30;

/// Worker threads.
pub const MAX_THREADS: usize = 1_024;

/// Refuses more than `most` of what `field` counts.
pub(crate) fn at_most(field: &str, count: usize, most: usize) -> Result<(), Error> {
    if count <= most {
        Ok(())
    } else {
        Err(Error::invalid(field, format!("{count} items"), format!("at most {most}")))
    }
}

/// The bytes of a file, if there are no more than `most`: devices, too, end there.
///
/// # Errors
/// Of the system, and [`io::ErrorKind::FileTooLarge`].
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("more than {most} bytes; allowed: at most {most}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Does `work` on so many threads; on those there are if `None`.
///
/// # Errors
/// [`Error::Invalid`] for no threads, more than [`MAX_THREADS`], or more than the system gives.
pub fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let Some(threads) = threads else { return Ok(work()) };
    if threads == 0 || threads > MAX_THREADS {
        return Err(Error::invalid("threads", threads, format!("1 to {MAX_THREADS}")));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|error| Error::invalid("threads", threads, error.to_string()))?.install(work))
}
