//! Schedules as text, parsed in parts on all cores.
//!
//! The text is split where a line begins with `rank`. That word begins the schedule of a rank and
//! is an error inside of another, so the parser of a part needs to know nothing of the parts before
//! it but the number of ranks. Two things cross a split: a schedule that is not closed, whose part
//! reads one line more for the error, and a block comment, after which the rest of the text is
//! parsed again. The first error of the first part that has one is the error of the file, as if one
//! parser had read it.

use super::lex::{Lines, ParseError, error, line_end};
use super::parse::{NUM_RANKS, Parser};
use super::{Origin, RankSchedule, Schedules};
use crate::error::{Error, Result};
use panto_parallel as parallel;

/// Lower limit of a part's length, in bytes: a shorter one is parsed faster than it is passed to
/// another thread.
const MIN_PART_BYTES: usize = 1 << 16;

/// Parts per thread: a core that other processes slow down takes fewer of them.
const PARTS_PER_THREAD: usize = 16;

/// Returns whether the first word of a text is `num_ranks`.
pub fn recognises(start: &[u8]) -> bool {
    let mut lines = Lines::new(start, "", 0, start.len());
    while let Ok(true) = lines.advance() {
        if let Some(token) = lines.peek() {
            return token.is(NUM_RANKS);
        }
    }
    false
}

/// Parses a schedule; `file` is its name in error messages.
pub fn parse(text: &[u8], file: &str, threads: usize) -> Result<Schedules> {
    let parts = if threads > 1 { PARTS_PER_THREAD * threads } else { 1 };
    parse_in_parts(text, file, threads, (text.len() / parts).max(MIN_PART_BYTES))
}

fn parse_in_parts(text: &[u8], file: &str, threads: usize, part_bytes: usize) -> Result<Schedules> {
    let (mut head, mut lines) = (Parser::new(None), Lines::new(text, file, 0, text.len()));
    let has_ranks = head.parse(&mut lines, |head| head.ranks.is_some())?;
    if !has_ranks {
        return Err(lines.error_at_end("no schedule found; begin with num_ranks N").into());
    }
    let ranks = head.ranks;
    let mut bounds = splits(text, lines.offset(), part_bytes);
    bounds.push(text.len());
    lines.end_at(bounds[0]);
    let head = Part::parse(head, lines);
    let parts = parallel::map(bounds.len() - 1, threads, |part| {
        Part::parse(Parser::new(ranks), Lines::new(text, file, bounds[part], bounds[part + 1]))
    });
    merge(std::iter::once(head).chain(parts), file, ranks.unwrap_or(0))
}

/// Returns the offset of the first line from `start` on that begins with `rank`, and of others that
/// split the rest of the text into parts of at least `part_bytes` bytes.
fn splits(text: &[u8], start: usize, part_bytes: usize) -> Vec<usize> {
    let mut splits = Vec::new();
    let mut at = start;
    while at < text.len() {
        while at < text.len() && !begins_rank(&text[at..]) {
            at = line_end(text, at).0 + 1;
        }
        if at < text.len() {
            splits.push(at);
        }
        at = line_end(text, text.len().min(at + part_bytes)).0 + 1;
    }
    splits
}

/// Returns whether the first word of a line is `rank`.
fn begins_rank(line: &[u8]) -> bool {
    let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line[indent..].starts_with(b"rank ")
}

/// A part of the text, with the state of its parser at its end.
struct Part<'a> {
    parser: Parser<'a>,
    lines: Lines<'a>,
    /// The first error, at a line that is counted from the beginning of the part.
    error: Option<ParseError>,
}

impl<'a> Part<'a> {
    fn parse(parser: Parser<'a>, lines: Lines<'a>) -> Self {
        let mut part = Self { parser, lines, error: None };
        part.advance();
        // A comment that begins in this part and not an error may be why a schedule is open.
        if !part.lines.in_comment || part.lines.is_at_end() {
            part.close();
        }
        part
    }

    fn advance(&mut self) {
        if self.error.is_none() {
            self.error = self.parser.parse(&mut self.lines, |_| false).err();
        }
    }

    /// Finds the error of a schedule that is not closed.
    fn close(&mut self) {
        if let Some(rank) = self.parser.open_rank() {
            self.lines.extend();
            self.advance();
            let text = format!("unexpected end of file inside rank {rank}; close it with }}");
            self.error.get_or_insert_with(|| self.lines.error_at_end(text));
        }
    }

    /// Parses the rest of the text, which begins inside of a comment of this part.
    fn extend(&mut self) {
        self.lines.extend();
        self.advance();
        self.close();
    }
}

fn merge<'a>(parts: impl Iterator<Item = Part<'a>>, file: &str, ranks: u32) -> Result<Schedules> {
    let mut all = Schedules::default();
    let mut has_schedule = vec![false; ranks as usize];
    let mut lines = 0;
    for mut part in parts {
        let is_last = part.lines.in_comment && part.error.is_none() && !part.lines.is_at_end();
        if is_last {
            part.extend();
        }
        for (schedule, closed_at) in part.parser.done {
            let (rank, line) = (schedule.rank, lines + closed_at);
            if std::mem::replace(&mut has_schedule[rank as usize], true) {
                return Err(error(file, line, 1, format!("rank {rank} has two schedules; merge them")));
            }
            all.ranks.push(RankSchedule { origin: Origin::Lines(lines), ..schedule });
        }
        if let Some(error) = part.error {
            return Err(Error::from(error).lines_later(lines));
        }
        lines += part.lines.number;
        all.on_other_cpus += part.parser.on_other_cpus;
        if is_last {
            break;
        }
    }
    if let Some(missing) = has_schedule.iter().position(|has_schedule| !has_schedule) {
        let text = format!(
            "rank {missing} of {ranks} has no schedule; add one (an empty one is: rank {missing} {{ }})"
        );
        return Err(error(file, lines + 1, 1, text));
    }
    all.ranks.sort_by_key(|schedule| schedule.rank);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the schedules as text, or the error.
    fn outcome(text: &str, threads: usize, part_bytes: usize) -> String {
        match parse_in_parts(text.as_bytes(), "s.goal", threads, part_bytes) {
            Ok(schedules) => {
                let line = |schedule: &RankSchedule| {
                    let Origin::Lines(first) = schedule.origin else { panic!("text") };
                    let lines = schedule.operations.iter().map(|op| first + op.line as usize);
                    format!(
                        "{} {:?} {:?}\n",
                        schedule.rank,
                        schedule.operations.len(),
                        lines.collect::<Vec<_>>()
                    )
                };
                schedules.ranks.iter().map(line).collect()
            }
            Err(error) => error.to_string(),
        }
    }

    /// Parts change neither what is read nor which error is found first, nor its position.
    #[test]
    fn parts_are_read_as_the_whole() {
        let rank = |rank: u32, body: &str| format!(" rank {rank} {{\n{body}}}\n\n");
        let good = rank(0, "a: calc 1\nb: calc 2\nb requires a\n") + &rank(2, "") + &rank(1, "calc 3\n");
        for (text, expected) in [
            (good.clone(), "0 2"),
            (format!("{good}// rank 0 {{\n"), "0 2"),
            (format!("/* {good} */ {good}"), "0 2"),
            (format!("{good} /* {good}\n{good}"), "0 2"),
            (good.replace("calc 3", "calc 3 /*\nrank 0 {\n*/"), "0 2"),
            (good.replace("calc 1", "/* calc 1\nrank 2 {\n */ calc 1"), "s.goal:4:3: the line ends here"),
            (good.replace("calc 3\n}", "calc 3"), "s.goal:15:1: unexpected end of file inside rank 1"),
            (good.replace("requires a\n}", "requires a"), "s.goal:8:2: rank 0 is not closed"),
            (
                good.replace("requires a\n}", "requires a /*"),
                "s.goal:15:1: unexpected end of file inside rank 0",
            ),
            (format!("{good}{good}"), "s.goal:20:1: rank 0 has two schedules"),
            (format!("{good}{good}oops"), "s.goal:20:1: rank 0 has two schedules"),
            (good.replace("calc 3\n}", "calc x\n}") + &good, "s.goal:13:6: found `x`"),
            (good.replace("rank 2", "rank 3"), "s.goal:9:7: rank 3 out of range"),
            (good.replace("rank 2", "rank 0"), "s.goal:10:1: rank 0 has two schedules"),
            (good.replace(" rank 2 {\n}\n", ""), "s.goal:14:1: rank 2 of 3 has no schedule"),
            (format!("{good}num_ranks 3"), "s.goal:16:1: num_ranks appears twice"),
        ] {
            let text = format!("// A schedule.\nnum_ranks 3\n{text}");
            let whole = outcome(&text, 1, usize::MAX / 2);
            assert!(whole.starts_with(expected), "{text}\n{whole}");
            for part_bytes in [1, 20, 50] {
                assert_eq!(outcome(&text, 3, part_bytes), whole, "{text}");
            }
        }
    }

    #[test]
    fn lines_that_begin_with_rank_split_the_text() {
        let text = b"num_ranks 2\nrank 0 {\nrank1: calc 5\n}\n\trank 1 {\n}\n";
        assert_eq!(splits(text, 12, 1), [12, 37]);
        assert_eq!(splits(text, 12, 100), [12]);
        assert_eq!(splits(text, 39, 1), []);
    }
}
