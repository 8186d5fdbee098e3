//! Light and dark: the colours of paper, ink, lines and series.

/// A colour as red, green, blue.
pub type Rgb = (u8, u8, u8);

/// The paper a figure is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// White paper.
    #[default]
    Light,
    /// Nearly black paper.
    Dark,
}

/// Roles of colours that don't belong to a series.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    pub paper: Rgb,
    pub ink: Rgb,
    pub muted: Rgb,
    pub axis: Rgb,
    pub grid: Rgb,
    pub band: Rgb,
}

const LIGHT: Palette = Palette {
    paper: (255, 255, 255),
    ink: (31, 35, 40),
    muted: (87, 96, 106),
    axis: (140, 149, 159),
    grid: (230, 233, 236),
    band: (231, 233, 237),
};

const DARK: Palette = Palette {
    paper: (17, 21, 27),
    ink: (230, 237, 243),
    muted: (164, 173, 184),
    axis: (110, 118, 129),
    grid: (40, 46, 54),
    band: (43, 49, 58),
};

impl Theme {
    pub(super) fn palette(self) -> &'static Palette {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

/// The eight hues of Okabe and Ito (2008), grey, and five of Paul Tol's muted scheme for names we don't know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Hue {
    Ink,
    Grey,
    Orange,
    Sky,
    Green,
    Yellow,
    Blue,
    Vermilion,
    Purple,
    Indigo,
    Teal,
    Olive,
    Wine,
    Brown,
}

impl Hue {
    /// The colour on this paper: yellow and orange are darkened on white, blue and purple lightened on black.
    pub(super) fn on(self, theme: Theme) -> Rgb {
        let (light, dark) = match self {
            Self::Ink => ((43, 47, 54), (230, 237, 243)),
            Self::Grey => ((132, 140, 150), (139, 148, 158)),
            Self::Orange => ((222, 146, 0), (230, 159, 0)),
            Self::Sky => ((66, 165, 221), (142, 207, 245)),
            Self::Green => ((0, 158, 115), (38, 190, 146)),
            Self::Yellow => ((190, 170, 0), (240, 228, 66)),
            Self::Blue => ((0, 114, 178), (64, 146, 220)),
            Self::Vermilion => ((213, 94, 0), (242, 122, 48)),
            Self::Purple => ((196, 104, 160), (222, 150, 194)),
            Self::Indigo => ((74, 58, 160), (134, 120, 224)),
            Self::Teal => ((50, 150, 136), (92, 199, 181)),
            Self::Olive => ((128, 128, 32), (184, 184, 74)),
            Self::Wine => ((136, 34, 85), (206, 88, 140)),
            Self::Brown => ((140, 86, 58), (190, 130, 98)),
        };
        match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }
}

/// `over` laid on `under` with opacity `share`.
pub(super) fn mix(over: Rgb, under: Rgb, share: f64) -> Rgb {
    let one = |a: u8, b: u8| (f64::from(a) * share + f64::from(b) * (1.0 - share)).round() as u8;
    (one(over.0, under.0), one(over.1, under.1), one(over.2, under.2))
}
