//! A random timeline for tests, with everything that makes ordering hard: states of zero length,
//! adjacent calls, identical messages, many events at one instant, and clocks that disagree.

use std::path::Path;

use panto_random::SplitMix64;
use panto_timeline::{Cause, Message, State, StateKind, Timeline, TimelineInfo, Writer};
use panto_units::Time;

/// Number of lines: three ranks, and a helper of the second.
pub const LINES: usize = 4;

/// Writes the timeline into `folder` and opens it.
pub fn timeline(folder: &Path) -> Timeline {
    let about = TimelineInfo {
        ranks: 3,
        helper_ranks: vec![1],
        calls: ["MPI_Send", "MPI_Recv", "MPI_Bcast"].map(String::from).to_vec(),
        message_kinds: ["message", "broadcast"].map(String::from).to_vec(),
        ..TimelineInfo::default()
    };
    let path = folder.join("trial.ptl");
    // A small buffer produces many blocks.
    let mut writer = Writer::with_memory(&path, &about, 4096).expect("a timeline");
    let mut random = SplitMix64::new(7);
    let mut clocks = [0; LINES];
    for _ in 0..1500 {
        let line = random.below(LINES as u64) as usize;
        let from = clocks[line] + random.below(2) * random.below(40);
        let to = from + random.below(3) * random.below(60);
        clocks[line] = to;
        let call = (random.below(3) > 0).then(|| random.below(3) as u32);
        let cause = Cause { rank: random.below(LINES as u64) as u32, at: Time::from_picos(from) };
        let what = [
            StateKind::Compute,
            StateKind::Message,
            StateKind::Combine,
            StateKind::Wait(None),
            StateKind::Wait(Some(cause)),
        ];
        let what = what[random.below(5) as usize];
        let [from, to] = [from, to].map(Time::from_picos);
        writer.state(line as u32, State { kind: what, call, from, to });
        let other = random.below(LINES as u64) as u32;
        let received = clocks[line].saturating_sub(random.below(3) * 9);
        let message = Message {
            from: other,
            to: line as u32,
            bytes: random.below(3),
            class: 1,
            kind: random.below(2) as u16,
            sent: Time::from_picos(received.saturating_sub(random.below(50)) + random.below(5)),
            arrived: Time::from_picos(received),
            received: Time::from_picos(received),
        };
        for _ in 0..random.below(3) {
            writer.message(message);
        }
    }
    writer.finish().expect("it can be written");
    Timeline::open(&path).expect("a valid timeline")
}
