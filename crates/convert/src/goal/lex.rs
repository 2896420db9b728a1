//! Lexer: splits the lines of a GOAL schedule into tokens.

use std::io::{BufRead, Read};

use crate::error::{Error, Result};

/// Upper limit of a line's length, in bytes. Bounds the memory that a malformed file can claim.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// A word or a punctuation character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub text: &'a str,
    /// Column, counted from 1.
    pub column: usize,
}

/// A file read line by line.
pub struct Lines<'a> {
    reader: &'a mut dyn BufRead,
    file: &'a str,
    /// Number of the line read last, counted from 1.
    pub number: usize,
    bytes: Vec<u8>,
    in_comment: bool,
}

impl<'a> Lines<'a> {
    pub fn new(reader: &'a mut dyn BufRead, file: &'a str) -> Self {
        Self { reader, file, number: 0, bytes: Vec::new(), in_comment: false }
    }

    /// Reads the next line in place of the last one; returns false at the end of the file.
    pub fn advance(&mut self) -> Result<bool> {
        self.bytes.clear();
        let mut limited = (&mut *self.reader).take(MAX_LINE_BYTES + 1);
        let read = limited.read_until(b'\n', &mut self.bytes);
        read.map_err(|error| Error::file(self.file.as_ref(), error))?;
        self.number += 1;
        if self.bytes.len() as u64 > MAX_LINE_BYTES {
            return Err(self.error(1, "line longer than 1 MiB; write one operation per line"));
        }
        if let Err(error) = std::str::from_utf8(&self.bytes) {
            return Err(self.error(
                error.valid_up_to() + 1,
                "not UTF-8 text; give the textual GOAL file, not the binary that txt2bin makes of it",
            ));
        }
        Ok(!self.bytes.is_empty())
    }

    /// Returns the tokens of the line, without comments.
    pub fn tokens(&mut self) -> Vec<Token<'_>> {
        // UTF-8 was checked by `advance`.
        let line = std::str::from_utf8(&self.bytes).unwrap_or_default();
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            if self.in_comment {
                let end = rest.find("*/");
                self.in_comment = end.is_none();
                at += end.map_or(rest.len(), |end| end + 2);
            } else if rest.starts_with("//") {
                break;
            } else if rest.starts_with("/*") {
                self.in_comment = true;
                at += 2;
            } else {
                let length = length(rest);
                let text = &rest[..length];
                if !text.trim().is_empty() {
                    tokens.push(Token { text, column: at + 1 });
                }
                at += length;
            }
        }
        tokens
    }

    /// Returns an error at a column of the current line.
    pub fn error(&self, column: usize, text: impl Into<String>) -> Error {
        error(self.file, self.number, column, text)
    }
}

/// Returns the length of the first token of `text`, in bytes.
fn length(text: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let first = text.chars().next().map_or(1, char::len_utf8);
    match text.find(|c: char| !is_word(c)) {
        Some(0) => first,
        Some(end) => end,
        None => text.len(),
    }
}

/// Returns a parse error at a position of a file.
pub fn error(file: &str, line: usize, column: usize, text: impl Into<String>) -> Error {
    Error::Parse { file: file.to_owned(), line, column, text: text.into() }
}
