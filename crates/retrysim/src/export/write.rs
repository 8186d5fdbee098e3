//! Files that are whole or not there.

use std::{io::Write, path::Path};

use crate::error::Error;

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
    }
    Ok(())
}

fn write_beside(path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, Error> {
    let in_file = |reason| Error::File { path: path.to_owned(), reason };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new().prefix(".retrysim-").tempfile_in(folder).map_err(in_file)?;
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
