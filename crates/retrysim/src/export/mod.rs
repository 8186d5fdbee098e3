//! Files: the format follows the extension, and the manifest goes with the file.
//!
//! Parquet carries it in its metadata and PNG in a text chunk; beside CSV, JSON, Markdown and SVG lies
//! `FILE.manifest.json`. A file is written under a temporary name and renamed when it is whole, so that an
//! existing one is replaced whole or not at all.

mod footer;
mod rows;
mod write;

use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;
use polars_io::{
    SerReader, SerWriter,
    csv::write::CsvWriter,
    parquet::{
        read::ParquetReader,
        write::{KeyValueMetadata, ParquetWriter},
    },
};
use retrysim_core::limits::read;

pub(crate) use self::footer::{footer, text};
pub(crate) use self::rows::markdown_table;
pub use self::rows::{json, markdown, pretty, values};
use self::write::replace;
pub use self::write::write;
pub(crate) use self::write::{TEMPORARY, remove_stale};
use crate::{
    error::Error,
    figure::Figure,
    manifest::{KEYWORD, Manifest},
    request::{Output, Product},
    simulation::Progress,
    stamp::{self, Stamp},
};

/// Bytes of a manifest at the most.
const MAX_MANIFEST: usize = 64 << 20;

/// Bytes of a file that is compared at the most.
const MAX_FILE: u64 = 4 << 30;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// Parquet, with the manifest inside.
    Parquet,
    /// An array of objects.
    Json,
    /// A Markdown table.
    Markdown,
    /// Pixels, with the manifest inside.
    Png,
    /// Outlines.
    Svg,
}

impl Format {
    const ALL: [(&str, Self); 6] = [
        ("csv", Self::Csv),
        ("parquet", Self::Parquet),
        ("json", Self::Json),
        ("md", Self::Markdown),
        ("png", Self::Png),
        ("svg", Self::Svg),
    ];

    /// The format that a file's extension names.
    ///
    /// ```
    /// use retrysim::export::Format;
    ///
    /// assert_eq!(Format::of("runs.csv".as_ref())?, Format::Csv);
    /// assert!(Format::of("runs.xls".as_ref()).is_err());
    /// # Ok::<(), retrysim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Core`] for any other extension.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let found = Self::ALL.iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
        found.map(|(_, format)| *format).ok_or_else(|| {
            let allowed = "a name that ends in .csv, .parquet, .json, .md, .png or .svg";
            retrysim_core::Error::invalid("output", path.display(), allowed).into()
        })
    }

    /// Whether it holds a figure.
    #[must_use]
    pub const fn is_figure(self) -> bool {
        matches!(self, Self::Png | Self::Svg)
    }

    const fn has_sidecar(self) -> bool {
        !matches!(self, Self::Parquet | Self::Png)
    }
}

/// The file's bytes.
///
/// # Errors
/// [`Error::Core`] if a frame is asked for as a picture or a figure as a table; [`Error::Frame`] and
/// [`Error::Figure`] if it can't be written.
pub fn bytes(output: &Output, format: Format, manifest: &Manifest) -> Result<Vec<u8>, Error> {
    match output {
        Output::Frame(frame) if !format.is_figure() => frame_bytes(frame, format, manifest),
        Output::Figure(figure) if format.is_figure() => figure_bytes(figure, format, manifest),
        Output::Frame(_) => Err(refuse("a table", ".csv, .parquet, .json or .md")),
        Output::Figure(_) => Err(refuse("a figure", ".png or .svg")),
    }
}

fn refuse(what: &str, allowed: &str) -> Error {
    retrysim_core::Error::invalid("output", what, format!("a name that ends in {allowed}")).into()
}

/// A frame as comma-separated values, floats with the fewest digits that read back the same.
///
/// ```
/// use retrysim::{RunConfig, bundled, export, simulate};
///
/// let frame = simulate(&bundled::scenario("layers")?, &RunConfig::runs(1))?.runs_frame()?;
/// assert!(export::csv(&frame)?.starts_with("scenario,policy,seed,run,attempts"));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Frame`] if polars refuses.
pub fn csv(frame: &DataFrame) -> Result<String, Error> {
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).finish(&mut frame.clone()).map_err(Error::Frame)?;
    String::from_utf8(bytes).map_err(|error| Error::Manifest(error.to_string()))
}

fn frame_bytes(frame: &DataFrame, format: Format, manifest: &Manifest) -> Result<Vec<u8>, Error> {
    let mut frame = frame.clone();
    let mut bytes = Vec::new();
    match format {
        Format::Csv => bytes = csv(&frame)?.into_bytes(),
        Format::Json => bytes = json(&frame)?.into_bytes(),
        Format::Markdown => bytes = markdown(&frame).into_bytes(),
        _ => {
            let mut pairs = vec![(KEYWORD.into(), manifest.to_json()?)];
            let stamp = Stamp::of(manifest)?;
            if let Some(stamp) = &stamp {
                pairs.push((stamp::KEYWORD.into(), stamp.to_json()?));
            }
            let metadata = KeyValueMetadata::from_static(pairs);
            let writer =
                ParquetWriter::new(&mut bytes).with_key_value_metadata(Some(metadata)).set_parallel(false);
            writer.finish(&mut frame).map_err(Error::Frame)?;
            if stamp.is_some() {
                stamp::seal(&mut bytes);
            }
        }
    }
    Ok(bytes)
}

fn figure_bytes(figure: &Figure, format: Format, manifest: &Manifest) -> Result<Vec<u8>, Error> {
    let (theme, scale) = match &manifest.request.product {
        Product::Figure(spec) => (spec.theme(), spec.scale),
        _ => (crate::figure::Theme::Light, 1),
    };
    if format == Format::Svg {
        return Ok(figure.to_svg(theme)?.into_bytes());
    }
    Ok(figure.to_png(scale, theme, &[(KEYWORD, &manifest.to_json()?)])?)
}

/// Writes a file in the format of its extension, and the manifest beside it where the format can't hold one.
///
/// ```
/// use retrysim::{Manifest, Request, export, request::{Job, Product}, unwatched};
///
/// let ids = vec!["layers.3x3.db".to_owned()];
/// let request = Request { job: Job::Reproduce { ids }, product: Product::Verdicts };
/// let folder = tempfile::tempdir().map_err(|reason| retrysim::Error::File { path: "folder".into(), reason })?;
/// let path = folder.path().join("verdicts.md");
/// export::save(&request.make(None, &unwatched)?, &Manifest::new(request.clone()), &path)?;
/// assert_eq!(export::manifest_of(&path)?.request, request);
/// assert_eq!(export::rerun(&path, None, &unwatched)?, export::Rerun::Same);
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// As [`bytes`]; [`Error::File`] if the system refuses: then the old file and its manifest are as they were.
pub fn save(output: &Output, manifest: &Manifest, path: &Path) -> Result<(), Error> {
    let format = Format::of(path)?;
    let bytes = bytes(output, format, manifest)?;
    if !format.has_sidecar() {
        return replace(&[(path, &bytes)]);
    }
    replace(&[(&sidecar(path), manifest.to_json()?.as_bytes()), (path, &bytes)])
}

/// Where the manifest of a file lies that can't hold it.
///
/// ```
/// assert_eq!(retrysim::export::sidecar("a.csv".as_ref()), std::path::Path::new("a.csv.manifest.json"));
/// ```
#[must_use]
pub fn sidecar(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".manifest.json");
    PathBuf::from(name)
}

/// The manifest of a file that was written by [`save`].
///
/// # Errors
/// [`Error::File`] if it can't be read, [`Error::Manifest`] if there is none.
pub fn manifest_of(path: &Path) -> Result<Manifest, Error> {
    let in_file = |reason| Error::File { path: path.to_owned(), reason };
    let none = || Error::Manifest(format!("{} holds no manifest of retrysim", path.display()));
    match Format::of(path)? {
        Format::Parquet => {
            let footer = footer(path).map_err(in_file)?;
            Manifest::from_json(&footer.and_then(|bytes| text(&bytes, KEYWORD)).ok_or_else(none)?)
        }
        Format::Png => {
            let file = std::io::BufReader::new(std::fs::File::open(path).map_err(in_file)?);
            let reader =
                png::Decoder::new(file).read_info().map_err(|error| Error::Manifest(error.to_string()))?;
            let info = reader.info();
            let plain = info.uncompressed_latin1_text.iter().find(|chunk| chunk.keyword == KEYWORD);
            let wide = info.utf8_text.iter().find(|chunk| chunk.keyword == KEYWORD);
            match (plain, wide) {
                (Some(chunk), _) => Manifest::from_json(&chunk.text),
                (None, Some(chunk)) => {
                    let mut chunk = chunk.clone();
                    chunk.decompress_text_with_limit(MAX_MANIFEST).map_err(|_| none())?;
                    Manifest::from_json(&chunk.get_text().map_err(|_| none())?)
                }
                (None, None) => Err(none()),
            }
        }
        _ => {
            let beside = sidecar(path);
            let json =
                read(&beside, MAX_MANIFEST as u64).map_err(|reason| Error::File { path: beside, reason })?;
            Manifest::from_json(&String::from_utf8_lossy(&json))
        }
    }
}

/// Reads a Parquet file.
///
/// # Errors
/// [`Error::File`] if it can't be read, [`Error::Frame`] if it isn't Parquet.
pub fn read_parquet(path: &Path) -> Result<DataFrame, Error> {
    let file = std::fs::File::open(path).map_err(|reason| Error::File { path: path.to_owned(), reason })?;
    ParquetReader::new(file).finish().map_err(Error::Frame)
}

/// What [`rerun`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rerun {
    /// The same bytes.
    Same,
    /// Other bytes.
    Different,
}

/// Makes a file's contents again from its manifest and compares the bytes.
///
/// # Errors
/// As [`manifest_of`] and [`crate::Request::make`].
pub fn rerun(path: &Path, threads: Option<usize>, progress: &Progress<'_>) -> Result<Rerun, Error> {
    let manifest = manifest_of(path)?;
    let found = read(path, MAX_FILE).map_err(|reason| Error::File { path: path.to_owned(), reason })?;
    let again = bytes(&manifest.request.make(threads, progress)?, Format::of(path)?, &manifest)?;
    Ok(if again == found { Rerun::Same } else { Rerun::Different })
}

#[cfg(test)]
mod tests {
    use png::text_metadata::ITXtChunk;

    use super::*;

    /// A picture of one pixel with a text, compressed.
    fn picture(text: String) -> Vec<u8> {
        let mut bytes = Vec::new();
        let encoder = png::Encoder::new(&mut bytes, 1, 1);
        let mut chunk = ITXtChunk::new(KEYWORD, text);
        chunk.compressed = true;
        let mut writer = encoder.write_header().unwrap();
        writer.write_text_chunk(&chunk).unwrap();
        writer.write_image_data(&[0]).unwrap();
        drop(writer);
        bytes
    }

    /// A small file may hold a text of gigabytes.
    #[test]
    fn a_compressed_text_is_read_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.png");
        let message = |size: usize| {
            let bytes = picture(" ".repeat(size));
            assert!(bytes.len() < size / 20, "{} bytes", bytes.len());
            std::fs::write(&path, bytes).unwrap();
            manifest_of(&path).unwrap_err().to_string()
        };
        assert!(message(MAX_MANIFEST + 1).contains("holds no manifest"));
        assert!(!message(1_000_000).contains("holds no manifest"), "it is read, and is no JSON");
    }
}
