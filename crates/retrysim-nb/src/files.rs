//! Tables and figures for write-ups: CSV and PNG under `out/`.

use std::{env, fs, path::PathBuf};

use retrysim::{
    Error, export,
    figure::{Figure, Theme},
    frame,
    polars::prelude::DataFrame,
};

use crate::display::EvcxrDisplay;

/// Names the folder in which folders of files are made; `out` here if unset.
pub const OUT: &str = "RETRYSIM_OUT";

/// A path in the folder that is for what notebooks make.
#[must_use]
pub fn out(name: &str) -> PathBuf {
    PathBuf::from(env::var_os(OUT).unwrap_or_else(|| "out".into())).join(name)
}

/// The files of one notebook: `out/NAME/*.csv` and `*.png`. Shown, it lists them.
#[derive(Clone, Debug)]
pub struct Files {
    name: String,
    written: Vec<[String; 2]>,
}

impl Files {
    /// Files in the folder of this name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned(), written: Vec::new() }
    }

    /// Adds a table: `FILE.csv`, with everything that the frame holds.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be written.
    pub fn table(self, file: &str, frame: &DataFrame) -> Result<Self, Error> {
        let what = format!("{} rows, {} columns", frame.height(), frame.width());
        self.write(format!("{file}.csv"), export::csv(frame)?.as_bytes(), what)
    }

    /// Adds a figure: `FILE.png`, light, at two pixels a logical pixel.
    ///
    /// # Errors
    /// [`Error::File`] if it can't be written.
    pub fn figure(self, file: &str, figure: &Figure) -> Result<Self, Error> {
        let source = format!("notebook {} of retrysim {}", self.name, env!("CARGO_PKG_VERSION"));
        let png = figure.to_png(2, Theme::Light, &[("Source", &source)])?;
        self.write(format!("{file}.png"), &png, figure.title.clone())
    }

    fn write(mut self, file: String, bytes: &[u8], what: String) -> Result<Self, Error> {
        let folder = out(&self.name);
        fs::create_dir_all(&folder).map_err(|reason| Error::File { path: folder.clone(), reason })?;
        export::write(&folder.join(&file), bytes)?;
        self.written.push([format!("out/{}/{file}", self.name), what]);
        Ok(self)
    }
}

impl EvcxrDisplay for Files {
    fn evcxr_display(&self) {
        frame::texts(["file", "contents"], self.written.iter().cloned()).evcxr_display();
    }
}
