//! Which policy looks how: one colour, one dash, one marker a name, in every figure.

use super::theme::{Hue, Rgb, Theme};

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Long strokes.
    Long,
    /// Middling strokes.
    Dash,
    /// Stroke, dot.
    DashDot,
    /// Dots.
    Dot,
}

impl Dash {
    /// Lengths drawn and left out in turn, in logical pixels; empty for unbroken.
    pub(super) fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Long => &[14.0, 4.0],
            Self::Dash => &[7.0, 4.0],
            Self::DashDot => &[9.0, 3.5, 2.5, 3.5],
            Self::Dot => &[2.5, 3.0],
        }
    }
}

/// Shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle standing on its base.
    Triangle,
    /// A triangle standing on its tip.
    Wedge,
    /// A square on its corner.
    Diamond,
    /// An upright cross.
    Plus,
}

/// The look of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Style {
    pub(super) hue: Hue,
    /// How its line is broken.
    pub dash: Dash,
    /// Shape of its points.
    pub marker: Marker,
}

/// The fixed table. Policies that are compared in one experiment have different colours *and* different dashes.
const TABLE: [(&str, Hue, Dash, Marker); 23] = [
    ("no_jitter", Hue::Ink, Dash::Dash, Marker::Circle),
    ("none", Hue::Ink, Dash::Solid, Marker::Circle),
    ("no_retry", Hue::Grey, Dash::Dot, Marker::Plus),
    ("immediate", Hue::Vermilion, Dash::Solid, Marker::Square),
    ("fixed_1s", Hue::Orange, Dash::Dot, Marker::Wedge),
    ("fixed_5s", Hue::Yellow, Dash::Dot, Marker::Plus),
    ("exponential", Hue::Purple, Dash::Long, Marker::Diamond),
    ("exponential_cap_300s", Hue::Purple, Dash::Dot, Marker::Plus),
    ("full", Hue::Blue, Dash::Solid, Marker::Circle),
    ("equal", Hue::Sky, Dash::Dash, Marker::Square),
    ("decorrelated", Hue::Green, Dash::DashDot, Marker::Triangle),
    ("proportional_10pct", Hue::Orange, Dash::Dash, Marker::Wedge),
    ("proportional_25pct", Hue::Vermilion, Dash::Long, Marker::Plus),
    ("attempts_4", Hue::Vermilion, Dash::Dash, Marker::Square),
    ("grpc_throttling", Hue::Green, Dash::Solid, Marker::Diamond),
    ("ratio_10pct", Hue::Blue, Dash::Long, Marker::Circle),
    ("retry_after_ignored", Hue::Vermilion, Dash::Dot, Marker::Diamond),
    ("retry_after_obeyed", Hue::Orange, Dash::Solid, Marker::Circle),
    ("retry_after_floor_1_2x", Hue::Green, Dash::Dash, Marker::Square),
    ("retry_after_full_jitter", Hue::Blue, Dash::Long, Marker::Triangle),
    ("before", Hue::Orange, Dash::Dash, Marker::Square),
    ("after", Hue::Blue, Dash::Solid, Marker::Circle),
    ("theory", Hue::Grey, Dash::Dash, Marker::Plus),
];

const OTHER_HUES: [Hue; 5] = [Hue::Indigo, Hue::Teal, Hue::Wine, Hue::Olive, Hue::Brown];
const DASHES: [Dash; 5] = [Dash::Solid, Dash::Long, Dash::Dash, Dash::DashDot, Dash::Dot];
const MARKERS: [Marker; 6] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Wedge, Marker::Diamond, Marker::Plus];

/// The look of a policy or series: from the fixed table, or for other names from a stable hash (FNV-1a)
/// over five further hues, five dashes and six markers.
///
/// ```
/// # use retrysim::figure::style_of;
/// assert_eq!(style_of("my_policy"), style_of("my_policy"));
/// assert_ne!(style_of("full"), style_of("equal"));
/// ```
pub fn style_of(name: &str) -> Style {
    TABLE
        .iter()
        .find(|row| row.0 == name)
        .map_or_else(|| hashed(name), |&(_, hue, dash, marker)| Style { hue, dash, marker })
}

/// The colour of a policy on this paper; the same in every figure.
pub fn color_of(name: &str, theme: Theme) -> Rgb {
    style_of(name).hue.on(theme)
}

/// FNV-1a, 64 bits, with a final mix because the low bits of short names are poor.
fn hashed(name: &str) -> Style {
    let fnv = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = fnv ^ (fnv >> 32);
    let pick = |shift: u32, n: usize| ((mixed >> shift) as usize & 0xffff) % n;
    Style { hue: OTHER_HUES[pick(0, 5)], dash: DASHES[pick(16, 5)], marker: MARKERS[pick(32, 6)] }
}

/// The looks of the series of one figure, in their order. The colours are those of the names; where two
/// series would share both colour and dash, the later one gets the next dash and marker.
#[derive(Debug, Clone, Default)]
pub(super) struct Styles(Vec<(String, Style)>);

impl Styles {
    pub(super) fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut styles = Self::default();
        for name in names {
            styles.add(name);
        }
        styles
    }

    fn add(&mut self, name: &str) {
        if self.0.iter().any(|(known, _)| known == name) {
            return;
        }
        let mut style = style_of(name);
        for _ in 1..DASHES.len() {
            if !self.0.iter().any(|(_, other)| other.hue == style.hue && other.dash == style.dash) {
                break;
            }
            style = Style { dash: next(&DASHES, style.dash), marker: next(&MARKERS, style.marker), ..style };
        }
        self.0.push((name.to_owned(), style));
    }

    pub(super) fn get(&self, name: &str) -> Style {
        self.0.iter().find(|(known, _)| known == name).map_or_else(|| style_of(name), |&(_, style)| style)
    }
}

fn next<T: Copy + PartialEq>(ring: &[T], now: T) -> T {
    let at = ring.iter().position(|&item| item == now).unwrap_or(0);
    ring[(at + 1) % ring.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_okabe_and_ito() {
        assert_eq!(color_of("full", Theme::Light), (0, 114, 178));
        assert_eq!(color_of("decorrelated", Theme::Light), (0, 158, 115));
        assert_eq!(color_of("immediate", Theme::Light), (213, 94, 0));
    }

    #[test]
    fn unknown_names_keep_their_look() {
        assert_eq!(style_of("my_policy"), Styles::of(["full", "my_policy"]).get("my_policy"));
        let looks: std::collections::HashSet<_> =
            ["alpha", "beta", "gamma", "delta", "my_policy", "p1", "p2", "p3"].map(style_of).into();
        assert!(looks.len() >= 7);
    }

    #[test]
    fn policies_of_one_experiment_differ_in_colour_and_dash_or_marker() {
        let herd = ["immediate", "fixed_1s", "exponential", "full", "equal", "decorrelated"].map(style_of);
        for (i, a) in herd.iter().enumerate() {
            for b in &herd[..i] {
                assert_ne!(a.hue, b.hue);
                assert!(a.dash != b.dash || a.marker != b.marker);
            }
        }
    }

    #[test]
    fn clashing_series_differ_in_dash_and_keep_colour() {
        let styles = Styles::of(["ratio_10pct", "retry_after_full_jitter"]);
        let [a, b] = ["ratio_10pct", "retry_after_full_jitter"].map(|name| styles.get(name));
        assert_eq!(a.hue, b.hue);
        assert_ne!(a.dash, b.dash);
    }
}
