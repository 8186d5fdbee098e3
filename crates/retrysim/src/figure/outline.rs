//! Outlines of thick lines and discs, all turning the same way, so that a union of them can be filled at once.

/// A place in pixels.
pub(super) type Corner = (f64, f64);

/// A line of some thickness: a box a segment, and a disc a bend when the line is thick enough to show it.
pub(super) fn stroke(path: &[Corner], half: f64) -> Vec<Vec<Corner>> {
    let boxes = path.windows(2).filter_map(|pair| segment(pair[0], pair[1], half));
    let corners = path.windows(3).filter(|three| half > 0.6 && turns(three[0], three[1], three[2]));
    let discs = corners.map(|three| disc(three[1], half));
    boxes.chain(discs).collect()
}

/// Whether the path bends at `b` by more than some 14 degrees; below that the boxes meet well enough.
fn turns(a: Corner, b: Corner, c: Corner) -> bool {
    let (ux, uy, vx, vy) = (b.0 - a.0, b.1 - a.1, c.0 - b.0, c.1 - b.1);
    ux * vx + uy * vy < 0.97 * ((ux * ux + uy * uy) * (vx * vx + vy * vy)).sqrt()
}

fn segment(a: Corner, b: Corner, half: f64) -> Option<Vec<Corner>> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = (dx * dx + dy * dy).sqrt();
    let (nx, ny) = (-dy / length * half, dx / length * half);
    (length > 0.0)
        .then(|| vec![(a.0 - nx, a.1 - ny), (b.0 - nx, b.1 - ny), (b.0 + nx, b.1 + ny), (a.0 + nx, a.1 + ny)])
}

pub(super) fn disc(center: Corner, radius: f64) -> Vec<Corner> {
    let sides = (6.0 * radius.max(1.0).sqrt() + 6.0) as u32;
    (0..sides)
        .map(|i| std::f64::consts::TAU * f64::from(i) / f64::from(sides))
        .map(|turn| (center.0 + radius * libm::cos(turn), center.1 + radius * libm::sin(turn)))
        .collect()
}
