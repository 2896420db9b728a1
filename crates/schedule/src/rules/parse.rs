//! Parses rules.

use std::fmt;
use std::ops::RangeInclusive;

use super::{Row, Table};
use crate::{Algorithm, Collective, algorithms};

/// An error in a text of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1; `None` if a whole rule is missing.
    pub line: Option<usize>,
    /// What was found there, and the remedy.
    pub text: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for ParseError {}

pub(super) fn table(text: &str) -> Result<Table, ParseError> {
    let mut table = Table { rows: std::array::from_fn(|_| Vec::new()) };
    // The line of the last row of each collective.
    let mut last = [0; Collective::ALL.len()];
    for (line, text) in text.lines().enumerate().map(|(index, text)| (index + 1, text)) {
        let at = |text: String| ParseError { line: Some(line), text };
        let Some(row) = row(text).map_err(at)? else { continue };
        let rows = &mut table.rows[row.collective as usize];
        if rows.last().is_some_and(Row::is_unconditional) {
            let before = last[row.collective as usize];
            return Err(at(format!(
                "the rule of line {before} holds for every {}, so this one is never reached; move it up",
                row.collective
            )));
        }
        last[row.collective as usize] = line;
        rows.push(row);
    }
    let open =
        |collective: &Collective| !table.rows[*collective as usize].last().is_some_and(Row::is_unconditional);
    if let Some(collective) = Collective::ALL.into_iter().find(open) {
        let line = Some(last[collective as usize]).filter(|line| *line > 0);
        let problem = match line {
            Some(_) => format!("the last rule for {collective} has conditions"),
            None => format!("no rule for {collective}"),
        };
        let first = algorithms(collective)[0];
        let text = format!("{problem}; add a last one without conditions, such as `{collective} {first}`");
        return Err(ParseError { line, text });
    }
    Ok(table)
}

/// Parses the rule of a line, if there is one.
fn row(line: &str) -> Result<Option<Row>, String> {
    let (rule, note) = line.split_once('#').unwrap_or((line, ""));
    let mut words = rule.split_whitespace();
    let Some(name) = words.next() else { return Ok(None) };
    let collective: Collective =
        cut(name).parse().map_err(|error: panto_calls::UnknownCollective| error.to_string())?;
    let Some(algorithm) = words.next() else {
        return Err(format!("{collective} has no algorithm; expected one of {}", serving(collective)));
    };
    let algorithm = self::algorithm(collective, algorithm)?;
    let mut row = Row { note: note.trim().to_owned(), ..Row::always(collective, algorithm) };
    words.try_for_each(|word| condition(&mut row, word))?;
    Ok(Some(row))
}

fn algorithm(collective: Collective, text: &str) -> Result<Algorithm, String> {
    let algorithm: Algorithm = cut(text).parse().map_err(|error: crate::Error| error.to_string())?;
    if algorithms(collective).iter().any(|other| other.is_kind_of(algorithm)) {
        return Ok(algorithm);
    }
    Err(format!("{algorithm} does not implement {collective}; use one of {}", serving(collective)))
}

fn serving(collective: Collective) -> String {
    algorithms(collective).iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Adds a condition to a rule.
fn condition(row: &mut Row, word: &str) -> Result<(), String> {
    if word == "power-of-two" {
        row.power_of_two = true;
        return Ok(());
    }
    let wrong = || {
        format!(
            "\"{}\" is no condition; expected ranks, bytes, block or share with <, <=, =, >= or > and a whole number, such \
             as bytes<=2048, or power-of-two",
            cut(word)
        )
    };
    let at = word.find(['<', '>', '=']).ok_or_else(wrong)?;
    let (key, rest) = word.split_at(at);
    let range = match key {
        "ranks" => &mut row.ranks,
        "bytes" => &mut row.bytes,
        "block" => &mut row.block,
        "share" => &mut row.share,
        _ => return Err(wrong()),
    };
    *range = narrow(range, limits(rest).ok_or_else(wrong)?);
    if range.is_empty() {
        return Err(format!("no {key} satisfies \"{}\" and the conditions before it; remove one", cut(word)));
    }
    Ok(())
}

/// Parses `<8` or `>=4`.
fn limits(text: &str) -> Option<RangeInclusive<usize>> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (sign, number) = text.split_at(digits);
    let number: usize = number.parse().ok()?;
    Some(match sign {
        "<" => number.checked_sub(1).map_or(RangeInclusive::new(1, 0), |most| 0..=most),
        "<=" => 0..=number,
        "=" => number..=number,
        ">=" => number..=usize::MAX,
        ">" => number.checked_add(1)?..=usize::MAX,
        _ => return None,
    })
}

fn narrow(range: &RangeInclusive<usize>, by: RangeInclusive<usize>) -> RangeInclusive<usize> {
    *range.start().max(by.start())..=*range.end().min(by.end())
}

/// Returns the start of a word for an error message, since a line may be a megabyte long.
fn cut(word: &str) -> &str {
    word.char_indices().nth(60).map_or(word, |(end, _)| &word[..end])
}
