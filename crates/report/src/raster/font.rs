//! Glyph outlines of a system font.

use std::path::{Path, PathBuf};

use tiny_skia::{PathBuilder, Transform};

use super::Error;
use super::truetype::{Font, draw};

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
            Font::new(&bytes).is_some().then_some(bytes)
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
        let Some(font) = Font::new(bytes) else { return (None, 0.0) };
        let scale = size / f32::from(font.units_per_em);
        let (mut path, mut x) = (PathBuilder::new(), 0.0);
        for character in text.chars() {
            // Unknown characters are drawn as the font's missing-glyph symbol.
            let glyph = font.glyph(character);
            draw(&font, glyph, Transform::from_translate(x, 0.0), &mut path);
            x += f32::from(font.width(glyph));
        }
        let path = path.finish().and_then(|path| path.transform(Transform::from_scale(scale, -scale)));
        (path, x * scale)
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
        let is_font = path.extension().is_some_and(|extension| extension == "ttf");
        if is_font {
            found.push(path);
        } else if depth > 0 && path.is_dir() {
            fonts(&path, depth - 1, found);
        }
    }
}
