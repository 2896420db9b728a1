//! Parser primitives over the tokens of one line.

use super::lex::{Token, error};
use crate::error::{Error, Result};

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.column + self.text.len()
    }

    /// Returns the token in backquotes, shortened to 60 characters, for error messages.
    pub fn shown(&self) -> String {
        let short: String = self.text.chars().take(60).collect();
        format!("`{short}`")
    }
}

/// The remaining tokens of a line.
pub struct Line<'a, 't> {
    pub file: &'a str,
    pub number: usize,
    pub tokens: &'t [Token<'t>],
    /// Column behind the last token.
    pub end: usize,
}

impl<'t> Line<'_, 't> {
    pub fn take(&mut self) -> Option<Token<'t>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    pub fn column(&self) -> usize {
        self.tokens.first().map_or(self.end, |token| token.column)
    }

    pub fn error(&self, column: usize, text: impl Into<String>) -> Error {
        error(self.file, self.number, column, text)
    }

    pub fn accept(&mut self, text: &str) -> bool {
        let found = self.tokens.first().is_some_and(|token| token.text == text);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    pub fn expect(&mut self, text: &str) -> Result<()> {
        let (column, found) = (self.column(), self.tokens.first().map(Token::shown));
        if self.accept(text) {
            return Ok(());
        }
        let found = found.unwrap_or_else(|| "the end of the line".into());
        Err(self.error(column, format!("found {found}, expected {text}")))
    }

    pub fn word(&mut self, expected: &str) -> Result<Token<'t>> {
        let column = self.column();
        self.take().ok_or_else(|| self.error(column, format!("the line ends here, expected {expected}")))
    }

    pub fn number(&mut self, expected: &str) -> Result<u64> {
        let word = self.word(expected)?;
        let digits = word.text.bytes().all(|byte| byte.is_ascii_digit());
        word.text.parse().ok().filter(|_| digits).ok_or_else(|| {
            self.error(word.column, format!("found {}, expected {expected}: a whole number", word.shown()))
        })
    }

    /// Parses a number of bytes with the suffix `b`.
    pub fn bytes(&mut self) -> Result<u64> {
        const EXPECTED: &str = "a number of bytes such as 1024b";
        let word = self.word(EXPECTED)?;
        let wrong = || self.error(word.column, format!("found {}, expected {EXPECTED}", word.shown()));
        let number = word.text.strip_suffix('b').unwrap_or(word.text);
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        // Traces keep bytes as signed numbers.
        let bytes =
            number.parse().ok().filter(|bytes: &u64| i64::try_from(*bytes).is_ok()).ok_or_else(wrong)?;
        if number.len() == word.text.len() {
            self.expect("b")?;
        }
        Ok(bytes)
    }

    /// Parses an optional `tag N`; the default is 0. Where `any` is set, -1 is a wildcard (`None`).
    pub fn tag(&mut self, any: bool) -> Result<Option<u32>> {
        if !self.accept("tag") {
            return Ok(Some(0));
        }
        if any && self.accept("-1") {
            return Ok(None);
        }
        let column = self.column();
        let tag = self.number("a tag")?;
        u32::try_from(tag)
            .map(Some)
            .map_err(|_| self.error(column, format!("found the tag {tag}, expected at most {}", u32::MAX)))
    }

    /// Parses an optional `cpu N` or `nic N`; the default is 0.
    pub fn option(&mut self, name: &str) -> Result<u64> {
        if self.accept(name) { self.number(name) } else { Ok(0) }
    }

    /// Checks that the statement ends here: at the end of the line, at `;` or at `}`.
    pub fn finish(&mut self) -> Result<()> {
        match self.tokens.first() {
            Some(token) if !matches!(token.text, ";" | "}") => {
                Err(self
                    .error(token.column, format!("found {}, expected the end of the line", token.shown())))
            }
            _ => Ok(()),
        }
    }
}
