//! Bytes per event stay below what the format promises for regular programs.

use panto_trace::{Action, CallForm, CompletionKind, Peer, Slot, Type};

use crate::support::{WORLD, Writer, send};

/// Bytes before a stream's first block; the layout of a block's header follows `docs/traces.md`.
const HEAD: usize = 32;
const HEADER: usize = 72;
const EVENTS: u8 = 1;

/// Returns the number of events, the bytes of their structure (definitions, signature numbers and
/// varying values), and the bytes of all blocks of events with their headers.
fn sizes(stream: &[u8]) -> (usize, usize, usize) {
    let number = |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().expect("four bytes")) as usize;
    let (mut at, mut structure, mut all, mut events) = (HEAD, 0, 0, 0);
    while at < stream.len() {
        let stored = |section: usize| number(at + 28 + 8 * section);
        let length: usize = HEADER + (0..6).map(stored).sum::<usize>();
        if stream[at + 4] == EVENTS {
            events += number(at + 8);
            structure += stored(0) + stored(1) + stored(2);
            all += length;
        }
        at += length;
    }
    (events, structure, all)
}

/// Records a halo exchange with four neighbours and realistic computation times: short ones between
/// calls, long ones that vary by a tenth.
fn stencil(rounds: u64) -> Vec<u8> {
    let mut writer = Writer::new(50, 100);
    let mut random = 1_u64;
    let mut vary = |least: u64, by: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (random >> 33) % by
    };
    let all = [0, 1, 2, 3, 4, 5, 6, 7];
    for round in 0..rounds {
        for (slot, far) in (0..).zip([-10, -1, 1, 10]) {
            let receive = Action::Receive {
                form: CallForm::Immediate,
                comm: WORLD,
                from: Peer::Relative(far),
                datatype: Type(0),
                bytes: 4096,
                tag: 7,
                request: Some(Slot(slot)),
                source: -1,
                got_tag: -1,
                got_bytes: -1,
            };
            writer.call("MPI_Irecv", &receive, vary(40, 100));
        }
        for (slot, far) in (4..).zip([-10, -1, 1, 10]) {
            writer.call("MPI_Isend", &send(CallForm::Immediate, far, 4096, Some(Slot(slot))), vary(200, 300));
        }
        let wait = Action::Complete {
            until: CompletionKind::WaitAll,
            requests: &all,
            completed: &all,
            outcomes: &[],
        };
        writer.call("MPI_Waitall", &wait, vary(1_000_000, 100_000));
        if round % 7000 == 6999 {
            writer.seal();
        }
    }
    writer.finish()
}

#[test]
fn a_regular_program_takes_few_bytes() {
    let (events, structure, all) = sizes(&stencil(14_000));
    assert_eq!(events, 14_000 * 9);
    let per_event = |bytes: usize| bytes as f64 / events as f64;
    assert!(per_event(structure) < 0.1, "{} bytes an event for the structure", per_event(structure));
    assert!(per_event(all) <= 3.0, "{} bytes an event", per_event(all));
}
