//! Events that a timeline cannot hold are rejected and reported when it is finished; the events
//! before them are readable.

use std::io::Read;
use std::path::Path;
use std::process::Command;

use panto_timeline::{Error, MOST_RANKS, Message, StateKind, Timeline, TimelineInfo, Writer};

use crate::halo::{Event, Halo};
use crate::support::{about, few, picos, read, state, tell, wait};

fn message(from: u32, to: u32, kind: u16) -> Event {
    let time = picos(5);
    Event::Message(Message { from, to, bytes: 1, class: 0, kind, sent: time, arrived: time, received: time })
}

fn refusal(event: &Event) -> String {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut writer = Writer::create(file.path(), &about(2)).expect("a timeline can be written");
    writer.state(0, state(StateKind::Compute, None, 0, 100));
    tell(&mut writer, event);
    writer.state(0, state(StateKind::Compute, None, 200, 300));
    let error = writer.finish().expect_err("it does not fit");
    assert!(matches!(error, Error::Unfit { .. }), "{error:?}");
    let timeline = Timeline::open(file.path()).expect("its beginning is sound");
    assert!(matches!(timeline.damage(), Some(Error::Incomplete { .. })));
    error.to_string()
}

#[test]
fn what_does_not_fit_is_named() {
    let compute = |rank, call, from, to| Event::State(rank, state(StateKind::Compute, call, from, to));
    for (event, part) in [
        (compute(0, None, 99, 100), "rank 0"),
        (compute(0, None, 99, 100), "before the state before it ends"),
        (compute(2, None, 100, 101), "rank 2"),
        (compute(u32::MAX, None, 100, 101), "2 ranks"),
        (compute(1, Some(3), 100, 101), "3 calls"),
        (compute(1, Some(u32::MAX), 100, 101), "3 calls"),
        (compute(1, None, 100, 99), "ends before it begins"),
        (Event::State(1, state(wait(2, 0), None, 100, 101)), "2 ranks"),
        (message(2, 0, 0), "2 ranks"),
        (message(0, 2, 0), "2 ranks"),
        (message(0, 1, 2), "2 message kinds"),
    ] {
        let told = refusal(&event);
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn what_a_timeline_is_of_must_fit_too() {
    let path = Path::new("/nonexistent/timeline.ptl");
    let small = about(2);
    for (about, part) in [
        (TimelineInfo { ranks: MOST_RANKS + 1, ..small.clone() }, "ranks"),
        (TimelineInfo { helper_ranks: vec![0, 2], ..small.clone() }, "helper of rank 2"),
        (
            TimelineInfo { message_kinds: vec![String::new(); (1 << 16) + 1], ..small.clone() },
            "65537 message kinds",
        ),
        (TimelineInfo { calls: vec![" ".repeat(1 << 26)], ..small.clone() }, "64 MiB"),
    ] {
        let error = Writer::create(path, &about).expect_err("it does not fit").to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(matches!(Writer::create(path, &small), Err(Error::Write { .. })));
}

#[test]
fn a_writer_that_is_dropped_leaves_what_it_had() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let (about, events) = few();
    let mut writer = Writer::create(file.path(), &about).expect("a timeline can be written");
    for event in &events {
        tell(&mut writer, event);
    }
    drop(writer);
    let timeline = Timeline::open(file.path()).expect("its blocks are whole");
    assert!(matches!(timeline.damage(), Some(Error::Incomplete { .. })));
    let (seen, errors) = read(&timeline);
    assert!(errors.is_empty());
    assert_eq!(seen.states.iter().map(Vec::len).sum::<usize>(), 3 * 48);
    assert_eq!(seen.messages.iter().map(Vec::len).sum::<usize>(), 3 * 12);
}

/// A pipe whose reader closes it behaves like a full disk: the first bytes are written, later ones
/// are not.
#[test]
fn an_error_of_writing_is_returned_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&path).status().expect("coreutils are there");
    assert!(made.success());
    let reader = std::thread::spawn({
        let path = path.clone();
        move || std::fs::File::open(path).and_then(|mut pipe| pipe.read_exact(&mut [0; 32]))
    });
    let mut halo = Halo::new(4, 100);
    let mut writer = Writer::with_memory(&path, &halo.about(), 1 << 16).expect("the reader is there");
    reader.join().expect("it does not panic").expect("a head was written");
    for _ in 0..100 {
        halo.step(|event| tell(&mut writer, &event));
    }
    let error = writer.finish().expect_err("the pipe has no reader");
    assert!(matches!(&error, Error::Write { .. }), "{error:?}");
    assert!(error.to_string().contains("cannot write") && error.to_string().contains("pipe"), "{error}");
}

/// Readers have memory for each rank, so the file of many ranks that did nothing is filled up, and
/// one that is shorter is refused.
#[test]
fn a_file_is_long_enough_for_its_ranks() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let ranks = 1 << 20;
    let mut writer = Writer::create(file.path(), &about(ranks)).expect("a timeline can be written");
    writer.state(ranks - 1, state(StateKind::Compute, None, 0, 100));
    let written = writer.finish().expect("nothing went wrong");
    assert_eq!(written.bytes, file.as_file().metadata().expect("it was written").len());
    assert!((983_040..983_150).contains(&written.bytes), "{} bytes", written.bytes);
    let timeline = Timeline::open(file.path()).expect("it is sound");
    assert!(timeline.damage().is_none());
    assert_eq!((timeline.ranks(), timeline.counts()), (ranks, (1, 0)));
    let summary = timeline.summary().expect("it is sound");
    assert_eq!(summary.rank(ranks - 1).map(|rank| rank.compute), Some(picos(100)));

    file.as_file().set_len(501).expect("it is ours");
    let error = Timeline::open(file.path()).expect_err("most of it is missing");
    assert!(matches!(error, Error::TooShort { .. }), "{error:?}");
    let told = error.to_string();
    assert!(told.contains("501 bytes are too few for 1048576 ranks") && told.contains("again"), "{told}");
}
