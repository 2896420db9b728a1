//! The tables of a TrueType font that charts need: which glyph a character has, how wide it is, and
//! where its outline is stored.
//!
//! The format is that of the OpenType specification, for fonts with outlines in the table `glyf`.
//! All numbers are big-endian. A font is read from disk and may be damaged, so every access is
//! checked; what is missing is an unknown glyph or a width of zero.

/// Returns the unsigned 16-bit number at an offset.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_be_bytes)
}

/// Returns the signed 16-bit number at an offset.
pub(super) fn i16_at(bytes: &[u8], at: usize) -> Option<i16> {
    u16_at(bytes, at).map(u16::cast_signed)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_be_bytes)
}

/// The first bytes of a font with outlines in `glyf`: version 1.0, or the tag of old Apple fonts.
const VERSIONS: [u32; 2] = [0x0001_0000, 0x7472_7565];

/// A TrueType font.
pub struct Font<'a> {
    /// Units of a square as high as a line.
    pub units_per_em: u16,
    characters: Characters<'a>,
    /// Widths: two numbers of 16 bits for each glyph, of which the last ones share theirs.
    widths: &'a [u8],
    width_count: u16,
    /// Offsets of outlines, in 32 bits, or halved in 16.
    offsets: &'a [u8],
    are_offsets_long: bool,
    outlines: &'a [u8],
}

impl<'a> Font<'a> {
    /// Finds the tables; none if this is not a TrueType font.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        VERSIONS.contains(&u32_at(bytes, 0)?).then_some(())?;
        let count = usize::from(u16_at(bytes, 4)?);
        let table = |name: &[u8; 4]| {
            let record = (0..count).map(|number| 12 + 16 * number);
            let record = record.into_iter().find(|at| bytes.get(*at..at + 4) == Some(name))?;
            let (start, length) = (u32_at(bytes, record + 8)? as usize, u32_at(bytes, record + 12)? as usize);
            bytes.get(start..start.checked_add(length)?)
        };
        let head = table(b"head")?;
        Some(Self {
            units_per_em: u16_at(head, 18).filter(|units| *units > 0)?,
            characters: Characters::new(table(b"cmap")?)?,
            widths: table(b"hmtx")?,
            width_count: u16_at(table(b"hhea")?, 34)?,
            offsets: table(b"loca")?,
            are_offsets_long: u16_at(head, 50)? != 0,
            outlines: table(b"glyf")?,
        })
    }

    /// Returns the glyph of a character; 0, the symbol of a missing one, if there is none.
    pub fn glyph(&self, character: char) -> u16 {
        self.characters.glyph(u32::from(character)).unwrap_or(0)
    }

    /// Returns the width of a glyph.
    pub fn width(&self, glyph: u16) -> u16 {
        let at = usize::from(glyph.min(self.width_count.saturating_sub(1)));
        u16_at(self.widths, 4 * at).unwrap_or(0)
    }

    /// Returns the stored outline of a glyph; none if it has none, such as a space.
    pub fn outline(&self, glyph: u16) -> Option<&'a [u8]> {
        let offset = |glyph: usize| {
            if self.are_offsets_long {
                u32_at(self.offsets, 4 * glyph).map(|offset| offset as usize)
            } else {
                u16_at(self.offsets, 2 * glyph).map(|half| 2 * usize::from(half))
            }
        };
        let glyph = usize::from(glyph);
        self.outlines.get(offset(glyph)?..offset(glyph + 1)?).filter(|outline| !outline.is_empty())
    }
}

/// A table from characters to glyphs.
enum Characters<'a> {
    /// Format 4: segments of 16-bit characters.
    Segments { bytes: &'a [u8], count: usize },
    /// Format 12: groups of characters with consecutive glyphs.
    Groups { bytes: &'a [u8], count: usize },
}

impl<'a> Characters<'a> {
    /// Selects a table for Unicode; one for all of it is preferred.
    fn new(cmap: &'a [u8]) -> Option<Self> {
        let count = usize::from(u16_at(cmap, 2)?);
        let tables: Vec<Self> = (0..count).filter_map(|number| Self::at(cmap, 4 + 8 * number)).collect();
        let is_complete = |table: &Self| matches!(table, Self::Groups { .. });
        let preferred = tables.iter().position(is_complete).unwrap_or(0);
        tables.into_iter().nth(preferred)
    }

    /// Reads one record of the list of tables; none if it is not for Unicode, or of another format.
    fn at(cmap: &'a [u8], record: usize) -> Option<Self> {
        let is_unicode = matches!((u16_at(cmap, record)?, u16_at(cmap, record + 2)?), (0, _) | (3, 1 | 10));
        let bytes = cmap.get(u32_at(cmap, record + 4)? as usize..).filter(|_| is_unicode)?;
        match u16_at(bytes, 0)? {
            4 => Some(Self::Segments { bytes, count: usize::from(u16_at(bytes, 6)?) / 2 }),
            12 => Some(Self::Groups { bytes, count: u32_at(bytes, 12)? as usize }),
            _ => None,
        }
    }

    fn glyph(&self, character: u32) -> Option<u16> {
        match *self {
            Self::Segments { bytes, count } => in_segments(bytes, count, u16::try_from(character).ok()?),
            Self::Groups { bytes, count } => in_groups(bytes, count, character),
        }
    }
}

/// Columns of a segment: its last and first character, what is added to a character to get its
/// glyph, and where instead a list of glyphs begins, counted from there.
fn in_segments(bytes: &[u8], count: usize, character: u16) -> Option<u16> {
    let column = |number: usize, segment: usize| {
        let padding = if number == 0 { 0 } else { 2 };
        14 + padding + 2 * (number * count + segment)
    };
    let last = |segment: &usize| u16_at(bytes, column(0, *segment)).is_some_and(|last| last >= character);
    let segment = (0..count.min(bytes.len())).find(last)?;
    let first = u16_at(bytes, column(1, segment)).filter(|first| *first <= character)?;
    let change = u16_at(bytes, column(2, segment))?;
    let place = column(3, segment);
    match u16_at(bytes, place)? {
        0 => Some(character.wrapping_add(change)),
        offset => {
            let glyph = u16_at(bytes, place + usize::from(offset) + 2 * usize::from(character - first))?;
            (glyph != 0).then(|| glyph.wrapping_add(change))
        }
    }
}

/// A group: its first and last character, and the glyph of the first.
fn in_groups(bytes: &[u8], count: usize, character: u32) -> Option<u16> {
    (0..count).map(|group| 16 + 12 * group).map_while(|at| Some((at, u32_at(bytes, at)?))).find_map(
        |(at, first)| {
            let last = u32_at(bytes, at + 4)?;
            let glyph = u32_at(bytes, at + 8)?.checked_add(character.checked_sub(first)?)?;
            u16::try_from(glyph).ok().filter(|_| character <= last)
        },
    )
}
