//! Combining the streams of all ranks into one file.

use panto_trace::{Error, Metadata, Trace, combine};

use crate::support::{Writer, all_events, events, folder, whole};

fn stream(rank: u32, ranks: u32) -> Writer {
    let mut writer = Writer::new(rank, ranks);
    for round in 0..50 {
        writer.send(1, 64 + u64::from(rank), round);
        if round % 20 == 19 {
            writer.seal();
        }
    }
    writer
}

#[test]
fn all_ranks_are_in_one_file() {
    let at = tempfile::tempdir().expect("a folder");
    let streams: Vec<_> = (0..12).map(|rank| (rank, stream(rank, 12).finish())).collect();
    let ranks = folder(&at.path().join("ranks"), &streams);
    let path = whole(&at.path().join("app.panto"), &streams);
    let trace = Trace::open(&path).expect("a trace");
    assert!(trace.is_complete());
    assert_eq!((trace.size(), trace.metadata().get("command")), (12, Some("mpirun -n 2 ./app")));
    assert_eq!(trace.ranks()[3].metadata().get("host"), Some("here"));
    assert_eq!(all_events(&path), all_events(&ranks));
    assert!(Trace::recognises(&path) && Trace::recognises(&ranks));
    let names = std::fs::read_dir(at.path()).expect("a folder").count();
    assert_eq!(names, 3, "nothing but the two folders and the file: {names}");
}

#[test]
fn what_is_missing_or_damaged_is_reported() {
    let at = tempfile::tempdir().expect("a folder");
    let mut damaged = stream(2, 7).finish();
    // Damages a byte after the header of the second block of events.
    let block = nth_block(&damaged, 2);
    damaged[block + 80] ^= 1;
    let mut torn = stream(3, 7).killed();
    torn.truncate(torn.len() - 3);
    let streams =
        [(0, stream(0, 7).finish()), (1, stream(1, 7).killed()), (2, damaged), (3, torn), (6, Vec::new())];
    let ranks = folder(&at.path().join("ranks"), &streams);
    let trace = Trace::open(&ranks).expect("what is there");
    let target = at.path().join("app.panto");
    let combined = combine(&trace, &target, &Metadata::default()).expect("a trace");
    assert_eq!(combined.ranks, 4);
    assert_eq!(combined.missing.iter().collect::<Vec<_>>(), [4, 5, 6]);
    assert_eq!(combined.incomplete.iter().collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(combined.damage.len(), 1);
    assert!(combined.damage[0].contains("rank 2: damaged at byte"), "{:?}", combined.damage);
    let whole = Trace::open(&target).expect("a trace");
    let lengths: Vec<usize> = whole.ranks().iter().map(|rank| events(rank).0.len()).collect();
    assert_eq!(lengths, [50, 40, 20, 20]);
    assert!(whole.ranks().iter().all(|rank| rank.damage().is_none()));
    let stopped = whole.ranks()[2].metadata().get("stopped").expect("why it ends early");
    assert!(stopped.contains("the checksum does not match"), "{stopped}");
}

/// Returns the offset of a block, found by the lengths of the blocks before it.
fn nth_block(stream: &[u8], number: usize) -> usize {
    let stored = |block: usize, section: usize| {
        let at = block + 28 + 8 * section;
        u32::from_le_bytes(stream[at..at + 4].try_into().expect("four bytes")) as usize
    };
    (0..number).fold(32, |block, _| block + 72 + (0..6).map(|section| stored(block, section)).sum::<usize>())
}

#[test]
fn what_is_read_is_not_overwritten() {
    let at = tempfile::tempdir().expect("a folder");
    let ranks = folder(&at.path().join("ranks"), &[(0, stream(0, 1).finish())]);
    let file = ranks.join("0.rank");
    let before = std::fs::read(&file).expect("a stream");
    let trace = Trace::open(&ranks).expect("a trace");
    let error = combine(&trace, &file, &Metadata::default()).expect_err("it is read");
    assert!(error.to_string().contains("is read, so it cannot be written; name another file"), "{error}");
    assert_eq!(std::fs::read(&file).expect("a stream"), before);
}

#[test]
fn ranks_of_different_runs_are_refused() {
    let at = tempfile::tempdir().expect("a folder");
    let ranks = folder(&at.path().join("ranks"), &[(0, stream(0, 2).finish()), (1, stream(1, 3).finish())]);
    let error = Trace::open(&ranks).expect_err("two runs").to_string();
    assert!(error.contains("rank 0 belongs to a run of 2 ranks, and another one to a run of 3"), "{error}");
    let [one, two] = ["a", "b"].map(|name| folder(&at.path().join(name), &[(0, stream(0, 1).finish())]));
    let error = Trace::open_all(&[one, two]).expect_err("the same rank").to_string();
    assert!(error.contains("rank 0 is there twice; use traces of one run"), "{error}");
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let at = tempfile::tempdir().expect("a folder");
    let ranks = folder(&at.path().join("ranks"), &[(0, stream(0, 1).finish())]);
    let trace = Trace::open(&ranks).expect("a trace");
    let target = at.path().join("nowhere/app.panto");
    let error = combine(&trace, &target, &Metadata::default()).expect_err("there is no such folder");
    assert!(matches!(&error, Error::Write { path, .. } if *path == target), "{error}");
}
