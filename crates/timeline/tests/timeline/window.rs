//! A window returns exactly the states and messages that overlap it, and reads few other blocks.

use panto_timeline::{ALL_TIME, MEMORY, Timeline, Window};
use proptest::prelude::*;

use crate::halo::Halo;
use crate::support::{picos, write};

fn timeline(side: u32, rounds: u32, memory: usize) -> (tempfile::NamedTempFile, Timeline) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut halo = Halo::new(side, 50_000);
    let mut events = Vec::new();
    for _ in 0..rounds {
        halo.step(|event| events.push(event));
    }
    write(file.path(), &halo.about(), memory, &events);
    let timeline = Timeline::open(file.path()).expect("it was just written");
    (file, timeline)
}

/// Compares a window with the filtered content of the whole timeline.
fn compare(timeline: &Timeline, ranks: std::ops::Range<u32>, window: &Window) {
    let of_rank = |rank: u32| ranks.contains(&rank);
    let mut expected: Vec<_> = timeline
        .states_of(0..u32::MAX, &ALL_TIME)
        .map(|found| found.expect("it is sound"))
        .filter(|(rank, state)| of_rank(*rank) && state.from <= *window.end() && state.to >= *window.start())
        .collect();
    let mut seen: Vec<_> =
        timeline.states_of(ranks.clone(), window).map(|found| found.expect("it is sound")).collect();
    expected.sort_by_key(|(rank, state)| (*rank, state.from));
    seen.sort_by_key(|(rank, state)| (*rank, state.from));
    assert!(seen == expected, "states of {ranks:?} in {window:?}");

    let all = timeline.messages(&ALL_TIME).map(|found| found.expect("it is sound"));
    let touches = |message: &panto_timeline::Message| {
        message.sent <= *window.end() && message.received >= *window.start()
    };
    let expected: Vec<_> = all.filter(|message| of_rank(message.to) && touches(message)).collect();
    let seen: Vec<_> =
        timeline.messages_to(ranks.clone(), window).map(|found| found.expect("it is sound")).collect();
    assert!(seen == expected, "messages to {ranks:?} in {window:?}");
}

#[test]
fn windows_of_ranks_that_have_blocks_of_their_own() {
    let (_file, timeline) = timeline(4, 20, 20_000);
    let end = timeline.span().expect("something happened").end().as_picos();
    proptest!(|(from in 0..end + 1000, length in prop_oneof![Just(0), 0..end / 10, 0..end], first in 0..16_u32, many in 0..16_u32)| {
        compare(&timeline, first..first + many, &(picos(from)..=picos(from.saturating_add(length))));
    });
}

#[test]
fn windows_of_ranks_that_share_blocks() {
    let (_file, timeline) = timeline(80, 4, 1 << 20);
    let end = timeline.span().expect("something happened").end().as_picos();
    for (ranks, part) in
        [(0..1, 0), (17..18, 50), (100..300, 90), (6399..7000, 99), (6400..6400, 3), (0..6400, 99)]
    {
        let from = end / 100 * part;
        compare(&timeline, ranks, &(picos(from)..=picos(from + end / 200)));
    }
}

/// A damaged block does not affect windows that do not need it.
#[test]
fn a_window_reads_its_own_blocks_only() {
    let (file, timeline) = timeline(2, 20, 20_000);
    let start = picos(0)..=picos(1000);
    let before: Vec<_> = timeline.states(0, &start).map(|found| found.expect("it is sound")).collect();
    let mut bytes = std::fs::read(file.path()).expect("it was written");
    let (middle, end) = (bytes.len() / 2, bytes.len() * 3 / 4);
    bytes[middle..end].fill(0);
    std::fs::write(file.path(), bytes).expect("it can be written again");
    let timeline = Timeline::open(file.path()).expect("its index is sound");
    assert!(timeline.damage().is_none());
    let after: Vec<_> =
        timeline.states(0, &start).map(|found| found.expect("it is before the damage")).collect();
    assert_eq!(before, after);
    assert!(!after.is_empty());
    assert!(timeline.states(0, &ALL_TIME).any(|found| found.is_err()));
    assert!(timeline.summary().is_err());
}

#[test]
fn after_the_end_there_is_nothing() {
    let (_file, timeline) = timeline(2, 20, MEMORY);
    let late = picos(u64::MAX - 1)..=picos(u64::MAX);
    assert_eq!((timeline.messages(&late).count(), timeline.states(0, &late).count()), (0, 0));
}
