//! A folder in which the parts of one sweep are made.

use std::path::{Path, PathBuf};

use super::{
    part::{Look, Part},
    part_name,
    survey::{Survey, foreign},
};
use crate::{
    error::Error,
    export,
    manifest::Manifest,
    request::{Job, Output, Product, Request, ShardJob, SweepJob},
    shard::{Shard, run},
    simulation::Progress,
    stamp::Stamp,
    sweep::Ready,
};

/// Shards of a sweep for which nobody says how many: a kill costs a hundredth of the work, and writing them down for
/// good takes a few seconds.
pub const SHARDS: u32 = 100;

/// Into how many shards a sweep is cut if nobody says so: as the parts that lie in the folder, else [`SHARDS`], or as
/// many as it can be cut into.
///
/// # Errors
/// As [`SweepJob::shards`].
pub fn shards_for(folder: &Path, sweep: &SweepJob) -> Result<u32, Error> {
    match Survey::of(folder) {
        Ok(survey) => Ok(survey.n),
        Err(_) => sweep.shards(SHARDS),
    }
}

/// What [`Parts::make`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The part has been made.
    Now,
    /// It was there.
    Before,
}

/// A folder in which the parts of one sweep are made, one after another or by many processes at once: a part has its
/// name when it is whole, and has the same bytes whoever made it.
#[derive(Debug)]
pub struct Parts {
    folder: PathBuf,
    sweep: SweepJob,
    n: u32,
    ready: Ready,
}

impl Parts {
    /// Opens the folder, which is made if it isn't there, and removes what processes have left in it that were killed
    /// while they wrote.
    ///
    /// ```
    /// use retrysim::{Design, parts::{Made, Parts, Survey}, request::SweepJob, unwatched};
    ///
    /// let folder = tempfile::tempdir().map_err(|reason| retrysim::Error::File { path: "folder".into(), reason })?;
    /// let design = Design::new("contention", 10).policies(["full"]).vary("workload.clients", [5, 10]);
    /// let sweep = SweepJob { design, metrics: None };
    /// let parts = Parts::open(folder.path(), &sweep, 2)?;
    /// assert_eq!(parts.make(0, None, &unwatched)?, Made::Now);
    /// assert_eq!(Survey::of(folder.path())?.missing, [1]);
    /// parts.make(1, None, &unwatched)?;
    /// let whole = Survey::of(folder.path())?.gather()?.map(|sweep| sweep.points.len());
    /// assert_eq!(whole, Some(2));
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Core`] for a design that isn't valid or can't be cut so, [`Error::NotText`] for a folder that holds
    /// parts of another design, number of shards or version, [`Error::File`] for one that can't be written to.
    pub fn open(folder: &Path, sweep: &SweepJob, n: u32) -> Result<Self, Error> {
        let ready = sweep.ready(n)?;
        let parts = Self { folder: folder.to_owned(), sweep: sweep.clone(), n, ready };
        let in_folder = |reason| Error::File { path: folder.to_owned(), reason };
        std::fs::create_dir_all(folder).map_err(in_folder)?;
        export::remove_stale(folder);
        // Said now, not after the work.
        tempfile::tempfile_in(folder).map_err(in_folder)?;
        let wanted = parts.stamp(0)?;
        Part::all(folder, Look::Stamp)?.iter().try_for_each(|part| parts.check(part, &wanted))?;
        Ok(parts)
    }

    /// Numbers of the parts that are not finished.
    ///
    /// # Errors
    /// [`Error::File`] if the folder can't be read.
    pub fn unfinished(&self) -> Result<Vec<u32>, Error> {
        let mut finished = vec![false; self.n as usize];
        for part in Part::all(&self.folder, Look::Whole)?.iter().filter(|part| part.stamp.is_ok()) {
            finished.get_mut(part.k as usize).into_iter().for_each(|seen| *seen = true);
        }
        Ok((0..self.n).zip(finished).filter(|(_, finished)| !finished).map(|(k, _)| k).collect())
    }

    /// Makes part `k`, unless it is there; one that is damaged is replaced.
    ///
    /// # Errors
    /// As [`ShardJob::simulate`], as [`Parts::open`] for what came into the folder meanwhile, [`Error::File`] if the
    /// system refuses; then there is no part, or the old one.
    pub fn make(&self, k: u32, threads: Option<usize>, progress: &Progress<'_>) -> Result<Made, Error> {
        if self.is_finished(k)? {
            return Ok(Made::Before);
        }
        let shard = Shard { k, n: self.n };
        let frame = run(&self.ready, shard, threads, progress)?.runs_frame()?;
        // Another process may have been faster.
        if self.is_finished(k)? {
            return Ok(Made::Before);
        }
        export::save(&Output::Frame(frame), &self.manifest(k), &self.folder.join(part_name(k)))?;
        Ok(Made::Now)
    }

    /// Removes the parts and what was begun, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// [`Error::File`] if the system refuses.
    pub fn remove(self) -> Result<(), Error> {
        let in_folder = |reason| Error::File { path: self.folder.clone(), reason };
        let parts = Part::all(&self.folder, Look::Stamp)?.into_iter().map(|part| part.path);
        let entries = std::fs::read_dir(&self.folder).map_err(in_folder)?.flatten();
        let begun = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(export::TEMPORARY))
            .map(|entry| entry.path());
        for path in parts.chain(begun) {
            std::fs::remove_file(&path).map_err(|reason| Error::File { path, reason })?;
        }
        // It may be somebody's folder with other files.
        std::fs::remove_dir(&self.folder).ok();
        Ok(())
    }

    fn is_finished(&self, k: u32) -> Result<bool, Error> {
        let Some(part) = Part::one(&self.folder, k)? else { return Ok(false) };
        self.check(&part, &self.stamp(k)?)?;
        Ok(part.stamp.is_ok())
    }

    /// Refuses a part of something else; one that only seems so, since it is damaged, will be made again.
    fn check(&self, part: &Part, wanted: &Stamp) -> Result<(), Error> {
        if part.differs(wanted, &self.sweep).is_none() {
            return Ok(());
        }
        let again = Part::one(&self.folder, part.k)?;
        match again.and_then(|part| Some((part.differs(wanted, &self.sweep)?, part.path))) {
            Some((difference, path)) => Err(foreign(&path, &difference)),
            None => Ok(()),
        }
    }

    fn stamp(&self, k: u32) -> Result<Stamp, Error> {
        let none = || Error::Manifest("a part has a stamp".into());
        Stamp::of(&self.manifest(k))?.ok_or_else(none)
    }

    fn manifest(&self, k: u32) -> Manifest {
        let job = ShardJob { sweep: self.sweep.clone(), shard: Shard { k, n: self.n } };
        Manifest::new(Request { job: Job::Shard(Box::new(job)), product: Product::Runs })
    }
}
