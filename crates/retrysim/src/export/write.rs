//! Files that are whole or not there.

use std::{io::Write, path::Path};

use crate::error::Error;

/// Writes `bytes` under a temporary name beside `path`, then renames it onto `path`.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let in_file = |reason| Error::File { path: path.to_owned(), reason };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new().prefix(".retrysim-").tempfile_in(folder).map_err(in_file)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(in_file)?;
    share(&file).map_err(in_file)?;
    file.persist(path).map_err(|error| in_file(error.error))?;
    Ok(())
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
