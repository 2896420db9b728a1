//! Writer of traces, shared by the imports: streams of calls, rank by rank.

use std::path::Path;

use panto_trace::{Action, Builder, Metadata, Ranks, TraceWriter, key};

use crate::error::Result;

/// Upper limit of ranks; a larger number in a file is an error.
pub const MAX_RANKS: u32 = 1 << 24;

/// Bytes of the elements of messages: imported formats count bytes.
const ELEMENT: u64 = 1;

/// A trace being written.
pub struct Target {
    writer: TraceWriter,
    all_ranks: Ranks,
    metadata: Metadata,
    /// Number of calls written.
    pub calls: u64,
}

impl Target {
    /// Creates a trace of `ranks` ranks; `origin` names the file it is imported from.
    pub fn create(path: &Path, ranks: u32, format: &str, origin: &str) -> Result<Self> {
        let mut metadata = Metadata::default();
        metadata.set(key::PROGRAM, origin);
        metadata.set(key::METHOD, &format!("imported from {format}"));
        let writer = TraceWriter::create(path, ranks, &metadata)?;
        Ok(Self { writer, all_ranks: (0..ranks).collect(), metadata, calls: 0 })
    }

    /// Starts the stream of a rank.
    pub fn stream(&self, rank: u32) -> Builder {
        let mut stream = Builder::with_metadata(rank, &self.all_ranks, ELEMENT, &self.metadata);
        stream.call("MPI_Init", &Action::Initialise { threads: 0 });
        stream
    }

    /// Ends and writes the stream of a rank.
    pub fn add(&mut self, mut stream: Builder) -> Result<()> {
        stream.call("MPI_Finalize", &Action::Finalise {});
        self.calls += stream.calls();
        let mut metadata = Metadata::default();
        metadata.set(key::CALLS, &stream.calls());
        Ok(self.writer.add(&stream.finish(&metadata))?)
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.writer.finish()?)
    }
}
