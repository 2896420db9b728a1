//! Reads TrueType fonts, as far as charts need them: plain text from left to right, without hinting
//! and kerning.

mod glyph;
mod tables;
#[cfg(test)]
mod tests;

pub use glyph::draw;
pub use tables::Font;
