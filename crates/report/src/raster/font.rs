//! Glyph outlines of a system font.

use std::path::{Path, PathBuf};

use tiny_skia::{PathBuilder, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::Error;

/// A regular and a bold sans-serif font.
pub(super) struct Fonts {
    regular: Vec<u8>,
    bold: Vec<u8>,
}

/// File names without extension, in order of preference. The bold font has the same index in its
/// list.
const REGULAR: [&str; 8] = [
    "Inter-Regular",
    "NotoSans-Regular",
    "LiberationSans-Regular",
    "DejaVuSans",
    "Arial",
    "arial",
    "FreeSans",
    "Ubuntu-R",
];
const BOLD: [&str; 8] = [
    "Inter-Bold",
    "NotoSans-Bold",
    "LiberationSans-Bold",
    "DejaVuSans-Bold",
    "Arial Bold",
    "arialbd",
    "FreeSansBold",
    "Ubuntu-B",
];

/// Upper limit of the depth of directories searched.
const MAX_DEPTH: usize = 5;

impl Fonts {
    /// Loads the best of the known fonts that is installed.
    pub fn of_system() -> Result<Self, Error> {
        let places = places();
        let mut found = Vec::new();
        for place in &places {
            fonts(place, MAX_DEPTH, &mut found);
        }
        let named = |name: &str| {
            let path = found.iter().find(|path| path.file_stem().is_some_and(|stem| stem == name))?;
            let bytes = std::fs::read(path).ok()?;
            Face::parse(&bytes, 0).is_ok().then_some(bytes)
        };
        let pair = |(regular, bold): (&&str, &&str)| {
            let regular = named(regular)?;
            let bold = named(bold).unwrap_or_else(|| regular.clone());
            Some(Self { regular, bold })
        };
        let missing = || Error::NoFont(places.iter().map(|place| place.display().to_string()).collect());
        REGULAR.iter().zip(&BOLD).find_map(pair).ok_or_else(missing)
    }

    /// Returns a line of text as an outline that starts at the origin, and its width.
    pub fn line(&self, text: &str, size: f32, is_bold: bool) -> (Option<tiny_skia::Path>, f32) {
        let bytes = if is_bold { &self.bold } else { &self.regular };
        let Ok(face) = Face::parse(bytes, 0) else { return (None, 0.0) };
        let scale = size / f32::from(face.units_per_em());
        let mut pen = Pen { builder: PathBuilder::new(), x: 0.0 };
        for character in text.chars() {
            // Unknown characters are drawn as the font's missing-glyph symbol.
            let glyph = face.glyph_index(character).unwrap_or_default();
            face.outline_glyph(glyph, &mut pen);
            pen.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        }
        let path = pen.builder.finish().and_then(|path| path.transform(Transform::from_scale(scale, -scale)));
        (path, pen.x * scale)
    }
}

fn places() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = home
        .iter()
        .flat_map(|home| [home.join(".local/share/fonts"), home.join(".fonts"), home.join("Library/Fonts")]);
    let common = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];
    own.chain(common.map(PathBuf::from)).collect()
}

fn fonts(place: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(place) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // Sorted, so that every run finds the same font.
    paths.sort();
    for path in paths {
        let is_font = path.extension().is_some_and(|extension| extension == "ttf" || extension == "otf");
        if is_font {
            found.push(path);
        } else if depth > 0 && path.is_dir() {
            fonts(&path, depth - 1, found);
        }
    }
}

/// Places glyphs beside each other.
struct Pen {
    builder: PathBuilder,
    x: f32,
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.builder.move_to(self.x + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.builder.line_to(self.x + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.builder.quad_to(self.x + x1, y1, self.x + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.builder.cubic_to(self.x + x1, y1, self.x + x2, y2, self.x + x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}
