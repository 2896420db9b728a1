//! Metadata of a run: names with values, as text, so that later versions can add some.

use std::collections::BTreeMap;

/// The names that Panto itself uses.
pub mod key {
    /// The command line of `panto trace`.
    pub const COMMAND: &str = "command";
    /// The program's file.
    pub const PROGRAM: &str = "program";
    /// The host's name.
    pub const HOST: &str = "host";
    /// The cores that the rank may use, as the kernel lists them: `0-3,7`.
    pub const CORES: &str = "cores";
    /// The time of an element of a DAXPY on the host, in picoseconds.
    pub const DAXPY: &str = "daxpy_ps";
    /// The MPI library's name and version.
    pub const MPI: &str = "mpi";
    /// The MPI library's ABI.
    pub const ABI: &str = "abi";
    /// The clock by which computation is measured: `cpu`, `wall` or `instructions`.
    pub const CLOCK: &str = "clock";
    /// How computation is measured, in words.
    pub const METHOD: &str = "method";
    /// Whether ranks computed with compute tokens: `yes` or `no`.
    pub const TOKEN: &str = "token";
    /// The tracer's own time inside a block of computation, which was subtracted, in nanoseconds.
    pub const SUBTRACTED: &str = "subtracted_ns";
    /// The tracer's own events inside a block of computation, which were subtracted, if events such
    /// as instructions are counted.
    pub const SUBTRACTED_EVENTS: &str = "subtracted_events";
    /// Why the clock is not `instructions`, in all or in a part of the run, although the user asked
    /// for it.
    pub const NOT_COUNTED: &str = "not_counted";
    /// When the rank started, in nanoseconds since 1970.
    pub const STARTED: &str = "started_ns";
    /// The host's monotonic clock when the rank started, in nanoseconds.
    pub const MONOTONIC_START: &str = "monotonic_start_ns";
    /// The version of Panto.
    pub const VERSION: &str = "panto";
    /// The number of runs that were merged into this trace.
    pub const MERGED: &str = "merged_runs";
    /// From which numbers of ranks this trace was extrapolated: `4, 8, 16 ranks`.
    pub const EXTRAPOLATED: &str = "extrapolated_from";
    /// The trace is of a run in virtual time (`panto run`), whose computation contains the
    /// program's sleeps: `yes`.
    pub const VIRTUAL: &str = "virtual_time";
    /// At the end: the number of calls that were recorded.
    pub const CALLS: &str = "calls";
    /// At the end: the rank's run time from `MPI_Init` on, in nanoseconds.
    pub const WALL: &str = "wall_ns";
    /// At the end: the host's monotonic clock at that moment, in nanoseconds.
    pub const MONOTONIC_END: &str = "monotonic_end_ns";
    /// At the end: an estimate of how much longer the run took because it was traced, in
    /// nanoseconds.
    pub const COST: &str = "cost_ns";
    /// At the end: CPU time of threads that never called MPI, in nanoseconds.
    pub const OTHER_THREADS: &str = "other_threads_ns";
    /// At the end: how often the CPU clock was read.
    pub const CLOCK_READS: &str = "clock_reads";
    /// At the end: the events (instructions) that were counted in blocks of computation.
    pub const COUNTED: &str = "counted";
    /// At the end: counted events per nanosecond of CPU time, the mean over the run.
    pub const COUNTED_PER_NS: &str = "counted_per_ns";
    /// At the end: why recording stopped early. Either the program ended there itself, which is one
    /// of [`stopped`](super::stopped), or the reason is a failure of the recording.
    pub const STOPPED: &str = "stopped";
}

/// Values of [`key::STOPPED`] of a program that ended itself before `MPI_Finalize`.
pub mod stopped {
    /// A call of `MPI_Abort`, which is recorded.
    pub const ABORTED: &str = "MPI_Abort";
    /// The program returned or called `exit`.
    pub const EXITED: &str = "the program ended without MPI_Finalize";
}

/// Metadata: names with values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata(BTreeMap<String, String>);

impl Metadata {
    /// Sets a value. Line breaks become spaces.
    pub fn set(&mut self, name: &str, value: &(impl ToString + ?Sized)) {
        let value = value.to_string().replace(['\n', '\r'], " ");
        self.0.insert(name.to_owned(), value);
    }

    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the value of a name, if it is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Returns all names with their values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Adds those of another set, which replace equal names.
    pub fn extend(&mut self, more: &Self) {
        self.0.extend(more.0.iter().map(|(name, value)| (name.clone(), value.clone())));
    }

    pub(crate) fn to_text(&self) -> String {
        self.iter().fold(String::new(), |text, (name, value)| text + name + "=" + value + "\n")
    }

    pub(crate) fn from_text(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Self(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}
