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
    streams: Streams,
    /// Number of calls written.
    pub calls: u64,
}

/// What the streams of all ranks begin with. Threads share it.
#[derive(Clone)]
pub struct Streams {
    all_ranks: Ranks,
    metadata: Metadata,
}

/// The complete stream of one rank.
pub struct RankStream {
    bytes: Vec<u8>,
    calls: u64,
}

impl Streams {
    /// Begins the stream of a rank, without calls.
    pub fn begin_bare(&self, rank: u32) -> Builder {
        Builder::with_metadata(rank, &self.all_ranks, ELEMENT, &self.metadata)
    }

    /// Begins the stream of a rank.
    pub fn begin(&self, rank: u32) -> Builder {
        let mut stream = self.begin_bare(rank);
        stream.call("MPI_Init", &Action::Initialise { threads: 0 });
        stream
    }
}

impl RankStream {
    /// Ends the stream of a rank.
    pub fn end(mut stream: Builder) -> Self {
        stream.call("MPI_Finalize", &Action::Finalise {});
        Self::complete(stream)
    }

    /// Ends the stream of a rank that has called `MPI_Finalize`.
    pub fn complete(stream: Builder) -> Self {
        let calls = stream.calls();
        let mut metadata = Metadata::default();
        metadata.set(key::CALLS, &calls);
        Self { bytes: stream.finish(&metadata), calls }
    }
}

impl Target {
    /// Creates a trace of `ranks` ranks; `origin` names the file it is imported from.
    pub fn create(path: &Path, ranks: u32, format: &str, origin: &str) -> Result<Self> {
        let mut metadata = Metadata::default();
        metadata.set(key::PROGRAM, origin);
        metadata.set(key::METHOD, &format!("imported from {format}"));
        let writer = TraceWriter::create(path, ranks, &metadata)?;
        Ok(Self { writer, streams: Streams { all_ranks: (0..ranks).collect(), metadata }, calls: 0 })
    }

    /// Returns what the streams of all ranks begin with.
    pub fn streams(&self) -> Streams {
        self.streams.clone()
    }

    /// Writes the stream of the next rank.
    pub fn add(&mut self, stream: &RankStream) -> Result<()> {
        self.calls += stream.calls;
        Ok(self.writer.add(&stream.bytes)?)
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.writer.finish()?)
    }
}
