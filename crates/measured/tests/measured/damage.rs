//! Traces that lack something.

use panto_measured::Error;
use panto_trace::{Builder, CallForm, Metadata};

use crate::{Run, try_measured};

#[test]
fn a_trace_without_stamps_says_how_to_get_them() {
    let mut rank = Builder::new(0, 1, 1);
    rank.compute(10);
    rank.send(CallForm::Blocking, 0, 7, 1);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("0.rank"), rank.finish(&Metadata::default())).expect("written");
    let (_, result) = try_measured(&folder);
    let Err(error @ Error::NoStamps { .. }) = result else { panic!("{result:?}") };
    assert!(error.to_string().contains("panto trace --stamps"), "{error}");
}

#[test]
fn messages_with_one_end_are_counted() {
    let mut run = Run::new(2);
    run.send(0, 100, 10, 1);
    run.send(0, 100, 10, 1);
    run.receive(1, 0, 120, 0);
    let measured = run.measured();
    assert_eq!(measured.messages().len(), 1);
    assert_eq!((measured.doubts.unmatched, measured.doubts.unknown), (1, 0));
}

/// Ranks that are missing, and one that was killed, do not hide the others.
#[test]
fn the_rest_of_an_incomplete_trace_is_shown() {
    let mut run = Run::new(3);
    run.send(0, 100, 10, 1);
    run.receive(1, 0, 120, 0);
    run.send(1, 0, 10, 2);
    let folder = run.write();
    std::fs::remove_file(folder.path().join("2.rank")).expect("it is there");
    let measured = crate::measured(folder);
    assert_eq!((measured.timeline.ranks(), measured.messages().len()), (3, 1));
    assert_eq!(measured.doubts.unmatched, 1);
}
