//! Strokes and markers: dashes, the six marker shapes, and cutting at the frame.

use super::page::{Ink, Page, Point, Rect};
use super::style::{Dash, Marker};

impl Page {
    /// A line in dashes.
    pub(super) fn dashed(&mut self, points: &[Point], dash: Dash, width: f64, ink: impl Into<Ink>) {
        let ink = ink.into();
        if dash == Dash::Solid {
            self.stroke(points.to_vec(), width, ink);
            return;
        }
        for piece in dashes(points, dash.pattern()) {
            self.stroke(piece, width, ink);
        }
    }

    /// A line cut at the frame, in dashes.
    pub(super) fn framed(
        &mut self,
        points: &[Point],
        frame: Rect,
        dash: Dash,
        width: f64,
        ink: impl Into<Ink>,
    ) {
        let ink = ink.into();
        for piece in cut_line(points, frame) {
            self.dashed(&piece, dash, width, ink);
        }
    }

    /// A marker of about `size` pixels across.
    pub(super) fn marker(&mut self, marker: Marker, (x, y): Point, size: f64, ink: impl Into<Ink>) {
        let ink = ink.into();
        let r = size / 2.0;
        match marker {
            Marker::Circle => self.disc((x, y), r, ink),
            Marker::Square => {
                let s = 0.88 * r;
                self.rect(Rect { left: x - s, top: y - s, right: x + s, bottom: y + s }, ink);
            }
            Marker::Triangle => {
                self.fill(
                    vec![(x, y - 1.15 * r), (x + 1.1 * r, y + 0.8 * r), (x - 1.1 * r, y + 0.8 * r)],
                    ink,
                );
            }
            Marker::Wedge => {
                self.fill(
                    vec![(x, y + 1.15 * r), (x - 1.1 * r, y - 0.8 * r), (x + 1.1 * r, y - 0.8 * r)],
                    ink,
                );
            }
            Marker::Diamond => {
                let d = 1.2 * r;
                self.fill(vec![(x, y - d), (x + d, y), (x, y + d), (x - d, y)], ink);
            }
            Marker::Plus => {
                let (a, b) = (1.15 * r, 0.38 * r);
                let half = [(-b, -a), (b, -a), (b, -b), (a, -b), (a, b), (b, b)];
                let turned = half.map(|(dx, dy)| (-dx, -dy));
                self.fill(half.into_iter().chain(turned).map(|(dx, dy)| (x + dx, y + dy)).collect(), ink);
            }
        }
    }
}

/// The drawn pieces of a dashed line.
fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
    let (mut slot, mut left) = (0, pattern.first().copied().unwrap_or(f64::INFINITY));
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut rest = distance(from, to);
        while rest > left {
            from = along(from, to, left / rest);
            rest -= left;
            piece.push(from);
            if slot % 2 == 0 {
                pieces.push(std::mem::take(&mut piece));
            }
            slot = (slot + 1) % pattern.len();
            left = pattern[slot].max(0.1);
            piece = vec![from];
        }
        left -= rest;
        piece.push(to);
    }
    if slot % 2 == 0 {
        pieces.push(piece);
    }
    pieces
}

fn distance(a: Point, b: Point) -> f64 {
    ((b.0 - a.0).powi(2) + (b.1 - a.1).powi(2)).sqrt()
}

fn along(a: Point, b: Point, t: f64) -> Point {
    (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t)
}

/// The pieces of a line inside the frame.
pub(super) fn cut_line(points: &[Point], frame: Rect) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let Some((from, to)) = cut_segment(pair[0], pair[1], frame) else {
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&from) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces
}

/// Liang and Barsky's cut of one segment.
fn cut_segment(a: Point, b: Point, frame: Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let sides =
        [(-dx, a.0 - frame.left), (dx, frame.right - a.0), (-dy, a.1 - frame.top), (dy, frame.bottom - a.1)];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (speed, room) in sides {
        match speed {
            0.0 if room < -1e-9 => return None,
            0.0 => {}
            s if s < 0.0 => enter = enter.max(room / s),
            s => leave = leave.min(room / s),
        }
    }
    let at = |t: f64, whole: f64, end: Point| if t == whole { end } else { along(a, b, t) };
    (enter <= leave).then(|| (at(enter, 0.0, a), at(leave, 1.0, b)))
}

/// The part of an area inside the frame, after Sutherland and Hodgman.
pub(super) fn cut_area(points: Vec<Point>, frame: Rect) -> Vec<Point> {
    let depths: [&dyn Fn(Point) -> f64; 4] =
        [&|p| p.0 - frame.left, &|p| frame.right - p.0, &|p| p.1 - frame.top, &|p| frame.bottom - p.1];
    depths.into_iter().fold(points, |area, depth| cut_side(&area, depth))
}

fn cut_side(area: &[Point], depth: &dyn Fn(Point) -> f64) -> Vec<Point> {
    let mut kept = Vec::with_capacity(area.len() + 2);
    for (i, &to) in area.iter().enumerate() {
        let from = area[(i + area.len() - 1) % area.len()];
        let (before, now) = (depth(from), depth(to));
        if (before < 0.0) != (now < 0.0) {
            kept.push(along(from, to, before / (before - now)));
        }
        if now >= 0.0 {
            kept.push(to);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rect = Rect { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn lines_are_cut_at_the_frame() {
        let pieces = cut_line(&[(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)], FRAME);
        assert_eq!(pieces, [vec![(0.0, 5.0), (5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]]);
    }

    #[test]
    fn areas_are_cut_at_the_frame() {
        let area = cut_area(vec![(-5.0, -5.0), (20.0, -5.0), (20.0, 20.0), (-5.0, 20.0)], FRAME);
        assert!(area.iter().all(|p| (0.0..=10.0).contains(&p.0) && (0.0..=10.0).contains(&p.1)));
        assert!(area.len() >= 4);
    }

    #[test]
    fn dashes_run_round_corners() {
        let pieces = dashes(&[(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)], &[4.0, 2.0]);
        assert_eq!(pieces, [vec![(0.0, 0.0), (4.0, 0.0)], vec![(5.0, 1.0), (5.0, 5.0)]]);
    }
}
