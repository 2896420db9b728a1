//! A font of four glyphs, by hand, and what is drawn of it.

use tiny_skia::{PathBuilder, PathSegment, Transform};

use super::{Font, draw};

fn words(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| (*number as u16).to_be_bytes()).collect()
}

/// A square with its corners at 0 and 100; the first point and the flags repeat.
fn square() -> Vec<u8> {
    let start = words(&[1, 0, 0, 100, 100, 3, 0]);
    // One flag four times: on the curve. Then differences of x and of y, two bytes each.
    [start, vec![1 | 8, 3], words(&[0, 100, 0, -100]), words(&[0, 0, 100, 0])].concat()
}

/// A closed curve whose four points are all beside it: the middles are on it.
fn round() -> Vec<u8> {
    // Short differences: the bits 4 and 5 make them positive.
    let flags = vec![0x36, 0x36, 0x36, 0x26];
    let start = words(&[1, 0, 0, 100, 100, 3, 0]);
    [start, flags, vec![0, 100, 0, 100], vec![0, 0, 100, 0]].concat()
}

/// The square, half as large and moved by (10, -20), twice: words, then bytes.
fn composed() -> Vec<u8> {
    let first = words(&[-1, 0, 0, 0, 0, 1 | 2 | 8 | 32, 1, 10, -20, 0x2000]);
    [first, words(&[2, 1]), vec![200, 5]].concat()
}

fn font() -> Vec<u8> {
    let outlines = [square(), round(), composed()].map(|mut outline| {
        outline.resize(outline.len().next_multiple_of(2), 0);
        outline
    });
    let ends: Vec<i32> = outlines
        .iter()
        .scan(0, |sum, outline| {
            *sum += outline.len() as i32 / 2;
            Some(*sum)
        })
        .collect();
    // A to C by their distance from the first glyph, and the sign for an ellipsis by a list.
    let segments =
        words(&[4, 0, 0, 6, 0, 0, 0, 67, 0x2026, 0xffff, 0, 65, 0x2026, 0xffff, -64, 0, 1, 0, 4, 0, 3]);
    let cmap = [words(&[0, 1, 3, 1, 0, 12]), segments].concat();
    let head = words(&[[0; 9].as_slice(), &[1000], &[0; 16]].concat());
    let hhea = words(&[[0; 17].as_slice(), &[2]].concat());
    let tables: [(&[u8; 4], Vec<u8>); 6] = [
        (b"cmap", cmap),
        (b"glyf", outlines.concat()),
        (b"head", head),
        (b"hhea", hhea),
        (b"hmtx", words(&[500, 0, 120, 0, 0, 0])),
        (b"loca", words(&[&[0, 0], ends.as_slice()].concat())),
    ];
    let mut bytes = words(&[1, 0, tables.len() as i32, 0, 0, 0]);
    let mut start = bytes.len() + 16 * tables.len();
    for (name, table) in &tables {
        bytes.extend(*name);
        bytes.extend([0, start as u32, table.len() as u32].iter().flat_map(|number| number.to_be_bytes()));
        start += table.len();
    }
    bytes.extend(tables.into_iter().flat_map(|(_, table)| table));
    bytes
}

fn drawn(bytes: &[u8], character: char) -> Vec<PathSegment> {
    let font = Font::new(bytes).expect("a font");
    let mut path = PathBuilder::new();
    draw(&font, font.glyph(character), Transform::identity(), &mut path);
    path.finish().map_or(Vec::new(), |path| path.segments().collect())
}

fn at(x: f32, y: f32) -> tiny_skia::Point {
    tiny_skia::Point::from_xy(x, y)
}

#[test]
fn characters_have_their_glyphs_and_widths() {
    let bytes = font();
    let font = Font::new(&bytes).expect("a font");
    assert_eq!(font.units_per_em, 1000);
    assert_eq!(['A', 'B', 'C', '…', 'D', '@', '😀'].map(|c| font.glyph(c)), [1, 2, 3, 3, 0, 0, 0]);
    // The last width is that of all further glyphs.
    assert_eq!([0, 1, 2, 9].map(|glyph| font.width(glyph)), [500, 120, 120, 120]);
}

#[test]
fn outlines_are_drawn() {
    use PathSegment::{Close, LineTo, MoveTo, QuadTo};
    let bytes = font();
    let corners = [at(0.0, 0.0), at(100.0, 0.0), at(100.0, 100.0), at(0.0, 100.0)];
    let square = |place: &dyn Fn(tiny_skia::Point) -> tiny_skia::Point| {
        let [a, b, c, d] = corners.map(place);
        vec![MoveTo(a), LineTo(b), LineTo(c), LineTo(d), LineTo(a), Close]
    };
    assert_eq!(drawn(&bytes, 'A'), square(&|corner| corner));
    assert_eq!(
        drawn(&bytes, 'B'),
        [
            MoveTo(at(0.0, 50.0)),
            QuadTo(corners[0], at(50.0, 0.0)),
            QuadTo(corners[1], at(100.0, 50.0)),
            QuadTo(corners[2], at(50.0, 100.0)),
            QuadTo(corners[3], at(0.0, 50.0)),
            Close
        ]
    );
    let small = square(&|corner| at(corner.x / 2.0 + 10.0, corner.y / 2.0 - 20.0));
    let moved = square(&|corner| at(corner.x - 56.0, corner.y + 5.0));
    assert_eq!(drawn(&bytes, 'C'), [small, moved].concat());
    // The symbol of a missing glyph has no outline here.
    assert_eq!(drawn(&bytes, 'D'), []);
}

/// Draws every glyph.
fn read(bytes: &[u8]) {
    for character in ['A', 'B', 'C', '…'] {
        let _ = drawn(bytes, character);
    }
}

/// A glyph that contains itself, and bytes that are damaged or missing.
#[test]
fn damaged_fonts_are_harmless() {
    let sound = font();
    let mut endless = sound.clone();
    let part = words(&[1 | 2 | 8 | 32, 1, 10, -20, 0x2000]);
    let place = endless.windows(part.len()).position(|bytes| bytes == part).expect("a part");
    endless[place + 3] = 3;
    assert!(drawn(&endless, 'C').len() <= 64 * 6);
    for length in 0..sound.len() {
        if Font::new(&sound[..length]).is_some() {
            read(&sound[..length]);
        }
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = sound.clone();
            damaged[length] = value;
            if Font::new(&damaged).is_some() {
                read(&damaged);
            }
        }
    }
}
