//! Commands from the root to all ranks, and their reports.

use panto_schedule::{Collective, Problem};
use panto_transport::{
    AlgorithmChoice, Buffers, MAX_U64, NO_REDUCTION, PreparedCollective, Result, Time, Transport,
};

/// The rank that gives commands and keeps samples.
pub(super) const ROOT: usize = 0;

const WORD: usize = size_of::<u64>();
const REPORT_WORDS: usize = 5;

/// What all ranks do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// Prepare a run that is verified.
    Prepare,
    /// Execute a batch, starting at this time; after a barrier if it is zero.
    Go { repetitions: u64, start: Time },
    /// Verify the data of the last run.
    Verify,
    /// Measure this point next.
    Point(usize),
    /// The point is complete.
    End,
}

/// The report of all ranks: the maximum of each value over the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Report {
    /// Whether any rank started late.
    pub(super) late: bool,
    /// The elapsed time on the designated rank, or the longest over the ranks.
    pub(super) elapsed: Time,
    /// The last end.
    pub(super) end: Time,
    /// The first start.
    pub(super) start: Time,
    /// The longest time that a rank waited for a core.
    pub(super) waited: Time,
}

/// Coordinates the ranks of a measurement: the collectives that carry commands and reports.
pub(super) struct Coordinator {
    broadcast: PreparedCollective,
    reduce: PreparedCollective,
    barrier: PreparedCollective,
    rank: usize,
}

impl Coordinator {
    pub(super) fn new<T: Transport>(transport: &T) -> Result<Self> {
        let problem = |collective, count| Problem { collective, ranks: transport.size(), root: ROOT, count };
        let prepare = |problem| PreparedCollective::new(transport, problem, WORD, AlgorithmChoice::Library);
        Ok(Self {
            broadcast: prepare(problem(Collective::Broadcast, 3))?,
            reduce: prepare(problem(Collective::Reduce, REPORT_WORDS))?,
            barrier: prepare(problem(Collective::Barrier, 0))?,
            rank: transport.rank(),
        })
    }

    /// Broadcasts a command from the root and returns it on every rank.
    pub(super) fn broadcast<T: Transport>(&mut self, transport: &T, command: Command) -> Result<Command> {
        let mut words: [u8; 3 * WORD] = to_bytes(command.encode());
        let buffers = Buffers { input: &[], output: &mut words, element: WORD, combine: NO_REDUCTION };
        out_of_band(transport, || self.broadcast.run(transport, buffers))?;
        Ok(Command::decode(from_bytes(&words)))
    }

    /// Waits for all ranks in a barrier.
    pub(super) fn barrier<T: Transport>(&mut self, transport: &T) -> Result<()> {
        let nothing = Buffers { input: &[], output: &mut [], element: WORD, combine: NO_REDUCTION };
        out_of_band(transport, || self.barrier.run(transport, nothing))
    }

    /// Reduces the reports of all ranks; the result is valid on the root only.
    pub(super) fn reduce<T: Transport>(&mut self, transport: &T, report: Report) -> Result<Report> {
        let mine: [u8; REPORT_WORDS * WORD] = to_bytes(report.encode());
        let mut all = mine;
        let output: &mut [u8] = if self.rank == ROOT { &mut all } else { &mut [] };
        let buffers = Buffers { input: &mine, output, element: WORD, combine: MAX_U64 };
        out_of_band(transport, || self.reduce.run(transport, buffers))?;
        Ok(Report::decode(from_bytes(&all)))
    }
}

/// Executes communication that is not part of the measured program.
fn out_of_band<T: Transport>(transport: &T, body: impl FnOnce() -> Result<()>) -> Result<()> {
    transport.set_out_of_band(true);
    let outcome = body();
    transport.set_out_of_band(false);
    outcome
}

impl Command {
    fn encode(self) -> [u64; 3] {
        match self {
            Self::Prepare => [0, 0, 0],
            Self::Go { repetitions, start } => [1, repetitions, start.as_picos()],
            Self::Verify => [2, 0, 0],
            Self::End => [3, 0, 0],
            Self::Point(index) => [4, index as u64, 0],
        }
    }

    fn decode([kind, number, start]: [u64; 3]) -> Self {
        match kind {
            0 => Self::Prepare,
            1 => Self::Go { repetitions: number, start: Time::from_picos(start) },
            2 => Self::Verify,
            4 => Self::Point(number as usize),
            _ => Self::End,
        }
    }
}

impl Report {
    /// Returns the report of a rank that took no part: it neither starts first nor ends last.
    pub(super) fn idle() -> Self {
        Self { start: Time::from_picos(u64::MAX), ..Self::default() }
    }

    /// Encodes the start as its complement, so that the maximum is the earliest start.
    fn encode(self) -> [u64; REPORT_WORDS] {
        [
            u64::from(self.late),
            self.elapsed.as_picos(),
            self.end.as_picos(),
            !self.start.as_picos(),
            self.waited.as_picos(),
        ]
    }

    fn decode([late, elapsed, end, start, waited]: [u64; REPORT_WORDS]) -> Self {
        Self {
            late: late != 0,
            elapsed: Time::from_picos(elapsed),
            end: Time::from_picos(end),
            start: Time::from_picos(!start),
            waited: Time::from_picos(waited),
        }
    }
}

fn to_bytes<const N: usize, const B: usize>(words: [u64; N]) -> [u8; B] {
    const { assert!(N * WORD == B) };
    let mut bytes = [0; B];
    for (chunk, word) in bytes.as_chunks_mut::<WORD>().0.iter_mut().zip(words) {
        *chunk = word.to_ne_bytes();
    }
    bytes
}

fn from_bytes<const N: usize, const B: usize>(bytes: &[u8; B]) -> [u64; N] {
    const { assert!(N * WORD == B) };
    let mut words = [0; N];
    for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<WORD>().0) {
        *word = u64::from_ne_bytes(*chunk);
    }
    words
}
