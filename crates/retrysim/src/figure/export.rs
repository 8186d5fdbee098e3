//! Files: PNG with text chunks, SVG with live text.

use super::draw::compose;
use super::error::Error;
use super::model::Figure;
use super::paint::{GRAIN, paint};
use super::raster::Raster;
use super::theme::Theme;
use plotters::prelude::SVGBackend;

impl Figure {
    /// Draws a PNG. `scale` 1 gives a pixel a logical pixel, 2 doubles everything, letters too (1 to 4). `text`
    /// becomes text chunks (keyword, words): `tEXt` for ASCII, `iTXt` otherwise. Same figure, same bytes.
    pub fn to_png(&self, scale: u32, theme: Theme, text: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
        if !(1..=4).contains(&scale) {
            return Err(Error::Magnification(scale));
        }
        let page = compose(self, theme)?;
        let mut raster = Raster::new(page.width, page.height, scale);
        paint(&page, &mut raster)?;
        encode(&raster, text)
    }

    /// Draws an SVG. Its words are text, set in Inter where the viewer has it and in a common sans-serif elsewhere.
    pub fn to_svg(&self, theme: Theme) -> Result<String, Error> {
        let page = compose(self, theme)?;
        let (wide, tall) = ((page.width * GRAIN) as u32, (page.height * GRAIN) as u32);
        let mut svg = String::new();
        paint(&page, SVGBackend::with_string(&mut svg, (wide, tall)))?;
        let fine = format!("<svg width=\"{wide}\" height=\"{tall}\"");
        let shown =
            format!("<svg width=\"{}\" height=\"{}\" stroke-linejoin=\"round\"", page.width, page.height);
        Ok(svg.replacen(&fine, &shown, 1))
    }
}

fn encode(raster: &Raster, text: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, raster.width as u32, raster.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    for (keyword, words) in text {
        let (keyword, words) = ((*keyword).to_owned(), (*words).to_owned());
        if words.is_ascii() {
            encoder.add_text_chunk(keyword, words)?;
        } else {
            encoder.add_itxt_chunk(keyword, words)?;
        }
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&raster.pixels)?;
    writer.finish()?;
    Ok(bytes)
}
