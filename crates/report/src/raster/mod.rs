//! PNG images, for programs that do not take SVG.
//!
//! This draws the SVG that [`crate::chart`] writes and no other: paths, rectangles, circles and
//! lines of text, in groups with a colour. A general renderer would bring text shaping and forty
//! crates for it. Text is set in a sans-serif font of the system.

mod draw;
mod font;
mod outline;
mod parse;
mod truetype;

use tiny_skia::{Pixmap, Transform};

use draw::Canvas;
use font::Fonts;

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No font was found in any of these directories.
    NoFont(Vec<String>),
    /// The image would be too large, or is empty.
    NoImage(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoFont(places) => write!(
                f,
                "a PNG needs a font (DejaVu Sans, Liberation Sans, Noto Sans or similar), and none was found below {}; \
                 install one, or write .svg, which needs none",
                places.join(", ")
            ),
            Self::NoImage(why) => write!(f, "cannot write PNG: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// Renders an SVG of [`crate::chart`] as a PNG, with `scale` pixels per pixel of the drawing.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, Error> {
    let fonts = Fonts::of_system()?;
    render(svg, scale, &fonts)?.encode_png().map_err(|error| Error::NoImage(error.to_string()))
}

fn render(svg: &str, scale: f32, fonts: &Fonts) -> Result<Pixmap, Error> {
    let (width, height) = parse::size(svg).ok_or_else(|| Error::NoImage("the drawing has no size".into()))?;
    let pixels = |length: f32| (length * scale).ceil() as u32;
    let map = Pixmap::new(pixels(width), pixels(height));
    let map =
        map.ok_or_else(|| Error::NoImage(format!("{width} x {height} at scale {scale} is too large")))?;
    let mut canvas = Canvas::new(map, Transform::from_scale(scale, scale), (width, height), fonts);
    parse::elements(svg, |element| canvas.element(&element));
    Ok(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Chart, Point, Scale, Series, Style, Unit};

    fn chart() -> String {
        let axis = |label: &str| Axis::new(label, Scale::Linear, Unit::Count);
        let points = [Point::with_interval(1.0, 1.0, 0.5, 1.5), Point::new(2.0, 4.0), Point::new(3.0, 2.0)];
        Chart::new("A <chart> & more", axis("x"), axis("y"))
            .series(Series::new("a", Style::LineAndDots, points))
            .series(Series::new("b", Style::Dashed, points))
            .to_svg()
    }

    /// Returns the number of pixels of about this colour.
    fn count(map: &Pixmap, (red, green, blue): (u8, u8, u8)) -> usize {
        let near = |a: u8, b: u8| a.abs_diff(b) < 12;
        map.pixels()
            .iter()
            .filter(|p| near(p.red(), red) && near(p.green(), green) && near(p.blue(), blue))
            .count()
    }

    #[test]
    fn drawn_elements_are_visible() {
        let Ok(fonts) = Fonts::of_system() else { return };
        let map = render(&chart(), 2.0, &fonts).expect("a picture");
        assert_eq!(map.width(), 1520);
        let all = map.pixels().len();
        assert!(count(&map, (0xff, 0xff, 0xff)) > all * 8 / 10, "paper");
        assert!(count(&map, (0x00, 0x72, 0xb2)) > 200, "the first series");
        assert!(count(&map, (0xd5, 0x5e, 0x00)) > 100, "the second");
        assert!(count(&map, (0x1c, 0x21, 0x27)) > 100, "the title");
    }

    #[test]
    fn a_png_has_the_signature() {
        match png(&chart(), 2.0) {
            Ok(bytes) => assert_eq!(bytes[..8], [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n']),
            Err(error) => assert!(matches!(error, Error::NoFont(_)), "{error}"),
        }
    }

    #[test]
    fn invalid_drawings_are_errors() {
        let Ok(fonts) = Fonts::of_system() else { return };
        assert!(matches!(render("no drawing", 1.0, &fonts), Err(Error::NoImage(_))));
        let large = "<svg width=\"1000000\" height=\"1000000\"></svg>";
        assert!(matches!(render(large, 1000.0, &fonts), Err(Error::NoImage(_))));
    }
}
