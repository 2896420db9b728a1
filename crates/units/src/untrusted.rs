//! Text that Panto did not write itself, such as names from files, before it reaches a terminal:
//! escape sequences would move the cursor, change the title, or hide what a file contains.
//!
//! Whole outputs pass through [`printable`], and names inside of a line through [`one_line`].

use std::fmt::{self, Display, Write};

/// Returns whether a character controls a terminal or the direction of text instead of being seen.
pub fn is_control(c: char) -> bool {
    let changes_direction =
        matches!(c, '\u{061c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || changes_direction || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns a text as part of a line: control characters, and ends of lines, become spaces.
pub fn one_line(text: &str) -> String {
    text.replace(is_control, " ")
}

/// Returns a text of any number of lines that is safe to print. Control characters other than ends
/// of lines and tabs are written as `\u001b`, which is also how JSON has them.
pub fn printable(text: impl Display) -> impl Display {
    Printable(text)
}

struct Printable<T>(T);

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(out), "{}", self.0)
    }
}

/// Writes text with its control characters escaped.
struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_escaped = |c: char| is_control(c) && !matches!(c, '\n' | '\t');
        let mut rest = text;
        while let Some(at) = rest.find(is_escaped) {
            self.0.write_str(&rest[..at])?;
            let mut after = rest[at..].chars();
            if let Some(c) = after.next() {
                write!(self.0, "\\u{:04x}", u32::from(c))?;
            }
            rest = after.as_str();
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        for (text, shown) in [
            ("plain: ünïcode\t1\n", "plain: ünïcode\t1\n"),
            ("\u{1b}[2J\u{7}title", "\\u001b[2J\\u0007title"),
            ("a\rb\u{7f}\u{9b}1m", "a\\u000db\\u007f\\u009b1m"),
            ("\u{202e}txt.exe\u{2066}\u{2028}", "\\u202etxt.exe\\u2066\\u2028"),
            ("\u{1b}", "\\u001b"),
            ("", ""),
        ] {
            assert_eq!(printable(text).to_string(), shown);
        }
        assert_eq!(one_line("a\nb\u{1b}[1mc\u{202e}d"), "a b [1mc d");
    }
}
