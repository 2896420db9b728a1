//! Import: from a GOAL schedule to a trace.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use panto_trace::{Builder, CallForm, Slot};

use super::lex::{Lines, error};
use super::order::{Step, order};
use super::parse::{Parsed, Parser};
use super::{OperationKind, RankSchedule};
use crate::ImportSummary;
use crate::error::Result;
use crate::stream::Target;

/// Reads a schedule and writes it as a trace; `file` is its name in error messages.
///
/// Sends and receives become non-blocking calls; an operation that `requires` them waits for them
/// first. Times are nanoseconds.
pub fn read(reader: &mut dyn BufRead, file: &str, target: &Path) -> Result<ImportSummary> {
    let mut lines = Lines::new(reader, file);
    let mut parser = Parser::new(file);
    let mut schedules = BTreeMap::new();
    let mut ranks = 0;
    while let Some(parts) = parser.next(&mut lines)? {
        for part in parts {
            match part {
                Parsed::RankCount(number) => ranks = number,
                Parsed::Schedule(schedule) => {
                    let rank = schedule.rank;
                    if schedules.insert(rank, schedule).is_some() {
                        return Err(lines.error(1, format!("rank {rank} has two schedules; merge them")));
                    }
                }
            }
        }
    }
    if let Some(missing) = (0..ranks).find(|rank| !schedules.contains_key(rank)) {
        let text = format!(
            "rank {missing} of {ranks} has no schedule; add one (an empty one is: rank {missing} {{ }})"
        );
        return Err(lines.error(1, text));
    }
    let schedules: Vec<RankSchedule> = schedules.into_values().collect();
    make(&schedules, file, target, parser.on_other_cpus)
}

/// Writes the schedules of all ranks.
fn make(schedules: &[RankSchedule], file: &str, target: &Path, on_other_cpus: u64) -> Result<ImportSummary> {
    let orders = order(schedules).map_err(|cycle| {
        let line = schedules[cycle.schedule].operations[cycle.operation as usize].line as usize;
        error(file, line, 1, "this operation depends on itself; remove the cycle of requires")
    })?;
    let mut made = Target::create(target, schedules.len() as u32, "GOAL", file)?;
    for (place, schedule) in schedules.iter().enumerate() {
        let mut stream = made.stream(schedule.rank);
        put(&mut stream, schedule, orders.steps(place));
        made.add(stream)?;
    }
    let imported = ImportSummary {
        ranks: schedules.len() as u32,
        calls: made.calls,
        notes: notes(schedules, on_other_cpus),
    };
    made.finish()?;
    Ok(imported)
}

fn notes(schedules: &[RankSchedule], on_other_cpus: u64) -> Vec<String> {
    let is_wild = |kind: &OperationKind| matches!(kind, OperationKind::Receive { from, tag, .. } if from.is_none() || tag.is_none());
    let all = schedules.iter().flat_map(|schedule| &schedule.operations);
    let wild = all.filter(|operation| is_wild(&operation.kind)).count() as u64;
    let notes = [
        (
            on_other_cpus,
            "operations on other CPUs of their rank were serialized: a rank of a trace has one CPU",
        ),
        (wild, "receives have wildcards; simulate them with --wildcards rematch"),
    ];
    notes.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}

fn put(stream: &mut Builder, schedule: &RankSchedule, steps: impl Iterator<Item = Step>) {
    let mut slots: Vec<Option<Slot>> = vec![None; schedule.operations.len()];
    for step in steps {
        match step {
            Step::Begin(op) => {
                let form = CallForm::Immediate;
                slots[op as usize] = match schedule.operations[op as usize].kind {
                    OperationKind::Calc(nanos) => {
                        stream.compute(nanos);
                        None
                    }
                    OperationKind::Send { to, bytes, tag } => stream.send(form, to, tag, bytes),
                    OperationKind::Receive { from, bytes, tag } => stream.receive(form, from, tag, bytes),
                };
            }
            Step::Wait(ops) => {
                let requests: Vec<Slot> = ops.iter().filter_map(|op| slots[*op as usize]).collect();
                stream.wait(&requests);
            }
        }
    }
}
