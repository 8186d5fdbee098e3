//! A plotters backend that paints pixels with exact-area anti-aliasing.
//!
//! plotters' own bitmap backend rounds every corner to a whole pixel and places glyphs without their side
//! bearings; at chart sizes both can be seen. This one counts in `GRAIN`ths of a logical pixel, covers pixels
//! by area (ab_glyph_rasterizer) and draws the bundled font.

use super::error::Error;
use super::font::{self, Weight};
use super::outline::{Corner, disc, stroke};
use super::paint::{GRAIN, PLOTTERS_EM, TOP_TO_BASE};
use super::theme::{Rgb, mix};
use ab_glyph_rasterizer::{Rasterizer, point};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    FontTransform,
};

/// An image of RGB pixels, `scale` pixels a logical pixel.
#[derive(Debug)]
pub(super) struct Raster {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<u8>,
    zoom: f64,
    mask: Rasterizer,
}

type Done = Result<(), DrawingErrorKind<Error>>;

impl Raster {
    pub fn new(width: f64, height: f64, scale: u32) -> Self {
        let size = |length: f64| (length * f64::from(scale)).round() as usize;
        let (width, height) = (size(width), size(height));
        Self {
            width,
            height,
            pixels: vec![0; width * height * 3],
            zoom: f64::from(scale) / GRAIN,
            mask: Rasterizer::new(1, 1),
        }
    }

    fn pixel(&self, (x, y): BackendCoord) -> Corner {
        (f64::from(x) * self.zoom, f64::from(y) * self.zoom)
    }

    fn blend(&mut self, x: i64, y: i64, rgb: Rgb, share: f64) {
        if share <= 0.0 || x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 {
            return;
        }
        let at = (y as usize * self.width + x as usize) * 3;
        if let [r, g, b] = &mut self.pixels[at..at + 3] {
            (*r, *g, *b) = mix(rgb, (*r, *g, *b), share.min(1.0));
        }
    }

    /// Fills outlines that all turn the same way; where they overlap the ink is laid once.
    fn cover(&mut self, outlines: &[Vec<Corner>], color: BackendColor) {
        let all = || outlines.iter().flatten();
        let low = |pick: fn(&Corner) -> f64| all().map(pick).fold(f64::INFINITY, f64::min).floor() - 1.0;
        let high = |pick: fn(&Corner) -> f64| all().map(pick).fold(f64::NEG_INFINITY, f64::max).ceil() + 2.0;
        let (left, top) = (low(|c| c.0), low(|c| c.1));
        let (wide, tall) = (high(|c| c.0) - left, high(|c| c.1) - top);
        let limit = 4.0 * (self.width + self.height) as f64;
        if !(wide > 0.0 && tall > 0.0 && wide < limit && tall < limit) {
            return;
        }
        let mut mask = std::mem::replace(&mut self.mask, Rasterizer::new(1, 1));
        mask.reset(wide as usize, tall as usize);
        for outline in outlines {
            for (i, to) in outline.iter().enumerate() {
                let from = outline[(i + outline.len() - 1) % outline.len()];
                let place = |c: Corner| point((c.0 - left) as f32, (c.1 - top) as f32);
                mask.draw_line(place(from), place(*to));
            }
        }
        mask.for_each_pixel_2d(|x, y, share| {
            let share = f64::from(share.min(1.0)) * color.alpha;
            if share > 1e-4 {
                self.blend(left as i64 + i64::from(x), top as i64 + i64::from(y), color.rgb, share);
            }
        });
        self.mask = mask;
    }
}

impl DrawingBackend for &mut Raster {
    type ErrorType = Error;

    fn get_size(&self) -> (u32, u32) {
        ((self.width as f64 / self.zoom) as u32, (self.height as f64 / self.zoom) as u32)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Done {
        let (x, y) = self.pixel(at);
        self.blend(x as i64, y as i64, color.rgb, color.alpha);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let corners = [a, (b.0, a.1), b, (a.0, b.1)];
        if fill {
            self.fill_polygon(corners, style)
        } else {
            self.draw_path(corners.into_iter().chain([a]), style)
        }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let path: Vec<Corner> = path.into_iter().map(|at| self.pixel(at)).collect();
        let half = f64::from(style.stroke_width()) * self.zoom / 2.0;
        self.cover(&stroke(&path, half), style.color());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        let outline = disc(self.pixel(center), f64::from(radius) * self.zoom);
        let half = f64::from(style.stroke_width()) * self.zoom / 2.0;
        if fill {
            self.cover(&[outline], style.color());
        } else if let Some(first) = outline.first().copied() {
            let closed: Vec<Corner> = outline.into_iter().chain([first]).collect();
            self.cover(&stroke(&closed, half), style.color());
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let outline = path.into_iter().map(|at| self.pixel(at)).collect();
        self.cover(&[outline], style.color());
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Done {
        let weight = if matches!(style.style(), FontStyle::Bold) { Weight::Bold } else { Weight::Regular };
        let size = style.size() / PLOTTERS_EM * self.zoom;
        let width = font::width(text, size, weight);
        let lead = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => width / 2.0,
            HPos::Right => width,
        };
        let upright = matches!(style.transform(), FontTransform::Rotate270);
        let (x, y) = self.pixel(at);
        let rise = TOP_TO_BASE * size;
        let (x, y) = if upright { (x + rise, y + lead) } else { (x - lead, y + rise) };
        let color = style.color();
        self.letters(text, size, weight, (x.round() as i64, y.round() as i64), upright, color)
            .map_err(DrawingErrorKind::DrawingError)
    }
}

impl Raster {
    /// Draws glyphs on a base line that starts at `origin`; whole pixels keep the letters crisp.
    fn letters(
        &mut self,
        text: &str,
        size: f64,
        weight: Weight,
        origin: (i64, i64),
        upright: bool,
        color: BackendColor,
    ) -> Result<(), Error> {
        for glyph in font::glyphs(text, size, weight)? {
            font::cover(glyph, weight, |x, y, share| {
                let (x, y) = (i64::from(x), i64::from(y));
                let (x, y) =
                    if upright { (origin.0 + y, origin.1 - x - 1) } else { (origin.0 + x, origin.1 + y) };
                self.blend(x, y, color.rgb, f64::from(share) * color.alpha);
            })?;
        }
        Ok(())
    }
}
