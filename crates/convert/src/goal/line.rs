//! Parser primitives over the tokens of one line.

use super::lex::{Lines, Parsed, Token};
use super::word::{Word, decimal, low_bytes};

impl Token<'_> {
    /// Returns the token in backquotes, shortened to 60 characters, for error messages.
    pub fn shown(&self) -> String {
        let short: String = String::from_utf8_lossy(self.text).chars().take(60).collect();
        format!("`{short}`")
    }
}

impl<'a> Lines<'a> {
    /// Returns the column of the next token.
    #[inline]
    pub fn column(&self) -> usize {
        self.peek().map_or(self.end, |token| token.column)
    }

    #[inline]
    pub fn accept(&mut self, word: Word) -> bool {
        let found = self.peek().is_some_and(|token| token.is(word));
        if found {
            self.take();
        }
        found
    }

    #[inline]
    pub fn expect(&mut self, word: Word) -> Parsed<()> {
        if self.accept(word) {
            return Ok(());
        }
        let found = self.peek().map_or_else(|| "the end of the line".into(), |token| token.shown());
        Err(self.error(self.column(), format!("found {found}, expected {}", word.text())))
    }

    #[inline]
    pub fn word(&mut self, expected: &str) -> Parsed<Token<'a>> {
        match self.take() {
            Some(token) => Ok(token),
            None => Err(self.error(self.end, format!("the line ends here, expected {expected}"))),
        }
    }

    #[inline]
    pub fn decimal(&mut self, expected: &str) -> Parsed<u64> {
        let word = self.word(expected)?;
        decimal(word.text, word.bytes).ok_or_else(|| {
            self.error(word.column, format!("found {}, expected {expected}: a whole number", word.shown()))
        })
    }

    /// Parses a number of bytes with the suffix `b`.
    #[inline]
    pub fn bytes(&mut self) -> Parsed<u64> {
        const EXPECTED: &str = "a number of bytes such as 1024b";
        let word = self.word(EXPECTED)?;
        let (digits, bytes) = match word.text {
            [digits @ .., b'b'] => (digits, word.bytes & low_bytes(digits.len().min(8))),
            digits => (digits, word.bytes),
        };
        // Traces keep bytes as signed numbers.
        let Some(value) = decimal(digits, bytes).filter(|bytes| i64::try_from(*bytes).is_ok()) else {
            return Err(self.error(word.column, format!("found {}, expected {EXPECTED}", word.shown())));
        };
        if digits.len() == word.text.len() {
            self.expect(const { Word::new("b") })?;
        }
        Ok(value)
    }

    /// Parses an optional `tag N`; the default is 0. Where `any` is set, -1 is a wildcard (`None`).
    #[inline]
    pub fn tag(&mut self, any: bool) -> Parsed<Option<u32>> {
        if !self.accept(const { Word::new("tag") }) {
            return Ok(Some(0));
        }
        if any && self.accept(const { Word::new("-1") }) {
            return Ok(None);
        }
        let column = self.column();
        let tag = self.decimal("a tag")?;
        u32::try_from(tag)
            .map(Some)
            .map_err(|_| self.error(column, format!("found the tag {tag}, expected at most {}", u32::MAX)))
    }

    /// Parses an optional `cpu N` or `nic N`; the default is 0.
    #[inline]
    pub fn option(&mut self, name: Word) -> Parsed<u64> {
        if self.accept(name) { self.decimal(name.text()) } else { Ok(0) }
    }

    /// Checks that the statement ends here: at the end of the line, at `;` or at `}`.
    #[inline]
    pub fn finish(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(token) if !matches!(token.text, b";" | b"}") => {
                Err(self
                    .error(token.column, format!("found {}, expected the end of the line", token.shown())))
            }
            _ => Ok(()),
        }
    }
}
