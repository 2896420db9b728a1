//! Malformed blocks: random bytes with the right checksum. They are refused or have a meaning, and
//! nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::block::{Kind, MOST_RECORDS, Outline, seal};
use crate::codec::Columns;
use crate::head::{FORMAT, Head};
use crate::info::TimelineInfo;
use crate::{ALL_TIME, Timeline};
use panto_container::varint;

const HEAD: Head = Head { ranks: 6, helpers: 1, width: 2 };

/// A valid head and valid names.
fn start(head: Head) -> Vec<u8> {
    let names = || vec!["one".into(), "two".into()];
    let about = TimelineInfo {
        ranks: 6,
        helper_ranks: vec![3],
        facts: Vec::new(),
        calls: names(),
        message_kinds: names(),
    };
    let mut out = head.to_bytes().to_vec();
    let mut payload = Vec::new();
    about.put(&mut payload);
    seal(&Outline::of(Kind::Info, 0), &payload, &mut out).expect("it is short");
    out
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![6 => 0..6_u8, 2 => 0..64_u8, 1 => any::<u8>()];
    prop_oneof![4 => vec(byte, 0..40), 1 => vec(Just(0_u8), 0..5000)]
}

/// Columns, or just bytes.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    let columns = vec(bytes(), 8).prop_map(|parts| {
        let (mut columns, mut payload) = (Columns::default(), Vec::new());
        for (column, part) in columns.iter_mut().zip(parts) {
            *column = part;
        }
        columns.join(&mut payload);
        payload
    });
    prop_oneof![8 => columns, 1 => bytes()]
}

fn outline() -> impl Strategy<Value = Outline> {
    let kind =
        prop::sample::select(vec![Kind::States, Kind::Messages, Kind::States, Kind::Index, Kind::Info]);
    let count = prop_oneof![8 => 0..10_u32, 1 => any::<u32>()];
    (kind, 0..5_u32, count, 0..10_u64, 0..1000_u64).prop_map(|(kind, band, count, first, last)| Outline {
        kind,
        band,
        count,
        first,
        last,
    })
}

/// Reads all of it, by every function there is.
fn read(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("a file");
    let Ok(timeline) = Timeline::open(file.path()) else { return };
    let _ = (timeline.counts(), timeline.span());
    for rank in 0..8 {
        let mut end = panto_units::Time::ZERO;
        for state in timeline.states(rank, &ALL_TIME).filter_map(Result::ok) {
            assert!(end <= state.from && state.from <= state.to, "states that overlap");
            end = state.to;
        }
    }
    let _ = timeline.messages(&ALL_TIME).filter_map(Result::ok).count();
    let _ = timeline.summary();
}

proptest! {
    #[test]
    fn blocks_of_records(blocks in vec((outline(), payload()), 1..4)) {
        let mut file = start(HEAD);
        for (outline, payload) in &blocks {
            seal(outline, payload, &mut file).expect("it is short");
        }
        read(&file);
    }

    #[test]
    fn indexes(count in 0..6_u32, parts in vec(0..80_u64, 0..30), index in 0..200_u64) {
        let mut file = start(HEAD);
        let place = file.len() as u64;
        let mut payload = Vec::new();
        for part in parts {
            varint::put(&mut payload, part);
        }
        seal(&Outline::of(Kind::Index, count), &payload, &mut file).expect("it is short");
        file.extend(FORMAT.tail(if index < 50 { index } else { place }));
        read(&file);
    }

    #[test]
    fn heads(ranks: u32, helpers in 0..4_u32, width in prop_oneof![0..9_u32, any::<u32>()], names in bytes(), payload in payload(), outline in outline()) {
        let mut file = Head { ranks, helpers, width }.to_bytes().to_vec();
        seal(&Outline::of(Kind::Info, 0), &names, &mut file).expect("it is short");
        seal(&outline, &payload, &mut file).expect("it is short");
        read(&file);
    }
}

/// States of the first rank that begin and end with the block: the smallest block there is.
fn states(count: u32) -> Vec<u8> {
    let (mut columns, mut payload) = (Columns::default(), Vec::new());
    varint::put(&mut columns[0], 0);
    varint::put(&mut columns[0], u64::from(count));
    for column in [1, 2, 3] {
        columns[column] = vec![0; count as usize];
    }
    columns.join(&mut payload);
    payload
}

fn states_in(outline: &Outline, payload: &[u8]) -> (u64, usize) {
    let mut bytes = start(HEAD);
    seal(outline, payload, &mut bytes).expect("it is short");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &bytes).expect("a file");
    let timeline = Timeline::open(file.path()).expect("a sound beginning");
    (timeline.counts().0, timeline.states(0, &ALL_TIME).filter_map(Result::ok).count())
}

/// The columns that the others are made from are valid, so it is their content that is refused.
#[test]
fn a_block_has_as_many_records_as_are_allowed() {
    let outline = Outline { kind: Kind::States, band: 0, count: MOST_RECORDS, first: 5, last: 5 };
    assert_eq!(states_in(&outline, &states(MOST_RECORDS)), (u64::from(MOST_RECORDS), MOST_RECORDS as usize));
    let more = Outline { count: MOST_RECORDS + 1, ..outline };
    assert_eq!(states_in(&more, &states(MOST_RECORDS + 1)), (0, 0));
    let later = Outline { last: 6, ..outline };
    assert_eq!(states_in(&later, &states(MOST_RECORDS)), (u64::from(MOST_RECORDS), 0));
}

/// Each block is sound, but the second cannot follow the first.
#[test]
fn blocks_in_which_time_goes_backwards() {
    let mut bytes = start(HEAD);
    for moment in [5, 5, 4] {
        let outline = Outline { kind: Kind::States, band: 0, count: 1, first: moment, last: moment };
        seal(&outline, &states(1), &mut bytes).expect("it is short");
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &bytes).expect("a file");
    let timeline = Timeline::open(file.path()).expect("a sound beginning");
    let found: Vec<_> = timeline.states(0, &ALL_TIME).collect();
    assert_eq!((found.len(), found.iter().filter(|found| found.is_ok()).count()), (3, 2));
    let error = found[2].as_ref().expect_err("time goes backwards").to_string();
    assert!(error.contains("overlap"), "{error}");
}

/// An index of a few bytes cannot list more blocks than the file has room for.
#[test]
fn an_index_of_zeros_does_not_fill_the_memory() {
    let mut file = start(HEAD);
    let place = file.len() as u64;
    let mut payload = Vec::new();
    varint::put(&mut payload, 0);
    varint::put(&mut payload, place);
    payload.extend(vec![1; 1 << 24]);
    seal(&Outline::of(Kind::Index, u32::MAX), &payload, &mut file).expect("it is short");
    assert!(file.len() < 1 << 18);
    file.extend(FORMAT.tail(place));
    let path = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(path.path(), &file).expect("a file");
    let timeline = Timeline::open(path.path()).expect("a sound beginning");
    let damage = timeline.damage().expect("an index that makes no sense").to_string();
    assert!(damage.contains("the index makes no sense"), "{damage}");
}
