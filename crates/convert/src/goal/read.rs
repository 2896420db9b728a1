//! From a schedule to a trace.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use panto_trace::{Form, Slot};

use super::lex::{Lines, error};
use super::order::{Step, order};
use super::parse::{Parser, Part};
use super::{Block, What};
use crate::Imported;
use crate::error::Result;
use crate::stream::{Stream, Target};

/// Reads a schedule, and writes it as a trace. `file` is what it is called in errors.
///
/// Sends and receives are started; what `requires` them waits for them first. Times are nanoseconds.
pub fn read(reader: &mut dyn BufRead, file: &str, target: &Path) -> Result<Imported> {
    let mut lines = Lines::new(reader, file);
    let mut parser = Parser::new(file);
    let mut blocks = BTreeMap::new();
    let mut ranks = 0;
    while let Some(parts) = parser.next(&mut lines)? {
        for part in parts {
            match part {
                Part::Ranks(number) => ranks = number,
                Part::Rank(block) => {
                    let rank = block.rank;
                    if blocks.insert(rank, block).is_some() {
                        return Err(
                            lines.error(1, format!("rank {rank} has a schedule already; put both in one"))
                        );
                    }
                }
            }
        }
    }
    if let Some(missing) = (0..ranks).find(|rank| !blocks.contains_key(rank)) {
        let text =
            format!("rank {missing} of {ranks} has no schedule; give it one, if only rank {missing} {{ }}");
        return Err(lines.error(1, text));
    }
    let blocks: Vec<Block> = blocks.into_values().collect();
    make(&blocks, file, target, parser.elsewhere)
}

/// Writes schedules of all ranks.
fn make(blocks: &[Block], file: &str, target: &Path, elsewhere: u64) -> Result<Imported> {
    let orders = order(blocks).map_err(|circle| {
        let line = blocks[circle.block].operations[circle.operation as usize].line as usize;
        error(file, line, 1, "this operation needs itself in the end; break the circle of requires")
    })?;
    let mut made = Target::create(target, blocks.len() as u32, "GOAL", file)?;
    for (place, block) in blocks.iter().enumerate() {
        let mut stream = made.stream(block.rank);
        put(&mut stream, block, orders.steps(place));
        made.add(stream)?;
    }
    let imported =
        Imported { ranks: blocks.len() as u32, calls: made.calls, notes: notes(blocks, elsewhere) };
    made.finish()?;
    Ok(imported)
}

fn notes(blocks: &[Block], elsewhere: u64) -> Vec<String> {
    let is_wild =
        |what: &What| matches!(what, What::Receive { from, tag, .. } if from.is_none() || tag.is_none());
    let all = blocks.iter().flat_map(|block| &block.operations);
    let wild = all.filter(|operation| is_wild(&operation.what)).count() as u64;
    let notes = [
        (elsewhere, "operations were on a second processor of their rank; a rank of a trace has one"),
        (wild, "receives take what comes first; simulate them with --wildcards rematch"),
    ];
    notes.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}

fn put(stream: &mut Stream, block: &Block, steps: impl Iterator<Item = Step>) {
    let mut slots: Vec<Option<Slot>> = vec![None; block.operations.len()];
    for step in steps {
        match step {
            Step::Begin(one) => {
                let form = Form::Immediate;
                slots[one as usize] = match block.operations[one as usize].what {
                    What::Calc(nanos) => {
                        stream.compute(nanos);
                        None
                    }
                    What::Send { to, bytes, tag } => stream.send(form, to, tag, bytes),
                    What::Receive { from, bytes, tag } => stream.receive(form, from, tag, bytes),
                };
            }
            Step::Wait(ones) => {
                let requests: Vec<Slot> = ones.iter().filter_map(|one| slots[*one as usize]).collect();
                stream.wait(&requests);
            }
        }
    }
}
