//! The bundled typeface (Inter, SIL Open Font License) and the measure of words. No system fonts.

use super::error::Error;
use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use std::sync::OnceLock;

const REGULAR: &[u8] = include_bytes!("../../assets/Inter-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/Inter-SemiBold.ttf");

/// Families an SVG asks its viewer for, in this order.
pub(super) const FAMILIES: &str = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/// Thickness of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

fn face(weight: Weight) -> Result<&'static FontRef<'static>, Error> {
    static REGULAR_FACE: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    static BOLD_FACE: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    let (cell, bytes) = match weight {
        Weight::Regular => (&REGULAR_FACE, REGULAR),
        Weight::Bold => (&BOLD_FACE, BOLD),
    };
    cell.get_or_init(|| FontRef::try_from_slice(bytes).ok()).as_ref().ok_or(Error::Font)
}

/// Letters are `size` pixels an em; ab_glyph counts from ascender to descender instead.
fn scale(face: &FontRef<'_>, size: f64) -> PxScale {
    let em = face.units_per_em().unwrap_or(2048.0);
    PxScale::from(size as f32 * face.height_unscaled() / em)
}

/// Width of a text in pixels at `size` pixels an em; 0 if the font is broken, which drawing reports.
pub(super) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    const FINE: f64 = 100.0;
    let Ok(face) = face(weight) else { return 0.0 };
    let scaled = face.as_scaled(scale(face, FINE));
    let fine: f32 = text.chars().map(|c| scaled.h_advance(face.glyph_id(c))).sum();
    f64::from(fine) * size / FINE
}

/// The glyphs of a text on a base line from (0, 0), in pixels.
pub(super) fn glyphs(text: &str, size: f64, weight: Weight) -> Result<Vec<Glyph>, Error> {
    let face = face(weight)?;
    let scale = scale(face, size);
    let scaled = face.as_scaled(scale);
    let mut pen = 0.0;
    Ok(text
        .chars()
        .map(|c| {
            let id = face.glyph_id(c);
            let glyph = id.with_scale_and_position(scale, point(pen, 0.0));
            pen += scaled.h_advance(id);
            glyph
        })
        .collect())
}

/// Gives the covered pixels of a glyph, relative to the start of the base line, with their share of ink.
pub(super) fn cover(glyph: Glyph, weight: Weight, mut pixel: impl FnMut(i32, i32, f32)) -> Result<(), Error> {
    if let Some(outline) = face(weight)?.outline_glyph(glyph) {
        let corner = outline.px_bounds().min;
        let (left, top) = (corner.x as i32, corner.y as i32);
        outline.draw(|x, y, share| pixel(left + x as i32, top + y as i32, share));
    }
    Ok(())
}

/// Breaks a text at spaces into lines no wider than `room`; a single longer word stands alone.
pub(super) fn wrap(text: &str, size: f64, weight: Weight, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size, weight) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_knows_the_signs_we_write() {
        for c in "\u{2212}\u{d7}\u{b1}\u{2013}\u{b7}\u{2264}\u{2265}⁰¹²³⁴⁵⁶⁷⁸⁹⁻µσ→".chars()
        {
            for weight in [Weight::Regular, Weight::Bold] {
                assert_ne!(face(weight).unwrap().glyph_id(c).0, 0, "{c}");
            }
        }
    }

    #[test]
    fn long_texts_wrap_within_the_room() {
        let lines =
            wrap("the same policy always gets the same colour in every figure", 14.0, Weight::Regular, 150.0);
        assert!(lines.len() >= 3);
        assert!(lines.iter().all(|line| width(line, 14.0, Weight::Regular) <= 150.0));
    }
}
