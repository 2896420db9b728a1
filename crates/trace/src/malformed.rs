//! Malformed blocks: random bytes with the right checksum. They are refused or have a meaning, and
//! nothing panics.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::block::{BlockKind, Content};
use crate::stream::{Head, stream_end, stream_start};
use crate::{Kind, Metadata, Summary, Trace, World};

/// Valid definitions, so that events can be valid: a name, a datatype, the world, and a signature
/// of each kind.
fn definitions() -> Vec<u8> {
    let mut recorder = crate::Recorder::new(false);
    let name = recorder.name("MPI_Call");
    let mut out = Vec::new();
    crate::table::put_name(&mut out, "MPI_Call");
    crate::table::put_type(&mut out, &crate::Datatype { size: 8, extent: 8, is_derived: false });
    let world = crate::Communicator {
        made_by: name,
        parent: None,
        ordinal: 0,
        tag: 0,
        rank: 0,
        members: (0..4).collect(),
        others: None,
        sources: crate::Ranks::default(),
        destinations: crate::Ranks::default(),
    };
    crate::table::put_comm(&mut out, &world);
    for kind in Kind::ALL {
        crate::table::put_signature(
            &mut out,
            &crate::Signature { name, kind: *kind, constants: [0; crate::MOST_CONSTANTS], site: None },
        );
    }
    out
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => 0..4_u8, 3 => 0..64_u8, 1 => any::<u8>()];
    prop_oneof![4 => vec(byte, 0..200), 1 => vec(Just(0_u8), 0..5000)]
}

fn sections() -> impl Strategy<Value = [Vec<u8>; 6]> {
    let definitions = prop_oneof![3 => Just(definitions()), 1 => bytes()];
    (
        definitions,
        bytes(),
        bytes(),
        bytes(),
        prop_oneof![Just(Vec::new()), bytes()],
        prop_oneof![Just(Vec::new()), bytes()],
    )
        .prop_map(|(definitions, ids, values, before, gaps, inside)| {
            [definitions, ids, values, before, gaps, inside]
        })
}

/// Reads all of it, by every function there is.
fn read(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("a file");
    let Ok(trace) = Trace::open(file.path()) else { return };
    for rank in trace.ranks() {
        let mut events = rank.events();
        while let Ok(Some(event)) = events.next() {
            let _ = (event.action(), event.name(), event.stamps());
        }
    }
    let summary = Summary::of(&trace).expect("damage is reported, not an error");
    let _ = (summary.partners(), summary.grid(8), summary.other_threads_share());
    let _ = World::new(&trace);
}

proptest! {
    #[test]
    fn blocks_of_events(blocks in vec((sections(), 0..300_u32, any::<bool>()), 1..4)) {
        let mut stream = stream_start(Head { is_whole: false, rank: 0, ranks: 4, has_call_sites: true }, &Metadata::default());
        for (sections, events, drops) in &blocks {
            let sections = std::array::from_fn(|place| sections[place].as_slice());
            Content { kind: BlockKind::Events, drops: *drops, events: *events, wall: 0, sections }.seal(&mut stream);
        }
        stream.extend(stream_end(&Metadata::default()));
        read(&stream);
    }

    #[test]
    fn facts_and_indexes(kind in prop::sample::select(vec![BlockKind::Metadata, BlockKind::End, BlockKind::Index]), bytes in bytes(), ranks: u32) {
        let mut file = stream_start(Head { is_whole: true, rank: 0, ranks, has_call_sites: true }, &Metadata::default());
        let place = file.len() as u64;
        Content::single(kind, &bytes).seal(&mut file);
        file.extend(crate::stream::FORMAT.tail(place));
        read(&file);
    }
}

#[test]
fn a_section_of_zeros_does_not_fill_the_memory() {
    // Sixteen mebibytes of varying parts that never change, packed into a few kilobytes.
    let zeros = vec![0; 1 << 24];
    let mut values = Vec::new();
    panto_container::varint::put(&mut values, 7 << 23);
    values.extend(&zeros);
    let mut stream =
        stream_start(Head { is_whole: false, rank: 0, ranks: 4, has_call_sites: true }, &Metadata::default());
    let complete = 2 * Kind::Complete as u8 + 1;
    let sections = [definitions(), vec![complete], values, vec![0], Vec::new(), Vec::new()];
    let sections = std::array::from_fn(|place| sections[place].as_slice());
    Content { kind: BlockKind::Events, drops: false, events: 1, wall: 0, sections }.seal(&mut stream);
    assert!(stream.len() < 1 << 18);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &stream).expect("a file");
    let trace = Trace::open(file.path()).expect("an outline");
    let error = trace.ranks()[0].events().next().err().expect("too many parts").to_string();
    assert!(error.contains("call 0 makes no sense"), "{error}");
}
