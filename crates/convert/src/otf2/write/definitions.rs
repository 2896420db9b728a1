//! The global definitions of an archive.

use std::path::Path;

use panto_timeline::{Timeline, TimelineInfo};

use super::super::encode::{ChunkFile, put_record, put_text, put_u32, put_u64};
use super::super::kinds::{UNDEFINED, definition, group, paradigm, role};
use crate::error::Result;
use crate::timeline_events::Tracks;

/// The number of the communicator of all ranks.
pub const WORLD: u32 = 0;

/// Times are in picoseconds.
const TICKS_PER_SECOND: u64 = 1_000_000_000_000;

/// Numbers of regions.
pub struct Regions;

impl Regions {
    /// The program: all that is not in a call.
    pub const PROGRAM: u32 = 0;

    /// Returns the region of a call.
    pub fn call(call: u32) -> u32 {
        call + 1
    }
}

/// Writes the definitions, with the number of events of each location; returns their number.
pub fn write(timeline: &Timeline, events: &[u64], folder: &Path, chunk: usize) -> Result<u64> {
    let file = ChunkFile::new(folder.join("traces.def"), chunk);
    let mut definitions = Definitions { file, strings: 0, count: 0 };
    definitions.clock(timeline)?;
    definitions.locations(timeline.about(), events)?;
    definitions.regions(timeline.about())?;
    definitions.communicator(timeline.ranks())?;
    definitions.file.finish()?;
    Ok(definitions.count)
}

struct Definitions {
    file: ChunkFile,
    /// Strings so far.
    strings: u32,
    count: u64,
}

impl Definitions {
    fn put(&mut self, kind: u8, content: &[u8]) -> Result<()> {
        let mut record = Vec::with_capacity(content.len() + 10);
        put_record(&mut record, kind, content);
        self.count += 1;
        self.file.definition(&record)
    }

    fn string(&mut self, text: &str) -> Result<u32> {
        let mut content = Vec::with_capacity(text.len() + 6);
        put_u32(&mut content, self.strings);
        put_text(&mut content, text);
        self.put(definition::STRING, &content)?;
        self.strings += 1;
        Ok(self.strings - 1)
    }

    fn clock(&mut self, timeline: &Timeline) -> Result<()> {
        let span = timeline.span().map_or((0, 0), |span| (span.start().as_picos(), span.end().as_picos()));
        let mut content = Vec::new();
        // The last number is the wall-clock time of the beginning.
        for number in [TICKS_PER_SECOND, span.0, span.1 - span.0, u64::MAX] {
            put_u64(&mut content, number);
        }
        self.put(definition::CLOCK_PROPERTIES, &content)
    }

    fn locations(&mut self, about: &TimelineInfo, events: &[u64]) -> Result<()> {
        const PROCESS: u8 = 1;
        const CPU_THREAD: u8 = 1;
        let machine = about.fact("machine").or(about.fact("host")).unwrap_or("machine");
        let (name, class) = (self.string(machine)?, self.string("machine")?);
        let mut content = Vec::new();
        for number in [0, name, class, UNDEFINED] {
            put_u32(&mut content, number);
        }
        self.put(definition::SYSTEM_TREE_NODE, &content)?;
        let tracks = Tracks::new(about);
        for line in tracks.order() {
            let (rank, helper) = tracks.rank_and_helper(line);
            let name = self.string(&tracks.name(line))?;
            if helper == 0 {
                let mut content = Vec::new();
                put_u32(&mut content, rank);
                put_u32(&mut content, name);
                content.push(PROCESS);
                // The node that it is on, and the process that started it.
                put_u32(&mut content, 0);
                put_u32(&mut content, UNDEFINED);
                self.put(definition::LOCATION_GROUP, &content)?;
            }
            let mut content = Vec::new();
            put_u64(&mut content, line.into());
            put_u32(&mut content, name);
            content.push(CPU_THREAD);
            put_u64(&mut content, events[line as usize]);
            put_u32(&mut content, rank);
            self.put(definition::LOCATION, &content)?;
        }
        Ok(())
    }

    fn regions(&mut self, about: &TimelineInfo) -> Result<()> {
        let program = about.fact("program").unwrap_or("program");
        self.region(Regions::PROGRAM, program, role::FUNCTION, paradigm::USER)?;
        for (call, name) in (0..).zip(&about.calls) {
            let paradigm = if name.starts_with("MPI_") { paradigm::MPI } else { paradigm::USER };
            self.region(Regions::call(call), name, role_of(name), paradigm)?;
        }
        Ok(())
    }

    fn region(&mut self, number: u32, name: &str, role: u8, paradigm: u8) -> Result<()> {
        let name = self.string(name)?;
        let mut content = Vec::new();
        put_u32(&mut content, number);
        put_u32(&mut content, name);
        put_u32(&mut content, name);
        // The kind of region in versions before 1.2.
        content.push(0);
        // The source file, its first and last line.
        for number in [UNDEFINED, 0, 0, name] {
            put_u32(&mut content, number);
        }
        content.extend([role, paradigm]);
        put_u32(&mut content, 0);
        self.put(definition::REGION, &content)
    }

    /// Defines `MPI_COMM_WORLD`: the locations of all ranks, and the group of all of them.
    fn communicator(&mut self, ranks: u32) -> Result<()> {
        let nameless = self.string("")?;
        for (number, kind) in [(0, group::COMM_LOCATIONS), (1, group::COMM_GROUP)] {
            let mut content = Vec::with_capacity(16 + 5 * ranks as usize);
            put_u32(&mut content, number);
            put_u32(&mut content, nameless);
            // The kind of group in versions before 1.2.
            content.push(0);
            put_u32(&mut content, ranks);
            (0..ranks).for_each(|rank| put_u64(&mut content, rank.into()));
            content.extend([kind, paradigm::MPI]);
            put_u32(&mut content, 0);
            self.put(definition::GROUP, &content)?;
        }
        let name = self.string("MPI_COMM_WORLD")?;
        let mut content = Vec::new();
        for number in [WORLD, name, 1, UNDEFINED, 0] {
            put_u32(&mut content, number);
        }
        self.put(definition::COMM, &content)
    }
}

/// Returns what a function does, by its name.
fn role_of(name: &str) -> u8 {
    let lower = name.strip_prefix("MPI_").unwrap_or_default().to_ascii_lowercase();
    let is_any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if is_any(&["send", "recv", "wait", "test", "probe", "start"]) {
        role::POINT2POINT
    } else if lower.contains("barrier") {
        role::BARRIER
    } else if lower.starts_with("file_") {
        role::FILE_IO
    } else if lower.starts_with("win_") || is_any(&["put", "get", "accumulate"]) {
        role::RMA
    } else if is_any(&["allreduce", "allgather", "alltoall", "reduce_scatter"]) {
        role::COLL_ALL2ALL
    } else if is_any(&["bcast", "scatter"]) {
        role::COLL_ONE2ALL
    } else if is_any(&["gather", "reduce"]) {
        role::COLL_ALL2ONE
    } else if lower.contains("scan") {
        role::COLL_OTHER
    } else if lower.is_empty() {
        role::CODE
    } else {
        role::FUNCTION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_roles() {
        let roles = [
            ("MPI_Isend", role::POINT2POINT),
            ("MPI_Ibarrier", role::BARRIER),
            ("MPI_Iallreduce", role::COLL_ALL2ALL),
            ("MPI_Scatterv", role::COLL_ONE2ALL),
            ("MPI_Gather", role::COLL_ALL2ONE),
            ("MPI_Win_fence", role::RMA),
            ("MPI_Comm_split", role::FUNCTION),
            ("solve", role::CODE),
        ];
        for (name, role) in roles {
            assert_eq!(role_of(name), role, "{name}");
        }
    }
}
