//! Outcomes of calls that depend on time: what a simulation decides for a rank that runs in its
//! virtual time.

use panto_units::Time;

/// How a call that tests requests looks at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// One that is complete, if there is one (`MPI_Test`, `MPI_Testany`).
    TestAny,
    /// All of them or none (`MPI_Testall`).
    TestAll,
    /// All that are complete (`MPI_Testsome`).
    TestSome,
    /// Waits for the first (`MPI_Waitany`).
    WaitAny,
    /// Waits for the first, and takes all that are complete then (`MPI_Waitsome`).
    WaitSome,
}

impl TestKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::TestAny, Self::TestAll, Self::TestSome, Self::WaitAny, Self::WaitSome];

    /// Returns whether the call waits until a request is complete.
    pub fn waits(self) -> bool {
        matches!(self, Self::WaitAny | Self::WaitSome)
    }
}

/// A message that a receive with wildcards or a probe matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched {
    /// The sender's rank in the communicator.
    pub source: u32,
    /// The tag.
    pub tag: u32,
    /// The length in bytes.
    pub bytes: u64,
}

/// What a rank learns when its calls so far are done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The rank's virtual clock.
    pub clock: Time,
    /// The requests that are complete, as positions in the question.
    pub completed: Vec<u32>,
    /// The message that a probe found.
    pub probed: Option<Matched>,
    /// What the last blocking receive with wildcards matched.
    pub received: Option<Matched>,
    /// What requests with wildcards matched, by their slots in the trace.
    pub matches: Vec<(u32, Matched)>,
}
