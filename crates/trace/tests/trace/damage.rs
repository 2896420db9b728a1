//! Damaged files: reading one gives an error, or a prefix of the intact events; never other events,
//! and never a panic.
//!
//! One exception: a program may drop the events recorded so far, and notes that in a later block.
//! If that block is lost, the dropped events are read, because they are still in the file.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use panto_trace::{Metadata, Summary, Trace, World, combine};

use crate::support::{Seen, Writer, all_events, events, test, whole};

/// Returns the streams of two ranks with a few blocks each. Both ranks dropped their first block.
fn streams() -> Vec<(u32, Vec<u8>)> {
    let stream = |rank: u32| {
        let mut writer = Writer::with_stamps(rank, 2, rank == 1);
        writer.send(1, 8, 3);
        writer.seal();
        writer.recorder.drop_events();
        for round in 0..20 {
            writer.send(1 - 2 * rank as i32, 100 + u64::from(rank), 1000 * round);
            writer.call("MPI_Test", &test(&[0, 1], &[1]), round);
            if round % 8 == 7 {
                writer.seal();
            }
        }
        writer.finalise();
        (rank, writer.finish())
    };
    vec![stream(0), stream(1)]
}

/// Returns whether the events are a prefix of a rank's events, or the event that it dropped.
fn comes_first(seen: &[Seen], expected: &[Seen]) -> bool {
    let is_dropped = |seen: &Seen| (seen.before, seen.action.contains("bytes: 8,")) == (3, true);
    expected.starts_with(seen) || seen.len() == 1 && is_dropped(&seen[0])
}

/// Reads all that is readable of a file and compares it with the intact events.
fn check(path: &Path, sound: &[Vec<Seen>], context: &str) -> Option<Trace> {
    let trace = Trace::open(path).ok()?;
    let mut is_whole = trace.ranks().len() == sound.len();
    let mut is_reported = !trace.is_complete();
    for rank in trace.ranks() {
        let expected = &sound[rank.rank() as usize];
        let (seen, error) = events(rank);
        assert!(comes_first(&seen, expected), "{context}: other events");
        is_whole &= seen == *expected;
        is_reported |= error.is_some();
    }
    assert!(is_reported || is_whole, "{context}: events lost in silence");
    Some(trace)
}

/// Reads a trace through the summary and the communicators, which must not panic.
fn survey(trace: &Trace) {
    Summary::of(trace).expect("damage is reported, not an error");
    let _ = World::new(trace);
}

/// Returns the bytes of the whole trace and of the stream of one of its ranks, each with its events
/// by rank.
fn files(folder: &Path) -> Vec<(Vec<u8>, Vec<Vec<Seen>>)> {
    let streams = streams();
    let path = whole(&folder.join("sound.panto"), &streams);
    let sound = all_events(&path);
    let bytes = std::fs::read(path).expect("it was written");
    vec![(bytes, sound.clone()), (streams[0].1.clone(), sound[..1].to_vec())]
}

/// Writes the bytes to a file that is then damaged in place: rewriting it each time would wait for
/// the disk.
fn copy(path: &Path, bytes: &[u8]) -> File {
    std::fs::write(path, bytes).expect("a file");
    File::options().write(true).open(path).expect("it was written")
}

#[test]
fn truncated_at_every_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    for (bytes, sound) in files(folder.path()) {
        let path = folder.path().join("cut");
        let file = copy(&path, &bytes);
        for length in (0..bytes.len()).rev() {
            file.set_len(length as u64).expect("it can be cut");
            check(&path, &sound, &format!("cut at {length}")).iter().for_each(survey);
        }
    }
}

#[test]
fn every_bit_flipped() {
    let folder = tempfile::tempdir().expect("a folder");
    for (bytes, sound) in files(folder.path()) {
        let path = folder.path().join("flipped");
        let file = copy(&path, &bytes);
        for (place, byte) in bytes.iter().enumerate() {
            let set = |byte: u8| file.write_all_at(&[byte], place as u64).expect("it can be written");
            for bit in 0..8 {
                set(byte ^ 1 << bit);
                let flipped = check(&path, &sound, &format!("bit {bit} of byte {place}"));
                flipped.iter().filter(|_| bit == 0).for_each(survey);
            }
            set(*byte);
        }
    }
}

#[test]
fn what_is_left_of_a_damaged_trace_can_be_combined() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, sound) = files(folder.path()).remove(0);
    let [damaged, target] = ["damaged", "combined"].map(|name| folder.path().join(name));
    for place in (0..bytes.len()).step_by(29) {
        let mut copy = bytes.clone();
        copy[place] ^= 0x10;
        std::fs::write(&damaged, &copy).expect("a file");
        let Ok(trace) = Trace::open(&damaged) else { continue };
        combine(&trace, &target, &Metadata::default()).expect("the sound part");
        let combined = Trace::open(&target).expect("a sound trace");
        assert_eq!(combined.damage().next(), None);
        for rank in combined.ranks() {
            let (seen, error) = events(rank);
            assert_eq!(error, None, "byte {place}");
            assert!(comes_first(&seen, &sound[rank.rank() as usize]), "byte {place}");
        }
    }
}

#[test]
fn something_else_is_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "PANTO is the name of a program that is not a trace").expect("a file");
    assert!(!Trace::recognises(&path));
    let error = Trace::open(&path).expect_err("no trace").to_string();
    assert!(error.ends_with("this is not a trace; `panto trace -o FILE -- mpirun ...` makes one"), "{error}");
    assert!(!Trace::recognises(folder.path()), "no files of ranks are in it");
}

#[test]
fn a_later_version_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bytes, _) = files(folder.path()).remove(1);
    bytes[8] = 9;
    let checksum = panto_container::checksum(&[&bytes[..24]]);
    bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
    let path = folder.path().join("later");
    std::fs::write(&path, bytes).expect("a file");
    let error = Trace::open(&path).expect_err("a later version").to_string();
    assert!(
        error.contains("version 9 of the trace format") && error.contains("use a newer panto"),
        "{error}"
    );
}
