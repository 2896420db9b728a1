//! Copies the first run with other times.

use super::run::{Call, Run};
use crate::action::Action;
use crate::error::Result;
use crate::field::Name;
use crate::record::{Recorder, Times};
use crate::table::{Communicator, Tables};
use crate::write::TraceWriter;

/// Writes the calls of the first run, in blocks that begin where its own do.
pub struct Copy {
    recorder: Recorder,
    names: Vec<Name>,
    types: usize,
    comms: usize,
    things: usize,
    sites: usize,
    thread: u32,
    /// The block of the first run that is being copied, and its beginning.
    block: Option<usize>,
    wall: u64,
    calls: u64,
    out: Vec<u8>,
}

/// The name of events that no function caused.
const THREAD: &str = "thread";

impl Copy {
    pub fn new(has_stamps: bool) -> Self {
        Self {
            recorder: Recorder::new(has_stamps),
            names: Vec::new(),
            types: 0,
            comms: 0,
            things: 0,
            sites: 0,
            thread: 0,
            block: None,
            wall: 0,
            calls: 0,
            out: Vec::new(),
        }
    }

    /// Appends a call with another time before it.
    pub fn add(&mut self, run: &Run, call: &Call, before: u64, writer: &mut TraceWriter) -> Result<()> {
        let (block, wall) = call.block;
        if self.block != Some(block) {
            self.seal(writer)?;
            self.define(run.tables());
            self.block = Some(block);
            self.wall = wall;
        }
        if self.thread != call.thread {
            self.thread = call.thread;
            let name = self.recorder.name(THREAD);
            self.recorder.record(name, &Action::Thread { thread: call.thread }, Times::default());
        }
        let (Some(signature), Some(action)) = (run.signature(call), run.action(call)) else { return Ok(()) };
        let times = Times { before, gap: call.gap, inside: call.inside };
        self.recorder.record_at(self.names[signature.name.index()], signature.site, &action, times);
        self.calls += 1;
        Ok(())
    }

    /// Copies the definitions that the first run has made since.
    fn define(&mut self, tables: &Tables) {
        for name in &tables.names()[self.names.len()..] {
            self.names.push(self.recorder.name(name));
        }
        for datatype in &tables.types()[self.types..] {
            self.recorder.datatype(datatype);
        }
        for comm in &tables.comms()[self.comms..] {
            let made_by = self.names.get(comm.made_by.index()).copied().unwrap_or(comm.made_by);
            self.recorder.communicator(&Communicator { made_by, ..comm.clone() });
        }
        for thing in &tables.windows_and_files()[self.things..] {
            self.recorder.window_or_file(thing);
        }
        for site in &tables.sites()[self.sites..] {
            self.recorder.call_site(site);
        }
        self.sites = tables.sites().len();
        (self.types, self.comms, self.things) =
            (tables.types().len(), tables.comms().len(), tables.windows_and_files().len());
    }

    fn seal(&mut self, writer: &mut TraceWriter) -> Result<()> {
        if self.recorder.bytes() == 0 {
            return Ok(());
        }
        self.out.clear();
        self.recorder.seal(self.wall, &mut self.out);
        writer.write(&self.out)
    }

    /// Writes the last block. Returns the number of calls.
    pub fn finish(mut self, writer: &mut TraceWriter) -> Result<u64> {
        self.seal(writer)?;
        Ok(self.calls)
    }
}
