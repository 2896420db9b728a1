//! What a schedule says.

use rustc_hash::FxHashMap;

use super::lex::{Lines, Token};
use super::line::Line;
use super::{Block, Need, Operation, What};
use crate::error::Result;
use crate::stream::MOST_RANKS;

/// Operations of a rank: a bit of their number is used elsewhere.
const MOST: u32 = 1 << 31;

/// What was read next.
pub enum Part {
    /// How many ranks there are. Comes first.
    Ranks(u32),
    /// The schedule of one of them.
    Rank(Block),
}

/// A schedule that is being read.
pub struct Parser<'a> {
    file: &'a str,
    ranks: Option<u32>,
    block: Option<Block>,
    labels: FxHashMap<Box<str>, u32>,
    /// Operations on another processor than the first.
    pub elsewhere: u64,
    done: Vec<Part>,
}

impl<'a> Parser<'a> {
    pub fn new(file: &'a str) -> Self {
        Self { file, ranks: None, block: None, labels: FxHashMap::default(), elsewhere: 0, done: Vec::new() }
    }

    /// The next parts; none at the end.
    pub fn next(&mut self, lines: &mut Lines<'_>) -> Result<Option<Vec<Part>>> {
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
        match &self.block {
            Some(block) => {
                let text = format!("the file ends inside rank {}; close it with }}", block.rank);
                Err(lines.error(1, text))
            }
            None if self.ranks.is_none() => {
                Err(lines.error(1, "there is no schedule; begin with num_ranks N"))
            }
            None => Ok(None),
        }
    }

    fn statement(&mut self, line: &mut Line<'_, '_>) -> Result<()> {
        let Some(token) = line.take() else { return Ok(()) };
        match token.text {
            ";" => Ok(()),
            "num_ranks" => self.num_ranks(line, token),
            "rank" => self.begin(line, token),
            "}" => match self.block.take() {
                Some(block) => {
                    self.labels.clear();
                    self.done.push(Part::Rank(block));
                    Ok(())
                }
                None => Err(line.error(token.column, "there is no rank to close here; leave the } out")),
            },
            _ => self.inside(line, token),
        }
    }

    fn num_ranks(&mut self, line: &mut Line<'_, '_>, token: Token<'_>) -> Result<()> {
        if self.ranks.is_some() {
            return Err(line.error(token.column, "num_ranks was said before; leave one out"));
        }
        let column = line.column();
        let ranks = line.number(&format!("the number of ranks, from 1 to {MOST_RANKS}"))?;
        let Some(ranks) = u32::try_from(ranks).ok().filter(|ranks| (1..=MOST_RANKS).contains(ranks)) else {
            return Err(line.error(column, format!("found {ranks} ranks, expected 1 to {MOST_RANKS}")));
        };
        self.ranks = Some(ranks);
        self.done.push(Part::Ranks(ranks));
        Ok(())
    }

    fn begin(&mut self, line: &mut Line<'_, '_>, token: Token<'_>) -> Result<()> {
        if let Some(block) = &self.block {
            return Err(
                line.error(token.column, format!("rank {} is not closed; put a }} before this", block.rank))
            );
        }
        let rank = self.rank(line)?;
        line.expect("{")?;
        self.block = Some(Block { rank, ..Block::default() });
        Ok(())
    }

    /// The number of a rank.
    fn rank(&self, line: &mut Line<'_, '_>) -> Result<u32> {
        let column = line.column();
        let rank = line.number("the number of a rank")?;
        let Some(ranks) = self.ranks else {
            return Err(line.error(column, "how many ranks are there? Begin with num_ranks N"));
        };
        u32::try_from(rank).ok().filter(|rank| *rank < ranks).ok_or_else(|| {
            line.error(
                column,
                format!("there is no rank {rank} of {ranks}; give one from 0 to {}", ranks - 1),
            )
        })
    }

    fn inside(&mut self, line: &mut Line<'_, '_>, token: Token<'_>) -> Result<()> {
        if self.block.is_none() {
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
            Some(Token { text: "requires", .. }) => self.need(line, token, true),
            Some(Token { text: "irequires", .. }) => self.need(line, token, false),
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
        let what = match word.text {
            "calc" => What::Calc(line.number("nanoseconds")?),
            "send" => {
                let bytes = line.bytes()?;
                line.expect("to")?;
                let to = self.rank(line)?;
                let tag = line.tag(false)?.unwrap_or(0);
                What::Send { to, bytes, tag }
            }
            "recv" => {
                let bytes = line.bytes()?;
                line.expect("from")?;
                let from = if line.accept("-1") { None } else { Some(self.rank(line)?) };
                What::Receive { from, bytes, tag: line.tag(true)? }
            }
            _ => {
                return Err(
                    line.error(word.column, format!("found {}, expected calc, send or recv", word.shown()))
                );
            }
        };
        self.elsewhere += u64::from(line.option("cpu")? > 0);
        line.option("nic")?;
        line.finish()?;
        let Some(block) = &mut self.block else { return Ok(()) };
        let Some(number) = u32::try_from(block.operations.len()).ok().filter(|number| *number < MOST) else {
            return Err(
                line.error(word.column, "a rank has no more than 2 billion operations; split the schedule")
            );
        };
        if let Some(label) = label
            && self.labels.insert(label.text.into(), number).is_some()
        {
            return Err(line.error(
                label.column,
                format!("{} is the label of another operation; choose another", label.shown()),
            ));
        }
        block.operations.push(Operation { what, line: u32::try_from(line.number).unwrap_or(u32::MAX) });
        Ok(())
    }

    fn need(&mut self, line: &mut Line<'_, '_>, of: Token<'_>, complete: bool) -> Result<()> {
        let on = line.word("a label")?;
        line.finish()?;
        let find = |label: Token<'_>| {
            self.labels.get(label.text).copied().ok_or_else(|| {
                line.error(
                    label.column,
                    format!("no operation before this has the label {}; put its line first", label.shown()),
                )
            })
        };
        let need = Need { of: find(of)?, on: find(on)?, complete };
        if let Some(block) = &mut self.block {
            block.needs.push(need);
        }
        Ok(())
    }
}

fn is_label(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.contains('-')
}
