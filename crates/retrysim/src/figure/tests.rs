//! Whole figures: bytes, sizes, layout.

use super::draw::compose;
use super::page::{Align, Page, Rect, Shape, Words};
use super::test_figures::*;
use super::*;

#[test]
fn the_paper_reaches_every_edge() {
    let (width, height, pixels) = decoded(&amplification().to_png(1, Theme::Light, &[]).unwrap());
    let last = (height as usize - 1) * width as usize * 3;
    assert!(pixels[last..].iter().all(|&value| value == 255));
    assert!(pixels.chunks(width as usize * 3).all(|row| row.ends_with(&[255, 255, 255])));
}

fn decoded(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn a_png_has_its_size_and_is_not_blank() {
    for scale in [1, 2] {
        let (width, height, pixels) = decoded(&cost().to_png(scale, Theme::Light, &[]).unwrap());
        assert_eq!((width, height), (900 * scale, 560 * scale));
        let inked = pixels.chunks(3).filter(|pixel| *pixel != [255, 255, 255]).count();
        assert!(inked * 50 > pixels.len() / 3, "only {inked} pixels carry ink");
    }
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    for theme in [Theme::Light, Theme::Dark] {
        assert_eq!(herd().to_png(1, theme, &[]).unwrap(), herd().to_png(1, theme, &[]).unwrap());
        assert_eq!(herd().to_svg(theme).unwrap(), herd().to_svg(theme).unwrap());
    }
}

#[test]
fn text_chunks_are_kept() {
    let png = cost().to_png(1, Theme::Light, &[("manifest", "seed = 1"), ("remark", "±10 %")]).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
    assert_eq!(reader.info().uncompressed_latin1_text[0].text, "seed = 1");
    assert_eq!(reader.info().utf8_text[0].get_text().unwrap(), "±10 %");
    assert!(matches!(cost().to_png(1, Theme::Light, &[("", "x")]), Err(Error::Png(_))));
}

#[test]
fn an_svg_contains_its_words() {
    let svg = herd().to_svg(Theme::Dark).unwrap();
    for words in ["A herd of 1,000 clients", "fixed 1 s", "full jitter", "time (s)", "capacity 500 per s"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(svg.starts_with("<svg width=\"900\" height=\"560\""));
    assert!(svg.trim_end().ends_with("</svg>"));
}

#[test]
fn words_stay_on_the_page_and_apart() {
    let long = "A title that is much longer than one line of the figure can hold, so that it has to wrap, with words";
    let mut figures = vec![herd(), cost(), delays(), sweep(), amplification()];
    figures.push(quantile_dots("Dots", Axis::log("time", "s"), 20, &samples()));
    figures.push(ecdf("Times", Axis::log("time", "s"), 0.95, &samples()));
    figures.push(waits("Waits", Axis::linear("wait", "s"), &spread()));
    figures.push(Figure { y: Axis::log(long, ""), ..cost() });
    figures.push(Figure { title: format!("{long} {long}"), subtitle: Some(long.into()), ..cost() });
    figures.push(cost().size(480, 360));
    for figure in figures {
        let page = compose(&figure, Theme::Light).unwrap();
        let boxes: Vec<(Rect, &Words)> = words(&page).map(|words| (extent(words), words)).collect();
        for (i, (a, text)) in boxes.iter().enumerate() {
            assert!(a.left >= 2.0 && a.right <= page.width - 2.0, "{} is clipped", text.text);
            assert!(a.top >= 2.0 && a.bottom <= page.height - 2.0, "{} is clipped", text.text);
            for (b, other) in &boxes[..i] {
                let apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
                assert!(apart, "`{}` overlaps `{}`", text.text, other.text);
            }
        }
    }
}

fn words(page: &Page) -> impl Iterator<Item = &Words> {
    page.shapes.iter().filter_map(|shape| if let Shape::Words(words) = shape { Some(words) } else { None })
}

/// How far before its position a text begins.
fn lead(words: &Words) -> f64 {
    match words.align {
        Align::Start => 0.0,
        Align::Middle => words.width() / 2.0,
        Align::End => words.width(),
    }
}

fn extent(words: &Words) -> Rect {
    let ((x, y), up, down) = (words.at, 0.75 * words.size, 0.2 * words.size);
    let (start, end) = (-lead(words), words.width() - lead(words));
    if words.upright {
        Rect { left: x - up, right: x + down, top: y - end, bottom: y - start }
    } else {
        Rect { left: x + start, right: x + end, top: y - up, bottom: y + down }
    }
}
