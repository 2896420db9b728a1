//! Timelines to export.

use std::path::Path;

use panto_timeline::{Cause, Message, State, StateKind, Timeline, TimelineInfo, Writer};
use panto_units::Time;

use crate::halo::{Event, Halo};

fn nanos(nanos: u64) -> Time {
    Time::from_picos(nanos * 1000)
}

/// Writes a timeline through `fill` and opens it.
pub fn made(path: &Path, about: &TimelineInfo, fill: impl FnOnce(&mut Writer)) -> Timeline {
    let mut writer = Writer::create(path, about).expect("a timeline");
    fill(&mut writer);
    writer.finish().expect("it can be written");
    Timeline::open(path).expect("a valid timeline")
}

/// Two ranks and a helper of the second. Rank 0 computes and sends, then both are in a broadcast
/// that the helper takes part in. Names contain every character that a format may mishandle.
pub fn small(folder: &Path) -> Timeline {
    let about = TimelineInfo {
        ranks: 2,
        helper_ranks: vec![1],
        facts: vec![("program".into(), "a \"quoted\"\nprogram, é".into()), ("machine".into(), "m".into())],
        calls: ["MPI_Send", "MPI_Recv", "MPI_Bcast", "\"x\",\n% é"].map(String::from).to_vec(),
        message_kinds: ["message", "broadcast", "aside, \"q\""].map(String::from).to_vec(),
    };
    let cause = |rank, at| StateKind::Wait(Some(Cause { rank, at: nanos(at) }));
    let states = [
        (0, StateKind::Compute, None, 0, 4000),
        (0, StateKind::Message, Some(0), 4000, 5000),
        (0, StateKind::Compute, None, 5000, 7500),
        (0, StateKind::Message, Some(2), 7500, 8000),
        (0, StateKind::Wait(None), Some(2), 8000, 9000),
        (1, StateKind::Compute, None, 0, 1000),
        (1, cause(0, 5000), Some(1), 1000, 7000),
        (1, StateKind::Message, Some(1), 7000, 7500),
        (1, StateKind::Access, Some(3), 7500, 8000),
        (1, cause(0, 8000), Some(2), 8000, 9500),
        (1, StateKind::Message, Some(2), 9500, 10_000),
        (2, StateKind::Combine, None, 8000, 8600),
        (2, StateKind::Message, Some(2), 8600, 8600),
    ];
    let message = |ends: (u32, u32), bytes, kind, [sent, arrived, received]: [u64; 3]| Message {
        from: ends.0,
        to: ends.1,
        bytes,
        class: 7,
        kind,
        sent: nanos(sent),
        arrived: nanos(arrived),
        received: nanos(received),
    };
    made(&folder.join("small.ptl"), &about, |writer| {
        for (line, what, call, from, to) in states {
            writer.state(line, State { kind: what, call, from: nanos(from), to: nanos(to) });
        }
        writer.message(message((0, 1), 1000, 0, [5000, 7000, 7500]));
        // Two identical messages.
        writer.message(message((0, 1), 64, 1, [8000, 9500, 10_000]));
        writer.message(message((0, 1), 64, 1, [8000, 9500, 10_000]));
        writer.message(message((1, 2), 0, 2, [8000, 8000, 8000]));
    })
}

/// A regular program of `side` x `side` ranks.
pub fn halo(folder: &Path, side: u32, rounds: u32) -> Timeline {
    let mut halo = Halo::new(side, 20_000);
    made(&folder.join("halo.ptl"), &halo.about(), |writer| {
        for _ in 0..rounds {
            halo.step(|event| match event {
                Event::State(rank, state) => writer.state(rank, state),
                Event::Message(message) => writer.message(message),
            });
        }
    })
}

/// An empty timeline; one rank; many ranks of which two are active, a month apart.
pub fn extremes(folder: &Path) -> Vec<Timeline> {
    let about = |ranks| TimelineInfo {
        ranks,
        calls: vec!["MPI_Barrier".into()],
        message_kinds: vec!["message".into()],
        ..TimelineInfo::default()
    };
    let month = Time::from_picos(30 * 86_400 * 1_000_000_000_000);
    let state = |from, to| State { kind: StateKind::Message, call: Some(0), from, to };
    let far = |writer: &mut Writer| {
        writer.state(0, state(Time::ZERO, Time::from_picos(1)));
        writer.state(99_999, state(month, month + nanos(5)));
        writer.message(Message {
            from: 0,
            to: 99_999,
            bytes: u64::MAX,
            class: u32::MAX,
            kind: 0,
            sent: Time::from_picos(1),
            arrived: month,
            received: month + nanos(5),
        });
    };
    vec![
        made(&folder.join("none.ptl"), &about(0), |_| {}),
        made(&folder.join("one.ptl"), &about(1), |writer| writer.state(0, state(Time::ZERO, nanos(1)))),
        made(&folder.join("many.ptl"), &about(100_000), far),
    ]
}
