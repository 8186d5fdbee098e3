//! Files that are whole or not there.

use std::{io::Write, path::Path, time::Duration};

use crate::error::Error;

/// How the name of a file begins that isn't whole yet.
pub(crate) const TEMPORARY: &str = ".retrysim-";

/// Writes a file: whole, or not at all.
///
/// # Errors
/// [`Error::File`] if the system refuses; then the old file is as it was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace(&[(path, bytes)])
}

/// Writes every file under a temporary name beside its path, and only when all are whole renames them, in
/// order: where one can't be written, none is replaced.
pub(super) fn replace(files: &[(&Path, &[u8])]) -> Result<(), Error> {
    let whole = files.iter().map(|(path, bytes)| write_beside(path, bytes)).collect::<Result<Vec<_>, _>>()?;
    for ((path, _), file) in files.iter().zip(whole) {
        file.persist(path).map_err(|error| Error::File { path: path.to_path_buf(), reason: error.error })?;
        keep_name(folder_of(path));
    }
    Ok(())
}

/// How old what was begun must be before anybody takes it for left behind: more than it takes from a new file to its
/// lock.
const GRACE: Duration = Duration::from_secs(60);

/// Removes what processes have begun in a folder that were killed before it was whole. Who is at work holds a lock.
pub(crate) fn remove_stale(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY)
            && is_stale(&entry.path()).unwrap_or(false)
        {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

fn is_stale(path: &Path) -> std::io::Result<bool> {
    let file = std::fs::File::open(path)?;
    let metadata = file.metadata()?;
    // A clock that was set back makes files of the future: those stay.
    let is_old = metadata.modified()?.elapsed().is_ok_and(|age| age > GRACE);
    Ok(metadata.is_file() && is_old && file.try_lock().is_ok())
}

/// The folder in which a file lies.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Has the system write down the folder, so that a new name outlives a power cut. Some file systems can't; the
/// file is whole either way.
#[cfg(unix)]
fn keep_name(folder: &Path) {
    std::fs::File::open(folder).and_then(|folder| folder.sync_all()).ok();
}

#[cfg(not(unix))]
fn keep_name(_: &Path) {}

fn write_beside(path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, Error> {
    let in_file = |reason| Error::File { path: path.to_owned(), reason };
    let mut file =
        tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder_of(path)).map_err(in_file)?;
    // The lock is gone with its process, however that ends: see `remove_stale`. Some file systems have none.
    file.as_file().try_lock().ok();
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(in_file)?;
    share(&file).map_err(in_file)?;
    Ok(file)
}

/// Temporary files are private; a result is as readable as any new file.
#[cfg(unix)]
fn share(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
}
