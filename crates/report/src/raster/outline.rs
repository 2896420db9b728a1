//! Parses the outlines of SVG paths, as far as charts use them.

use tiny_skia::{Path, PathBuilder};

/// Parses the commands `M`, `L`, `H`, `V`, `Z` and `A` (semicircles only), absolute and relative.
pub(super) fn path(text: &str) -> Option<Path> {
    let mut pen = Pen { builder: PathBuilder::new(), at: (0.0, 0.0), start: (0.0, 0.0) };
    let mut rest = text;
    while let Some(command) = rest.chars().next() {
        rest = &rest[command.len_utf8()..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(rest.len());
        let numbers: Option<Vec<f32>> = rest[..end]
            .split([',', ' '])
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().ok())
            .collect();
        pen.draw(command, &numbers?)?;
        rest = &rest[end..];
    }
    pen.builder.finish()
}

struct Pen {
    builder: PathBuilder,
    at: (f32, f32),
    start: (f32, f32),
}

impl Pen {
    fn draw(&mut self, command: char, numbers: &[f32]) -> Option<()> {
        let (x, y) = if command.is_ascii_lowercase() { self.at } else { (0.0, 0.0) };
        match (command.to_ascii_uppercase(), numbers) {
            ('M', &[to_x, to_y]) => self.move_to((x + to_x, y + to_y)),
            ('L', &[to_x, to_y]) => self.line_to((x + to_x, y + to_y)),
            ('H', &[to_x]) => self.line_to((x + to_x, self.at.1)),
            ('V', &[to_y]) => self.line_to((self.at.0, y + to_y)),
            ('A', &[radius, _, _, _, sweep, to_x, to_y]) => {
                self.half_circle(radius, sweep, (x + to_x, y + to_y));
            }
            ('Z', []) => {
                self.builder.close();
                self.at = self.start;
            }
            _ => return None,
        }
        Some(())
    }

    fn move_to(&mut self, to: (f32, f32)) {
        self.builder.move_to(to.0, to.1);
        (self.at, self.start) = (to, to);
    }

    fn line_to(&mut self, to: (f32, f32)) {
        // A zero-length line is a dot with round caps, which the renderer omits.
        let drawn = if to == self.at { (to.0 + 0.01, to.1) } else { to };
        self.builder.line_to(drawn.0, drawn.1);
        self.at = to;
    }

    /// Draws a semicircle, the only arcs that markers have, as two quarters.
    fn half_circle(&mut self, radius: f32, sweep: f32, to: (f32, f32)) {
        /// Distance of the control points for a quarter of a unit circle as a cubic curve.
        const ROUND: f32 = 0.552_285;
        let (from, middle) = (self.at, (f32::midpoint(self.at.0, to.0), f32::midpoint(self.at.1, to.1)));
        let along = ((to.0 - from.0) / (2.0 * radius), (to.1 - from.1) / (2.0 * radius));
        let side = if sweep > 0.5 { 1.0 } else { -1.0 };
        let across = (along.1 * side, -along.0 * side);
        let top = (middle.0 + across.0 * radius, middle.1 + across.1 * radius);
        let handle = |point: (f32, f32), way: (f32, f32)| {
            (point.0 + way.0 * radius * ROUND, point.1 + way.1 * radius * ROUND)
        };
        let back = (-along.0, -along.1);
        let (a, b) = (handle(from, across), handle(top, back));
        let (c, d) = (handle(top, along), handle(to, across));
        self.builder.cubic_to(a.0, a.1, b.0, b.1, top.0, top.1);
        self.builder.cubic_to(c.0, c.1, d.0, d.1, to.0, to.1);
        self.at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_expected_bounds() {
        let bounds = |text: &str| path(text).map(|path| path.bounds());
        let square = bounds("M1,2h4v4h-4z").expect("a path");
        assert_eq!((square.left(), square.top(), square.right(), square.bottom()), (1.0, 2.0, 5.0, 6.0));
        let circle = bounds("M10,10m-2,0a2,2 0 1 0 4,0a2,2 0 1 0 -4,0z").expect("a circle");
        for (found, wanted) in
            [(circle.left(), 8.0), (circle.right(), 12.0), (circle.top(), 8.0), (circle.bottom(), 12.0)]
        {
            assert!((found - wanted).abs() < 0.01, "{circle:?}");
        }
        assert!(path("M1,1q2,2").is_none() && path("nonsense").is_none());
    }
}
