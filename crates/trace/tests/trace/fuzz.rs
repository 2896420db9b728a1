//! Changed traces, with right checksums, are read or refused: without a panic, in time and memory
//! that follow their length.

use std::path::Path;

use panto_container::checksum;
use panto_testkit::fuzz::Target;
use panto_trace::{Summary, Trace, World};

/// The header of a block: its mark, its own checksum, that of the block, and the lengths.
const MARK: &[u8] = b"PANb";
const HEADER: usize = 72;

/// Repairs the checksums of the head and of all blocks.
fn repair(bytes: &mut [u8]) {
    if bytes.len() >= 32 {
        let check = checksum(&[&bytes[..24]]);
        bytes[24..28].copy_from_slice(&check.to_le_bytes());
    }
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(4).position(|part| part == MARK)) {
        at += found;
        let Some(header) = bytes.get_mut(at..at + HEADER) else { return };
        header[6..8].fill(0);
        header[12..16].fill(0);
        let check = checksum(&[header]) as u16;
        let lengths = (28..HEADER).step_by(8).map(|place| u32_at(header, place) as usize);
        let length = HEADER + lengths.sum::<usize>();
        header[6..8].copy_from_slice(&check.to_le_bytes());
        if let Some(block) = bytes.get_mut(at..at + length) {
            let check = checksum(&[block]);
            block[12..16].copy_from_slice(&check.to_le_bytes());
        }
        at += 4;
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|place| bytes[at + place]))
}

/// Stores all sections as they are: a change of packed bytes can hardly be unpacked.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let Some(start) = bytes.windows(4).position(|part| part == MARK) else { return bytes.to_vec() };
    let (mut out, mut at) = (bytes[..start].to_vec(), start);
    while bytes.get(at..at + 4) == Some(MARK) {
        let (mut header, mut stored) = (bytes[at..at + HEADER].to_vec(), at + HEADER);
        let (mut sections, mut section) = (Vec::new(), Vec::new());
        for place in (24..HEADER).step_by(8) {
            let (full, length) = (u32_at(&header, place), u32_at(&header, place + 4) as usize);
            let packed = &bytes[stored..stored + length];
            panto_container::section::unpack(packed, full as usize, &mut section).expect("sound");
            header.copy_within(place..place + 4, place + 4);
            sections.extend_from_slice(&section);
            stored += length;
        }
        out.extend(header);
        out.extend(sections);
        at = stored;
    }
    out.extend_from_slice(&bytes[at..]);
    repair(&mut out);
    out
}

/// Reads all of a trace.
fn read(path: &Path) {
    let Ok(trace) = Trace::open(path) else { return };
    let _ = trace.damage().count();
    let _ = Summary::of(&trace);
    let _ = World::new(&trace);
    for rank in trace.ranks() {
        let _ = rank.tables();
        let mut events = rank.events();
        while let Ok(Some(event)) = events.next() {
            let _ = event.action();
        }
    }
}

#[test]
fn fuzz_traces() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/version1.panto");
    let whole = std::fs::read(golden).expect("a golden trace");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed.panto");
    let (rank, rank_path) = (crate::golden::stream(1), folder.path().join("1.rank"));
    let target = Target { name: "trace", valid: vec![whole], repair: &repair };
    target.fuzz(|bytes| {
        std::fs::write(&path, bytes).expect("a file");
        read(&path);
    });
    let target = Target { name: "rank", valid: vec![unpacked(&rank)], repair: &repair };
    target.fuzz(|bytes| {
        std::fs::write(&rank_path, bytes).expect("a file");
        read(&rank_path);
    });
}
