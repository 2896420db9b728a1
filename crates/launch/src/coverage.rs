//! How much of a program its trace has.

use panto_trace::{RankTrace, Trace, key};

/// How much of a program its trace has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// All ranks reached `MPI_Finalize`.
    Whole,
    /// A rank ended the program before `MPI_Finalize`, by `MPI_Abort` or by returning. Its calls
    /// are recorded; the launcher may have killed other ranks before they wrote their last ones.
    UntilTheProgramEnded,
    /// Calls are missing for which the program is not the reason: the disk was full, a rank was
    /// killed, or it was not traced at all.
    Partial,
}

impl Coverage {
    /// Returns how much of its program a trace has.
    pub fn of(trace: &Trace) -> Self {
        if trace.is_complete() {
            return Self::Whole;
        }
        let has_failed =
            |rank: &RankTrace| rank.metadata().get(key::STOPPED).is_some() && !rank.was_ended_by_program();
        let ranks = trace.ranks();
        let was_ended = ranks.iter().any(RankTrace::was_ended_by_program);
        if was_ended && !ranks.iter().any(has_failed) { Self::UntilTheProgramEnded } else { Self::Partial }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use panto_trace::{Head, Metadata, stopped, stream_end, stream_start};

    use super::*;

    /// The end of a rank's file.
    #[derive(Clone, Copy)]
    enum End {
        Finalized,
        Killed,
        Stopped(&'static str),
    }

    /// Writes the file of a rank without calls.
    fn write_rank(folder: &Path, rank: u32, end: End) {
        let mut bytes = stream_start(
            Head { is_whole: false, rank, ranks: 2, has_call_sites: false },
            &Metadata::default(),
        );
        let mut facts = Metadata::default();
        if let End::Stopped(reason) = end {
            facts.set(key::STOPPED, reason);
        }
        if !matches!(end, End::Killed) {
            bytes.extend(stream_end(&facts));
        }
        std::fs::write(folder.join(format!("{rank}.rank")), bytes).unwrap();
    }

    fn coverage(ends: &[End]) -> Coverage {
        let folder = tempfile::tempdir().unwrap();
        (0..).zip(ends).for_each(|(rank, end)| write_rank(folder.path(), rank, *end));
        Coverage::of(&Trace::open(folder.path()).unwrap())
    }

    #[test]
    fn a_failure_differs_from_an_end_of_the_program() {
        let full = End::Stopped("0.rank: No space left on device");
        let (aborted, exited) = (End::Stopped(stopped::ABORTED), End::Stopped(stopped::EXITED));
        assert_eq!(coverage(&[End::Finalized, End::Finalized]), Coverage::Whole);
        assert_eq!(coverage(&[aborted, End::Killed]), Coverage::UntilTheProgramEnded);
        assert_eq!(coverage(&[exited, exited]), Coverage::UntilTheProgramEnded);
        assert_eq!(coverage(&[aborted, full]), Coverage::Partial);
        assert_eq!(coverage(&[End::Finalized, End::Killed]), Coverage::Partial);
        assert_eq!(coverage(&[End::Finalized]), Coverage::Partial);
    }
}
