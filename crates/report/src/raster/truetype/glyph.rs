//! The outline of a glyph of a TrueType font: closed curves of lines and quadratic splines, or
//! other glyphs that are moved and scaled.

use tiny_skia::{PathBuilder, Transform};

use super::tables::{Font, i16_at, u16_at};

/// The most glyphs of which one may consist, directly or not: accents and ligatures have three.
const MOST_PARTS: usize = 64;
/// The deepest nesting of glyphs in glyphs.
const MOST_NESTED: usize = 8;

/// Adds the outline of a glyph to a path, as far as it is valid.
pub fn draw(font: &Font<'_>, glyph: u16, place: Transform, path: &mut PathBuilder) {
    let mut parts = MOST_PARTS;
    part(font, glyph, place, MOST_NESTED, &mut parts, path);
}

fn part(
    font: &Font<'_>,
    glyph: u16,
    place: Transform,
    nested: usize,
    parts: &mut usize,
    path: &mut PathBuilder,
) -> Option<()> {
    (*parts, _) = (parts.checked_sub(1)?, nested.checked_sub(1)?);
    let outline = font.outline(glyph)?;
    if let Ok(contours) = usize::try_from(i16_at(outline, 0)?) {
        let points = points(outline, contours)?;
        for contour in &points {
            draw_contour(contour, place, path);
        }
        return Some(());
    }
    // Behind the number of contours are four numbers: the bounds.
    let mut at = 10;
    loop {
        let flags = u16_at(outline, at)?;
        let (glyph, local, end) = component(outline, at, flags)?;
        part(font, glyph, place.pre_concat(local), nested - 1, parts, path);
        at = end;
        if flags & MORE_PARTS == 0 {
            return Some(());
        }
    }
}

const WORDS: u16 = 1;
const ARE_OFFSETS: u16 = 1 << 1;
const ONE_SCALE: u16 = 1 << 3;
const MORE_PARTS: u16 = 1 << 5;
const TWO_SCALES: u16 = 1 << 6;
const MATRIX: u16 = 1 << 7;

/// Returns the glyph of a part, where it is placed, and the offset behind it.
fn component(outline: &[u8], at: usize, flags: u16) -> Option<(u16, Transform, usize)> {
    let glyph = u16_at(outline, at + 2)?;
    let (x, y, mut end) = if flags & WORDS == 0 {
        let byte = |at: usize| outline.get(at).map(|byte| f32::from(byte.cast_signed()));
        (byte(at + 4)?, byte(at + 5)?, at + 6)
    } else {
        (f32::from(i16_at(outline, at + 4)?), f32::from(i16_at(outline, at + 6)?), at + 8)
    };
    // The alternative, points that must coincide, is not in use for plain text.
    let (x, y) = if flags & ARE_OFFSETS == 0 { (0.0, 0.0) } else { (x, y) };
    let mut scale = || {
        end += 2;
        // A fixed-point number with 14 bits behind the point.
        i16_at(outline, end - 2).map(|fixed| f32::from(fixed) / 16_384.0)
    };
    let [xx, yx, xy, yy] = if flags & MATRIX != 0 {
        [scale()?, scale()?, scale()?, scale()?]
    } else if flags & TWO_SCALES != 0 {
        [scale()?, 0.0, 0.0, scale()?]
    } else if flags & ONE_SCALE != 0 {
        let both = scale()?;
        [both, 0.0, 0.0, both]
    } else {
        [1.0, 0.0, 0.0, 1.0]
    };
    Some((glyph, Transform::from_row(xx, yx, xy, yy, x, y), end))
}

/// A point of a contour.
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
    /// Whether the contour passes through it; other points attract it.
    is_on: bool,
}

impl Point {
    fn middle(self, other: Self) -> Self {
        Self { x: f32::midpoint(self.x, other.x), y: f32::midpoint(self.y, other.y), is_on: true }
    }
}

const ON_CURVE: u8 = 1;
const X_SHORT: u8 = 1 << 1;
const Y_SHORT: u8 = 1 << 2;
const REPEAT: u8 = 1 << 3;
const X_SAME_OR_POSITIVE: u8 = 1 << 4;
const Y_SAME_OR_POSITIVE: u8 = 1 << 5;

/// Reads the contours: the last point of each, instructions, flags, then differences of x and of y.
fn points(outline: &[u8], contours: usize) -> Option<Vec<Vec<Point>>> {
    let ends: Vec<usize> = (0..contours)
        .map(|number| u16_at(outline, 10 + 2 * number).map(usize::from))
        .collect::<Option<_>>()?;
    let count = ends.last().map_or(0, |last| last + 1);
    let mut at = 10 + 2 * contours;
    at += 2 + usize::from(u16_at(outline, at)?);
    let mut flags = Vec::new();
    while flags.len() < count {
        let flag = *outline.get(at)?;
        at += 1;
        let mut times = 1;
        if flag & REPEAT != 0 {
            times += usize::from(*outline.get(at)?);
            at += 1;
        }
        flags.extend(std::iter::repeat_n(flag, times.min(count - flags.len())));
    }
    let (xs, at) = coordinates(outline, at, &flags, X_SHORT, X_SAME_OR_POSITIVE)?;
    let (ys, _) = coordinates(outline, at, &flags, Y_SHORT, Y_SAME_OR_POSITIVE)?;
    let points: Vec<Point> = flags
        .iter()
        .zip(xs.into_iter().zip(ys))
        .map(|(flag, (x, y))| Point { x, y, is_on: flag & ON_CURVE != 0 })
        .collect();
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    starts.zip(&ends).map(|(start, end)| points.get(start..=*end).map(<[Point]>::to_vec)).collect()
}

/// Reads differences as one or two bytes each; returns their sums, and the offset behind them.
fn coordinates(
    outline: &[u8],
    mut at: usize,
    flags: &[u8],
    short: u8,
    same_or_positive: u8,
) -> Option<(Vec<f32>, usize)> {
    let (mut sum, mut sums) = (0.0, Vec::with_capacity(flags.len()));
    for flag in flags {
        let is_set = flag & same_or_positive != 0;
        if flag & short != 0 {
            let length = f32::from(*outline.get(at)?);
            sum += if is_set { length } else { -length };
            at += 1;
        } else if !is_set {
            sum += f32::from(i16_at(outline, at)?);
            at += 2;
        }
        sums.push(sum);
    }
    Some((sums, at))
}

/// Draws a closed contour. Between two points that are not on it, the contour passes their middle.
fn draw_contour(contour: &[Point], place: Transform, path: &mut PathBuilder) {
    let (Some(&first), Some(&last)) = (contour.first(), contour.last()) else { return };
    let (start, rest) = match (first.is_on, last.is_on) {
        (true, _) => (first, &contour[1..]),
        (false, true) => (last, &contour[..contour.len() - 1]),
        (false, false) => (first.middle(last), contour),
    };
    let placed = |point: Point| {
        let mut placed = tiny_skia::Point::from_xy(point.x, point.y);
        place.map_point(&mut placed);
        placed
    };
    let to = placed(start);
    path.move_to(to.x, to.y);
    let mut control: Option<Point> = None;
    for &point in rest.iter().chain([&start]) {
        match control {
            None if point.is_on => {
                let to = placed(point);
                path.line_to(to.x, to.y);
            }
            None => control = Some(point),
            Some(before) => {
                let (by, to) =
                    (placed(before), placed(if point.is_on { point } else { before.middle(point) }));
                path.quad_to(by.x, by.y, to.x, to.y);
                control = (!point.is_on).then_some(point);
            }
        }
    }
    path.close();
}
