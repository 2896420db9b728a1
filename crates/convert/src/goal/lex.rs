//! Lexer: splits a GOAL schedule into lines, and lines into tokens.
//!
//! Tokens are borrowed from the text and produced one at a time, so that no line allocates. A word
//! is a run of letters, digits, `_` and `-`; every other character is a token of its own, except
//! white space and comments. A block comment may span lines.
//!
//! Nearly all words have at most eight bytes. A token carries its first eight as one number, with
//! which keywords are compared and decimals converted without a loop.

use super::word::{Word, first_bytes};
use crate::error::Error;

/// A result of the parser.
pub type Parsed<T> = Result<T, ParseError>;

/// An error of the parser, boxed so that results of primitives fit into registers.
#[derive(Debug)]
pub struct ParseError(Box<Error>);

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        *error.0
    }
}

/// Upper limit of a line's length, in bytes: a schedule has one operation per line, and a longer
/// line is most likely not a schedule.
const MAX_LINE_BYTES: usize = 1 << 20;

/// A word or a punctuation character.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    pub text: &'a [u8],
    /// The first eight bytes of the text, as [`first_bytes`] returns them.
    pub bytes: u64,
    /// Column, counted from 1.
    pub column: usize,
}

impl Token<'_> {
    #[inline]
    pub fn is(&self, word: Word) -> bool {
        word.matches(self.text, self.bytes)
    }
}

/// The lines of a part of a text, and the tokens of the current line.
pub struct Lines<'a> {
    text: &'a [u8],
    file: &'a str,
    /// Offset of the next line.
    following: usize,
    /// Offset behind the last line of the part.
    part_end: usize,
    /// Number of the current line, counted from 1 at the beginning of the part.
    pub number: usize,
    /// Offsets of the current line.
    line: (usize, usize),
    /// Offset behind the next token.
    at: usize,
    next: Option<Token<'a>>,
    /// Column behind the last token that was taken.
    pub end: usize,
    /// Whether the text up to `at` ends inside a block comment.
    pub in_comment: bool,
}

impl<'a> Lines<'a> {
    /// Returns the lines of `text[start..end]`, which begins at the beginning of a line.
    pub fn new(text: &'a [u8], file: &'a str, start: usize, end: usize) -> Self {
        Self {
            text,
            file,
            following: start,
            part_end: end,
            number: 0,
            line: (start, start),
            at: start,
            next: None,
            end: 1,
            in_comment: false,
        }
    }

    /// Returns the offset of the next line.
    pub fn offset(&self) -> usize {
        self.following.min(self.text.len())
    }

    /// Returns whether no line of the text follows those that were read.
    pub fn is_at_end(&self) -> bool {
        self.following >= self.text.len()
    }

    /// Lets the part end at this offset of the text.
    pub fn end_at(&mut self, end: usize) {
        self.part_end = end;
    }

    /// Lets the part end at the end of the text.
    pub fn extend(&mut self) {
        self.part_end = self.text.len();
    }

    /// Moves to the next line; returns false at the end of the part.
    #[inline]
    pub fn advance(&mut self) -> Parsed<bool> {
        if self.following >= self.part_end {
            return Ok(false);
        }
        let start = self.following;
        let (end, is_ascii) = line_end(&self.text[..self.part_end], start);
        self.number += 1;
        self.line = (start, end);
        self.following = end + 1;
        self.at = start;
        self.end = 1;
        if !is_ascii || end - start >= MAX_LINE_BYTES {
            self.check()?;
        }
        if self.in_comment {
            self.skip_comment();
        }
        self.next = self.lex();
        Ok(true)
    }

    #[cold]
    fn check(&self) -> Parsed<()> {
        let line = &self.text[self.line.0..self.line.1];
        if line.len() >= MAX_LINE_BYTES {
            return Err(self.error(1, "line longer than 1 MiB; write one operation per line"));
        }
        std::str::from_utf8(line).map(drop).map_err(|error| {
            self.error(
                error.valid_up_to() + 1,
                "not UTF-8 text; give a GOAL schedule, as text or as txt2bin writes it",
            )
        })
    }

    /// Returns the next token of the line without taking it.
    #[inline]
    pub fn peek(&self) -> Option<Token<'a>> {
        self.next
    }

    /// Takes the next token of the line.
    #[allow(clippy::inline_always, reason = "5 to 10 % of the time (cargo bench --bench goal)")]
    #[inline(always)]
    pub fn take(&mut self) -> Option<Token<'a>> {
        let token = self.next?;
        self.end = token.column + token.text.len();
        self.next = self.lex();
        Some(token)
    }

    #[allow(clippy::inline_always, reason = "5 to 10 % of the time (cargo bench --bench goal)")]
    #[inline(always)]
    fn lex(&mut self) -> Option<Token<'a>> {
        let line = &self.text[..self.line.1];
        let mut at = self.at;
        while let Some(byte) = line.get(at) {
            match CLASSES[*byte as usize] {
                Class::Space => at += 1,
                Class::Word => {
                    let start = at;
                    at += 1;
                    while line.get(at).is_some_and(|byte| CLASSES[*byte as usize] == Class::Word) {
                        at += 1;
                    }
                    self.at = at;
                    return Some(self.token(start));
                }
                Class::Other => {
                    self.at = at;
                    if let Some(token) = self.lex_other() {
                        return Some(token);
                    }
                    at = self.at;
                }
            }
        }
        self.at = at;
        None
    }

    /// Returns the token from `start` to `at`.
    #[inline]
    fn token(&self, start: usize) -> Token<'a> {
        let length = self.at - start;
        Token {
            text: &self.text[start..self.at],
            bytes: first_bytes(&self.text[start..], length),
            column: start - self.line.0 + 1,
        }
    }

    /// Skips a comment or white space that is not ASCII; otherwise returns a character.
    fn lex_other(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..self.line.1];
        if rest.starts_with(b"//") {
            self.at = self.line.1;
            return None;
        }
        if rest.starts_with(b"/*") {
            self.at += 2;
            self.in_comment = true;
            self.skip_comment();
            return None;
        }
        let start = self.at;
        let mut is_space = false;
        self.at += 1;
        if !rest[0].is_ascii() {
            // UTF-8 was checked by `advance`.
            let character = std::str::from_utf8(rest).ok().and_then(|rest| rest.chars().next());
            self.at = start + character.map_or(1, char::len_utf8);
            is_space = character.is_some_and(char::is_whitespace);
        }
        (!is_space).then(|| self.token(start))
    }

    #[cold]
    fn skip_comment(&mut self) {
        let rest = &self.text[self.at..self.line.1];
        let end = rest.windows(2).position(|pair| pair == b"*/");
        self.in_comment = end.is_none();
        self.at += end.map_or(rest.len(), |end| end + 2);
    }

    /// Returns an error at a column of the current line.
    #[cold]
    pub fn error(&self, column: usize, text: impl Into<String>) -> ParseError {
        ParseError(Box::new(error(self.file, self.number, column, text)))
    }

    /// Returns an error behind the last line.
    pub fn error_at_end(&self, text: impl Into<String>) -> ParseError {
        ParseError(Box::new(error(self.file, self.number + 1, 1, text)))
    }
}

/// Returns the offset of the first newline from `start` on, or the length of the text, and whether
/// all bytes before it are ASCII. Looks at eight bytes at a time.
#[inline]
pub fn line_end(text: &[u8], start: usize) -> (usize, bool) {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let mut seen = 0;
    let mut at = start;
    while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*bytes);
        // A byte of `differs` is zero where the text has a newline; the lowest flag is exact.
        let differs = word ^ (ONES * u64::from(b'\n'));
        let found = differs.wrapping_sub(ONES) & !differs & HIGH;
        if found != 0 {
            let before = found.trailing_zeros() / 8;
            seen |= word & !(u64::MAX << (8 * before));
            return (at + before as usize, seen & HIGH == 0);
        }
        seen |= word;
        at += 8;
    }
    let rest = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |place| at + place);
    (rest, seen & HIGH == 0 && text[at..rest].is_ascii())
}

/// What a byte is to the lexer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Word,
    Other,
}

/// Class of each byte.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'\t'..=b'\r' | b' ' => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => Class::Word,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Returns a parse error at a position of a file.
pub fn error(file: &str, line: usize, column: usize, text: impl Into<String>) -> Error {
    Error::Parse { file: file.to_owned(), line, column, text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_are_found_at_every_offset() {
        for length in 0..40 {
            for newline in 0..=length {
                let mut text = vec![b'x'; length];
                text.extend([b'\n', 0x0b, b'\n', 0xc3]);
                text[newline] = b'\n';
                for start in 0..=newline {
                    assert_eq!(line_end(&text, start), (newline, true), "{length} {newline} {start}");
                }
            }
        }
        assert_eq!(line_end("abcdefghé".as_bytes(), 0), (10, false));
        assert_eq!(line_end("é23456789\n".as_bytes(), 0), (10, false));
        assert_eq!(line_end("123\né678".as_bytes(), 0), (3, true));
    }
}
