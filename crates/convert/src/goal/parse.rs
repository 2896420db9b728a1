//! Parser of the schedules of ranks.

use super::labels::Labels;
use super::lex::{Lines, Parsed, Token};
use super::word::Word;
use super::{Dependency, MAX_DEPENDENCIES, MAX_OPERATIONS, Operation, OperationKind, Origin, RankSchedule};
use crate::stream::MAX_RANKS;

/// Keyword before the number of ranks, the first word of a schedule.
pub const NUM_RANKS: Word = Word::new("num_ranks");
const RANK: Word = Word::new("rank");
const OPEN: Word = Word::new("{");
const COLON: Word = Word::new(":");
const CALC: Word = Word::new("calc");
const SEND: Word = Word::new("send");
const RECV: Word = Word::new("recv");
const TO: Word = Word::new("to");
const FROM: Word = Word::new("from");
const ANY: Word = Word::new("-1");
const CPU: Word = Word::new("cpu");
const NIC: Word = Word::new("nic");
const REQUIRES: Word = Word::new("requires");
const IREQUIRES: Word = Word::new("irequires");

/// Parser state.
pub struct Parser<'a> {
    /// Number of ranks, once it is known.
    pub ranks: Option<u32>,
    /// Rank whose schedule is open.
    rank: Option<u32>,
    operations: Vec<Operation>,
    dependencies: Vec<Dependency>,
    labels: Labels<'a>,
    /// Schedules that are closed, in the order of the file, each with the line that closes it.
    pub done: Vec<(RankSchedule, usize)>,
    /// Number of operations on another CPU than CPU 0 of their rank.
    pub on_other_cpus: u64,
}

impl<'a> Parser<'a> {
    pub fn new(ranks: Option<u32>) -> Self {
        Self {
            ranks,
            rank: None,
            operations: Vec::new(),
            dependencies: Vec::new(),
            labels: Labels::default(),
            done: Vec::new(),
            on_other_cpus: 0,
        }
    }

    /// Returns the rank whose schedule is open.
    pub fn open_rank(&self) -> Option<u32> {
        self.rank
    }

    /// Parses lines until `until` returns true or the lines end; returns whether lines are left.
    pub fn parse(&mut self, lines: &mut Lines<'a>, until: impl Fn(&Self) -> bool) -> Parsed<bool> {
        while !until(self) {
            if !lines.advance()? {
                return Ok(false);
            }
            let done = self.done.len();
            while let Some(token) = lines.take() {
                if let Err(error) = self.statement(lines, token) {
                    // An error comes before those of schedules that the same line closes.
                    self.done.truncate(done);
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn statement(&mut self, lines: &mut Lines<'a>, token: Token<'a>) -> Parsed<()> {
        match token.text {
            b";" => Ok(()),
            b"}" => self.close(lines, token),
            _ if token.is(RANK) => self.begin(lines, token),
            _ if token.is(NUM_RANKS) => self.num_ranks(lines, token),
            _ => self.inside(lines, token),
        }
    }

    fn num_ranks(&mut self, lines: &mut Lines<'a>, token: Token<'a>) -> Parsed<()> {
        if self.ranks.is_some() {
            return Err(lines.error(token.column, "num_ranks appears twice; remove one"));
        }
        let column = lines.column();
        let ranks = lines.decimal(&format!("the number of ranks, from 1 to {MAX_RANKS}"))?;
        let Some(ranks) = u32::try_from(ranks).ok().filter(|ranks| (1..=MAX_RANKS).contains(ranks)) else {
            return Err(lines.error(column, format!("found {ranks} ranks, expected 1 to {MAX_RANKS}")));
        };
        self.ranks = Some(ranks);
        Ok(())
    }

    fn begin(&mut self, lines: &mut Lines<'a>, token: Token<'a>) -> Parsed<()> {
        if let Some(rank) = self.rank {
            return Err(
                lines.error(token.column, format!("rank {rank} is not closed; add }} before this line"))
            );
        }
        let rank = self.rank(lines)?;
        lines.expect(OPEN)?;
        self.rank = Some(rank);
        Ok(())
    }

    fn close(&mut self, lines: &Lines<'a>, token: Token<'a>) -> Parsed<()> {
        let Some(rank) = self.rank.take() else {
            return Err(lines.error(token.column, "unmatched }; remove it"));
        };
        // A copy has no spare capacity, and the buffer serves the next rank.
        let operations = self.operations.clone();
        let schedule = RankSchedule::new(rank, operations, &self.dependencies, Origin::Lines(0));
        self.done.push((schedule, lines.number));
        self.operations.clear();
        self.dependencies.clear();
        self.labels.clear();
        Ok(())
    }

    /// Parses a rank number.
    #[inline]
    fn rank(&self, lines: &mut Lines<'a>) -> Parsed<u32> {
        let column = lines.column();
        let rank = lines.decimal("the number of a rank")?;
        let Some(ranks) = self.ranks else {
            return Err(lines.error(column, "the number of ranks is unknown; begin with num_ranks N"));
        };
        u32::try_from(rank).ok().filter(|rank| *rank < ranks).ok_or_else(|| {
            lines.error(column, format!("rank {rank} out of range; expected 0 to {}", ranks - 1))
        })
    }

    fn inside(&mut self, lines: &mut Lines<'a>, token: Token<'a>) -> Parsed<()> {
        if self.rank.is_none() {
            return Err(lines.error(token.column, format!("found {}, expected rank N {{", token.shown())));
        }
        if !is_label(token.text) {
            let expected = "a label, calc, send, recv or }";
            return Err(lines.error(token.column, format!("found {}, expected {expected}", token.shown())));
        }
        if token.is(CALC) || token.is(SEND) || token.is(RECV) {
            return self.operation(lines, token, None);
        }
        let Some(next) = lines.peek() else {
            return Err(lines.error(lines.end, no_statement(token)));
        };
        if next.is(COLON) {
            lines.take();
            let word = lines.word("calc, send or recv")?;
            self.operation(lines, word, Some(token))
        } else if next.is(REQUIRES) || next.is(IREQUIRES) {
            lines.take();
            self.dependency(lines, token, next.is(REQUIRES))
        } else {
            Err(lines.error(next.column, no_statement(token)))
        }
    }

    fn operation(&mut self, lines: &mut Lines<'a>, word: Token<'a>, label: Option<Token<'a>>) -> Parsed<()> {
        let kind = if word.is(SEND) {
            let bytes = lines.bytes()?;
            lines.expect(TO)?;
            let to = self.rank(lines)?;
            let tag = lines.tag(false)?.unwrap_or(0);
            OperationKind::Send { to, bytes, tag }
        } else if word.is(RECV) {
            let bytes = lines.bytes()?;
            lines.expect(FROM)?;
            let from = if lines.accept(ANY) { None } else { Some(self.rank(lines)?) };
            OperationKind::Receive { from, bytes, tag: lines.tag(true)? }
        } else if word.is(CALC) {
            OperationKind::Calc(lines.decimal("nanoseconds")?)
        } else {
            let text = format!("found {}, expected calc, send or recv", word.shown());
            return Err(lines.error(word.column, text));
        };
        self.on_other_cpus += u64::from(lines.option(CPU)? > 0);
        lines.option(NIC)?;
        lines.finish()?;
        let Some(number) =
            u32::try_from(self.operations.len()).ok().filter(|number| *number < MAX_OPERATIONS)
        else {
            return Err(lines.error(
                word.column,
                "too many operations: a rank has 2 billion at most; split the schedule",
            ));
        };
        if let Some(label) = label
            && !self.labels.insert(label.text, label.bytes, number)
        {
            return Err(
                lines.error(label.column, format!("label {} is used twice; choose another", label.shown()))
            );
        }
        self.operations.push(Operation { kind, line: u32::try_from(lines.number).unwrap_or(u32::MAX) });
        Ok(())
    }

    fn dependency(&mut self, lines: &mut Lines<'a>, of: Token<'a>, complete: bool) -> Parsed<()> {
        let on = lines.word("a label")?;
        lines.finish()?;
        let find = |label: Token<'_>| {
            self.labels.get(label.text, label.bytes).ok_or_else(|| {
                lines
                    .error(label.column, format!("unknown label {}; define it before its use", label.shown()))
            })
        };
        let dependency = Dependency::new(find(of)?, find(on)?, complete);
        if self.dependencies.len() >= MAX_DEPENDENCIES {
            return Err(lines.error(
                of.column,
                "too many dependencies: a rank has 4 billion at most; split the schedule",
            ));
        }
        self.dependencies.push(dependency);
        Ok(())
    }
}

/// Returns the error of a line that only has a label.
fn no_statement(label: Token<'_>) -> String {
    format!("expected `:`, requires or irequires after {}", label.shown())
}

fn is_label(text: &[u8]) -> bool {
    text[0].is_ascii_alphabetic() && !text.contains(&b'-')
}
