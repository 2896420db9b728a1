//! Bytes per state and per message stay below what the format promises for regular programs.

use panto_timeline::Writer;

use crate::halo::Halo;
use crate::support::tell;

/// Returns the bytes and the number of entries in blocks of each kind; `docs/timelines.md`
/// describes the headers.
fn sizes(bytes: &[u8]) -> [(usize, usize); 4] {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let (mut at, mut sizes) = (32, [(0, 0); 4]);
    while at + 48 <= bytes.len() {
        let length = 48 + number(at + 36);
        let (all, count) = &mut sizes[bytes[at + 4] as usize];
        *all += length;
        *count += number(at + 12);
        at += length;
    }
    sizes
}

fn halo(side: u32, rounds: u32, jitter: u64) -> [f64; 2] {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut halo = Halo::new(side, jitter);
    let mut writer = Writer::create(file.path(), &halo.about()).expect("a timeline can be written");
    for _ in 0..rounds {
        halo.step(|event| tell(&mut writer, &event));
    }
    let written = writer.finish().expect("nothing went wrong");
    let bytes = std::fs::read(file.path()).expect("it was written");
    let [_, states, messages, index] = sizes(&bytes);
    assert_eq!((states.1 as u64, messages.1 as u64), (written.states, written.messages));
    assert!(index.0 * 10 < states.0 + messages.0, "an index of {} bytes", index.0);
    [states, messages].map(|(bytes, count)| bytes as f64 / count as f64)
}

#[test]
fn a_regular_program_takes_few_bytes() {
    for (side, rounds) in [(4, 2000), (128, 6)] {
        let [state, message] = halo(side, rounds, 20_000);
        assert!(state <= 4.0 && message <= 8.0, "{side}: {state} bytes a state, {message} a message");
    }
}

#[test]
fn what_repeats_itself_takes_next_to_nothing() {
    let [state, message] = halo(4, 2000, 0);
    assert!(state < 0.1 && message < 0.2, "{state} bytes a state, {message} a message");
}
