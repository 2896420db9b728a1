//! Import: from a GOAL schedule to a trace.
//!
//! The file is read into memory and parsed on all cores ([`text`], [`binary`]). The sequences of
//! all ranks are found together, on one core ([`order`](super::order)). Streams of ranks are
//! encoded on all cores again, and written in the order of the ranks. Time is linear in the file,
//! but for the queues of operations that can start. Peak memory is about three times the file.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use panto_trace::{Builder, CallForm, Slot};

use super::lex::error;
use super::order::{Cycle, Orders, Step, WAITS, order};
use super::{OperationKind, Origin, RankSchedule, Schedules, binary, text};
use crate::ImportSummary;
use crate::error::{Error, Result};
use crate::stream::{RankStream, Target};
use panto_parallel as parallel;

/// Bytes of a file that a thread reads at once.
const PIECE_BYTES: usize = 1 << 22;

/// Reads a schedule, as text or as `txt2bin` writes it, and writes it as a trace, on all cores;
/// `file` is its name in error messages.
///
/// Sends and receives become non-blocking calls; an operation that `requires` them waits for them
/// first. Times are nanoseconds.
pub fn read(reader: &mut dyn Read, file: &str, target: &Path) -> Result<ImportSummary> {
    read_on(parallel::cores(), reader, file, target)
}

/// Reads a schedule as [`read`] does, on this number of threads. The result does not depend on it.
pub fn read_on(threads: usize, reader: &mut dyn Read, file: &str, target: &Path) -> Result<ImportSummary> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| Error::file(file.as_ref(), error))?;
    convert(bytes, file, target, threads)
}

/// Reads the schedule of a file as [`read`] does. The file is read on all cores, too.
pub fn read_file(path: &Path, target: &Path) -> Result<ImportSummary> {
    let threads = parallel::cores();
    let bytes = load(path, threads).map_err(|error| Error::file(path, error))?;
    convert(bytes, &path.to_string_lossy(), target, threads)
}

/// Reads a file into memory. Most of the time of one thread would be spent on new pages of memory.
fn load(path: &Path, threads: usize) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    let length = usize::try_from(about.len()).unwrap_or(usize::MAX);
    if !about.is_file() || length <= PIECE_BYTES {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    // A file that does not fit into memory is an error, not an abort.
    Vec::<u8>::new().try_reserve_exact(length)?;
    let mut bytes = vec![0; length];
    let offsets = (0..).step_by(PIECE_BYTES);
    let mut pieces: Vec<_> =
        offsets.zip(bytes.chunks_mut(PIECE_BYTES)).map(|piece| (piece, Ok(()))).collect();
    parallel::for_each_mut(&mut pieces, threads, |((offset, piece), outcome)| {
        *outcome = file.read_exact_at(piece, *offset);
    });
    pieces.into_iter().try_for_each(|(_, outcome)| outcome)?;
    Ok(bytes)
}

fn convert(bytes: Vec<u8>, file: &str, target: &Path, threads: usize) -> Result<ImportSummary> {
    let parse = if binary::recognises(&bytes) { binary::parse } else { text::parse };
    let mut schedules = parse(&bytes, file, threads)?;
    drop(bytes);
    let orders =
        order(&mut schedules.ranks, threads).map_err(|cycle| cycle_error(&schedules, cycle, file))?;
    write(&schedules, &orders, file, target, threads)
}

/// Returns whether a file that begins like this is a schedule: binary, or text whose first word is
/// `num_ranks`.
pub fn recognises(start: &[u8]) -> bool {
    binary::recognises(start) || text::recognises(start)
}

fn cycle_error(schedules: &Schedules, cycle: Cycle, file: &str) -> Error {
    const TEXT: &str = "this operation depends on itself; remove the cycle of requires";
    let (schedule, operation) = (&schedules.ranks[cycle.schedule], cycle.operation as usize);
    match schedule.origin {
        Origin::Lines(before) => error(file, before + schedule.operations[operation].line as usize, 1, TEXT),
        Origin::Bytes(first) => {
            let offset = (first + binary::OPERATION * operation) as u64;
            Error::Binary { file: file.to_owned(), offset, text: TEXT.into() }
        }
    }
}

/// Writes the trace of all ranks.
fn write(
    schedules: &Schedules,
    orders: &Orders,
    file: &str,
    target: &Path,
    threads: usize,
) -> Result<ImportSummary> {
    let ranks = schedules.ranks.len();
    let mut made = Target::create(target, ranks as u32, "GOAL", file)?;
    let streams = made.streams();
    let encode = |rank: usize| {
        let mut stream = streams.begin(rank as u32);
        put(&mut stream, &schedules.ranks[rank], orders.steps(rank));
        RankStream::end(stream)
    };
    parallel::for_each(ranks, threads, encode, |stream| made.add(&stream))?;
    let imported = ImportSummary { ranks: ranks as u32, calls: made.calls, notes: notes(schedules) };
    made.finish()?;
    Ok(imported)
}

fn notes(schedules: &Schedules) -> Vec<String> {
    let is_wild = |kind: &OperationKind| matches!(kind, OperationKind::Receive { from, tag, .. } if from.is_none() || tag.is_none());
    let all = schedules.ranks.iter().flat_map(|schedule| &schedule.operations);
    let wild = all.filter(|operation| is_wild(&operation.kind)).count() as u64;
    let notes = [
        (
            schedules.on_other_cpus,
            "operations on other CPUs of their rank were serialized: a rank of a trace has one CPU",
        ),
        (wild, "receives have wildcards; simulate them with --wildcards rematch"),
    ];
    notes.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}

fn put<'a>(stream: &mut Builder, schedule: &RankSchedule, steps: impl Iterator<Item = Step<'a>>) {
    let mut slots: Vec<Option<Slot>> = vec![None; schedule.operations.len()];
    let mut requests = Vec::new();
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
                requests.clear();
                requests.extend(ops.iter().filter_map(|op| slots[(op & !WAITS) as usize]));
                stream.wait(&requests);
            }
        }
    }
}
