//! Schedules in the binary form that `LogGOPSim`'s `txt2bin` writes.
//!
//! ```text
//! byte  0  magic: 4223, or 2342 if the simulator has overwritten the schedule (8)
//!       8  the number of ranks (4)
//!      12  the highest CPU (1) and the highest NIC (1)
//!      14  for each rank: where its schedule begins and ends, counted from byte 8 (8 + 8)
//!
//! A schedule:
//! byte  0  the number of operations (4)
//!       4  the number of operations without dependencies (4), then the number of each (4)
//!          the operations, 39 bytes each
//!          the dependents of all operations: operation numbers (4)
//!
//! An operation:
//! byte  0  the number of its dependencies (4)
//!       4  type: 1 send, 2 receive, 3 computation (1)
//!       5  peer; 2^32 - 1 is any source (4)
//!       9  bytes, or nanoseconds (8)
//!      17  tag; 2^32 - 1 is any tag (4)
//!      21  CPU (1) and NIC (1)
//!      23  number and first place of the operations that require it to be complete (4 + 4)
//!      31  number and first place of those that require it to be started (4 + 4)
//! ```
//!
//! All numbers are little-endian. Ranks are read on all cores.
//!
//! Invariant: schedules do not overlap, and each place of the list of dependents is used once at
//! most. So memory is bounded by the length of the file, whatever the file says.

use panto_container::bytes::{u32_at, u64_at};

use super::{Dependency, MAX_OPERATIONS, Operation, OperationKind, Origin, RankSchedule, Schedules};
use crate::error::{Error, Result};
use crate::stream::MAX_RANKS;
use panto_parallel as parallel;

const MAGIC: u64 = 4223;
const MAGIC_INVALID: u64 = 2342;

/// Offset from which the beginnings and ends of schedules are counted.
const ORIGIN: usize = 8;
/// Offset of the table of schedules.
const TABLE: usize = 14;
/// Bytes of an entry of that table.
const ENTRY: usize = 16;
/// Bytes of an operation.
pub const OPERATION: usize = 39;
/// Peer or tag that is a wildcard.
const ANY: u32 = u32::MAX;

/// Returns whether a file begins like a binary schedule.
pub fn recognises(start: &[u8]) -> bool {
    start.len() >= 8 && [MAGIC, MAGIC_INVALID].contains(&u64_at(start, 0))
}

/// A binary schedule and its name.
struct Binary<'a> {
    bytes: &'a [u8],
    file: &'a str,
}

/// Reads a schedule; `file` is its name in error messages.
pub fn parse(bytes: &[u8], file: &str, threads: usize) -> Result<Schedules> {
    let binary = Binary { bytes, file };
    let places = binary.places()?;
    let read = parallel::map(places.len(), threads, |rank| {
        let (start, end) = places[rank];
        RankReader::new(&binary, rank as u32, start, end, places.len() as u32)?.read()
    });
    let mut all = Schedules::default();
    for schedule in read {
        let (schedule, on_other_cpus) = schedule?;
        all.ranks.push(schedule);
        all.on_other_cpus += on_other_cpus;
    }
    Ok(all)
}

impl Binary<'_> {
    fn error(&self, offset: usize, text: impl Into<String>) -> Error {
        let text = format!("{}; write the schedule again with txt2bin", text.into());
        Error::Binary { file: self.file.to_owned(), offset: offset as u64, text }
    }

    /// Returns where the schedules of all ranks begin and end.
    fn places(&self) -> Result<Vec<(usize, usize)>> {
        let length = self.bytes.len();
        if length < TABLE {
            return Err(self.error(length, "the file ends inside its head"));
        }
        if u64_at(self.bytes, 0) == MAGIC_INVALID {
            return Err(self.error(0, "LogGOPSim --save-mem has used up this schedule"));
        }
        let ranks = u32_at(self.bytes, 8);
        if !(1..=MAX_RANKS).contains(&ranks) {
            return Err(self.error(8, format!("found {ranks} ranks, expected 1 to {MAX_RANKS}")));
        }
        let table_end = TABLE + ENTRY * ranks as usize;
        if table_end > length {
            return Err(self.error(length, format!("the file ends inside the table of its {ranks} ranks")));
        }
        let mut places = Vec::with_capacity(ranks as usize);
        let mut free = table_end;
        for rank in 0..ranks as usize {
            let at = TABLE + ENTRY * rank;
            let place = |at: usize| usize::try_from(u64_at(self.bytes, at)).ok()?.checked_add(ORIGIN);
            match (place(at), place(at + 8)) {
                (Some(start), Some(end)) if free <= start && start <= end && end <= length => {
                    places.push((start, end));
                    free = end;
                }
                (_, Some(end)) if end > length => {
                    let text = format!("the file ends before the schedule of rank {rank} does");
                    return Err(self.error(length, text));
                }
                _ => return Err(self.error(at, format!("impossible place of the schedule of rank {rank}"))),
            }
        }
        Ok(places)
    }
}

/// Reader of the schedule of one rank.
struct RankReader<'a> {
    binary: &'a Binary<'a>,
    rank: u32,
    ranks: u32,
    /// Operations, and the offset of the first.
    operations: &'a [u8],
    operations_at: usize,
    /// Operation numbers of dependents.
    dependents: &'a [u8],
}

impl<'a> RankReader<'a> {
    fn new(binary: &'a Binary<'a>, rank: u32, start: usize, end: usize, ranks: u32) -> Result<Self> {
        let bytes = &binary.bytes[start..end];
        let too_short = || {
            binary
                .error(start, format!("the schedule of rank {rank} is longer than its {} bytes", end - start))
        };
        if bytes.len() < 8 {
            return Err(too_short());
        }
        let (count, roots) = (u32_at(bytes, 0), u32_at(bytes, 4));
        if count >= MAX_OPERATIONS {
            let text = format!("rank {rank} has {count} operations; 2 billion at most can be read");
            return Err(binary.error(start, text));
        }
        let roots_end = 8 + 4 * u64::from(roots);
        let operations_end = roots_end + OPERATION as u64 * u64::from(count);
        if operations_end > bytes.len() as u64 {
            return Err(too_short());
        }
        let (roots_end, operations_end) = (roots_end as usize, operations_end as usize);
        Ok(Self {
            binary,
            rank,
            ranks,
            operations: &bytes[roots_end..operations_end],
            operations_at: start + roots_end,
            dependents: &bytes[operations_end..],
        })
    }

    /// Returns the schedule, and the number of operations on another CPU than CPU 0.
    fn read(&self) -> Result<(RankSchedule, u64)> {
        let count = self.operations.len() / OPERATION;
        let mut operations = Vec::with_capacity(count);
        let mut dependencies = Vec::new();
        let mut missing = Vec::with_capacity(count);
        let (mut on_other_cpus, mut used) = (0, 0);
        for (number, bytes) in (0..).zip(self.operations.chunks_exact(OPERATION)) {
            operations.push(Operation { kind: self.kind(number, bytes)?, line: 0 });
            missing.push(u32_at(bytes, 0));
            on_other_cpus += u64::from(bytes[21] > 0);
            for (at, complete) in [(23, true), (31, false)] {
                let list = self.list(number, u32_at(bytes, at), u32_at(bytes, at + 4), &mut used)?;
                let dependents = list.chunks_exact(4).map(|dependent| u32_at(dependent, 0));
                dependencies.extend(dependents.map(|of| Dependency::new(of, number, complete)));
            }
        }
        for dependency in &dependencies {
            let Some(left) = missing.get_mut(dependency.of as usize) else {
                let text = format!("is required by operation {}, which does not exist", dependency.of);
                return Err(self.error(dependency.on(), &text));
            };
            *left = left.wrapping_sub(1);
        }
        if let Some(wrong) = missing.iter().position(|left| *left != 0) {
            return Err(self.error(wrong as u32, "has another number of dependencies than it states"));
        }
        let origin = Origin::Bytes(self.operations_at);
        Ok((RankSchedule::new(self.rank, operations, &dependencies, origin), on_other_cpus))
    }

    fn error(&self, operation: u32, what: &str) -> Error {
        let offset = self.operations_at + OPERATION * operation as usize;
        self.binary.error(offset, format!("operation {operation} of rank {} {what}", self.rank))
    }

    fn kind(&self, number: u32, bytes: &[u8]) -> Result<OperationKind> {
        let (peer, size, tag) = (u32_at(bytes, 5), u64_at(bytes, 9), u32_at(bytes, 17));
        let kind = bytes[4];
        if kind == 3 {
            return Ok(OperationKind::Calc(size));
        }
        if !matches!(kind, 1 | 2) {
            let text = format!("has the type {kind}, expected 1 (send), 2 (receive) or 3 (computation)");
            return Err(self.error(number, &text));
        }
        let is_wild = |value: u32| kind == 2 && value == ANY;
        if peer >= self.ranks && !is_wild(peer) {
            let text = format!("names rank {peer}, expected 0 to {}", self.ranks - 1);
            return Err(self.error(number, &text));
        }
        // Traces keep bytes as signed numbers.
        if i64::try_from(size).is_err() {
            return Err(self.error(number, &format!("has a message of {size} bytes")));
        }
        if kind == 2 {
            let known = |value: u32| (value != ANY).then_some(value);
            return Ok(OperationKind::Receive { from: known(peer), bytes: size, tag: known(tag) });
        }
        if tag == ANY {
            return Err(self.error(number, "sends with a wildcard for its tag"));
        }
        Ok(OperationKind::Send { to: peer, bytes: size, tag })
    }

    /// Returns the bytes of a list of dependents; `used` counts those of all lists.
    fn list(&self, number: u32, count: u32, first: u32, used: &mut u64) -> Result<&'a [u8]> {
        *used += u64::from(count);
        if count == 0 {
            return Ok(&[]);
        }
        let start = 4 * u64::from(first);
        let end = start + 4 * u64::from(count);
        if end > self.dependents.len() as u64 || *used > self.dependents.len() as u64 / 4 {
            return Err(self.error(number, "has more dependents than the file lists"));
        }
        Ok(&self.dependents[start as usize..end as usize])
    }
}
