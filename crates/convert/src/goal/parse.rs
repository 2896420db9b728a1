//! Parser of GOAL schedules.

use rustc_hash::FxHashMap;

use super::lex::{Lines, Token};
use super::line::Line;
use super::{Dependency, Operation, OperationKind, RankSchedule};
use crate::error::Result;
use crate::stream::MAX_RANKS;

/// Upper limit of operations per rank: bit 31 of an operation number is the flag `WAITS` of
/// `order`.
const MAX_OPERATIONS: u32 = 1 << 31;

/// What the parser produced.
pub enum Parsed {
    /// Number of ranks; comes first.
    RankCount(u32),
    /// The schedule of one rank.
    Schedule(RankSchedule),
}

/// Parser state.
pub struct Parser<'a> {
    file: &'a str,
    ranks: Option<u32>,
    schedule: Option<RankSchedule>,
    labels: FxHashMap<Box<str>, u32>,
    /// Number of operations on another CPU than CPU 0 of their rank.
    pub on_other_cpus: u64,
    done: Vec<Parsed>,
}

impl<'a> Parser<'a> {
    pub fn new(file: &'a str) -> Self {
        Self {
            file,
            ranks: None,
            schedule: None,
            labels: FxHashMap::default(),
            on_other_cpus: 0,
            done: Vec::new(),
        }
    }

    /// Returns what the next lines produced; `None` at the end of the file.
    pub fn next(&mut self, lines: &mut Lines<'_>) -> Result<Option<Vec<Parsed>>> {
        while lines.advance()? {
            let number = lines.number;
            let tokens = lines.tokens();
            let mut line =
                Line { file: self.file, number, tokens: &tokens, end: tokens.last().map_or(1, Token::end) };
            while !line.tokens.is_empty() {
                self.statement(&mut line)?;
            }
            if !self.done.is_empty() {
                return Ok(Some(std::mem::take(&mut self.done)));
            }
        }
        match &self.schedule {
            Some(schedule) => {
                let text = format!("unexpected end of file inside rank {}; close it with }}", schedule.rank);
                Err(lines.error(1, text))
            }
            None if self.ranks.is_none() => Err(lines.error(1, "no schedule found; begin with num_ranks N")),
            None => Ok(None),
        }
    }

    fn statement(&mut self, line: &mut Line<'_, '_>) -> Result<()> {
        let Some(token) = line.take() else { return Ok(()) };
        match token.text {
            ";" => Ok(()),
            "num_ranks" => self.num_ranks(line, token),
            "rank" => self.begin(line, token),
            "}" => match self.schedule.take() {
                Some(schedule) => {
                    self.labels.clear();
                    self.done.push(Parsed::Schedule(schedule));
                    Ok(())
                }
                None => Err(line.error(token.column, "unmatched }; remove it")),
            },
            _ => self.inside(line, token),
        }
    }

    fn num_ranks(&mut self, line: &mut Line<'_, '_>, token: Token<'_>) -> Result<()> {
        if self.ranks.is_some() {
            return Err(line.error(token.column, "num_ranks appears twice; remove one"));
        }
        let column = line.column();
        let ranks = line.number(&format!("the number of ranks, from 1 to {MAX_RANKS}"))?;
        let Some(ranks) = u32::try_from(ranks).ok().filter(|ranks| (1..=MAX_RANKS).contains(ranks)) else {
            return Err(line.error(column, format!("found {ranks} ranks, expected 1 to {MAX_RANKS}")));
        };
        self.ranks = Some(ranks);
        self.done.push(Parsed::RankCount(ranks));
        Ok(())
    }

    fn begin(&mut self, line: &mut Line<'_, '_>, token: Token<'_>) -> Result<()> {
        if let Some(schedule) = &self.schedule {
            return Err(line.error(
                token.column,
                format!("rank {} is not closed; add }} before this line", schedule.rank),
            ));
        }
        let rank = self.rank(line)?;
        line.expect("{")?;
        self.schedule = Some(RankSchedule { rank, ..RankSchedule::default() });
        Ok(())
    }

    /// Parses a rank number.
    fn rank(&self, line: &mut Line<'_, '_>) -> Result<u32> {
        let column = line.column();
        let rank = line.number("the number of a rank")?;
        let Some(ranks) = self.ranks else {
            return Err(line.error(column, "the number of ranks is unknown; begin with num_ranks N"));
        };
        u32::try_from(rank).ok().filter(|rank| *rank < ranks).ok_or_else(|| {
            line.error(column, format!("rank {rank} out of range; expected 0 to {}", ranks - 1))
        })
    }

    fn inside(&mut self, line: &mut Line<'_, '_>, token: Token<'_>) -> Result<()> {
        if self.schedule.is_none() {
            return Err(line.error(token.column, format!("found {}, expected rank N {{", token.shown())));
        }
        if !is_label(token.text) {
            let expected = "a label, calc, send, recv or }";
            return Err(line.error(token.column, format!("found {}, expected {expected}", token.shown())));
        }
        if matches!(token.text, "calc" | "send" | "recv") {
            return self.operation(line, token, None);
        }
        match line.take() {
            Some(Token { text: ":", .. }) => {
                let word = line.word("calc, send or recv")?;
                self.operation(line, word, Some(token))
            }
            Some(Token { text: "requires", .. }) => self.dependency(line, token, true),
            Some(Token { text: "irequires", .. }) => self.dependency(line, token, false),
            other => {
                let column = other.map_or(line.end, |other| other.column);
                let text = format!("expected `:`, requires or irequires after {}", token.shown());
                Err(line.error(column, text))
            }
        }
    }

    fn operation(
        &mut self,
        line: &mut Line<'_, '_>,
        word: Token<'_>,
        label: Option<Token<'_>>,
    ) -> Result<()> {
        let kind = match word.text {
            "calc" => OperationKind::Calc(line.number("nanoseconds")?),
            "send" => {
                let bytes = line.bytes()?;
                line.expect("to")?;
                let to = self.rank(line)?;
                let tag = line.tag(false)?.unwrap_or(0);
                OperationKind::Send { to, bytes, tag }
            }
            "recv" => {
                let bytes = line.bytes()?;
                line.expect("from")?;
                let from = if line.accept("-1") { None } else { Some(self.rank(line)?) };
                OperationKind::Receive { from, bytes, tag: line.tag(true)? }
            }
            _ => {
                return Err(
                    line.error(word.column, format!("found {}, expected calc, send or recv", word.shown()))
                );
            }
        };
        self.on_other_cpus += u64::from(line.option("cpu")? > 0);
        line.option("nic")?;
        line.finish()?;
        let Some(schedule) = &mut self.schedule else { return Ok(()) };
        let Some(number) =
            u32::try_from(schedule.operations.len()).ok().filter(|number| *number < MAX_OPERATIONS)
        else {
            return Err(line.error(
                word.column,
                "too many operations: a rank has 2 billion at most; split the schedule",
            ));
        };
        if let Some(label) = label
            && self.labels.insert(label.text.into(), number).is_some()
        {
            return Err(
                line.error(label.column, format!("label {} is used twice; choose another", label.shown()))
            );
        }
        schedule.operations.push(Operation { kind, line: u32::try_from(line.number).unwrap_or(u32::MAX) });
        Ok(())
    }

    fn dependency(&mut self, line: &mut Line<'_, '_>, of: Token<'_>, complete: bool) -> Result<()> {
        let on = line.word("a label")?;
        line.finish()?;
        let find = |label: Token<'_>| {
            self.labels.get(label.text).copied().ok_or_else(|| {
                line.error(label.column, format!("unknown label {}; define it before its use", label.shown()))
            })
        };
        let dependency = Dependency { of: find(of)?, on: find(on)?, complete };
        if let Some(schedule) = &mut self.schedule {
            schedule.dependencies.push(dependency);
        }
        Ok(())
    }
}

fn is_label(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains('-')
}
