//! Every event that is written is read back unchanged.

use panto_timeline::{ALL_TIME, MEMORY, Message, State, StateKind, Timeline, TimelineInfo};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::halo::Event;
use crate::support::{Seen, about, few, picos, read, state, wait, write};

/// Returns random states of ranks, in turn or interleaved, with gaps and lengths of any size.
fn events(ranks: u32) -> impl Strategy<Value = Vec<Event>> {
    let number = || prop_oneof![Just(0_u64), 0..1000_u64, 0..1_u64 << 50];
    let rank = prop_oneof![0..ranks, Just(0)];
    let made = (rank.clone(), rank, 0..6_usize, 0..4_u32, number(), number(), number(), any::<u32>());
    vec((made, any::<bool>()), 0..200).prop_map(move |all| {
        let mut clocks = vec![0_u64; ranks as usize];
        let events =
            all.into_iter().map(|((rank, other, what, call, gap, length, third, class), is_message)| {
                if is_message {
                    let [sent, arrived, received] = [gap, length, third].map(picos);
                    let kind = (call % 2) as u16;
                    return Event::Message(Message {
                        from: other,
                        to: rank,
                        bytes: gap,
                        class,
                        kind,
                        sent,
                        arrived,
                        received,
                    });
                }
                let from = clocks[rank as usize] + gap;
                let to = from + length;
                clocks[rank as usize] = to;
                let kinds = [
                    StateKind::Compute,
                    StateKind::Message,
                    StateKind::Combine,
                    StateKind::Access,
                    StateKind::Wait(None),
                    wait(other, third),
                ];
                Event::State(rank, state(kinds[what], call.checked_sub(1), from, to))
            });
        events.collect()
    })
}

proptest! {
    #[test]
    fn everything_comes_back(
        (ranks, events) in prop::sample::select(vec![1_u32, 3, 5000, 20_000]).prop_flat_map(|ranks| (Just(ranks), events(ranks))),
        memory in prop::sample::select(vec![0, 10_000, MEMORY]),
    ) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let about = about(ranks);
        let (written, expected) = write(file.path(), &about, memory, &events);
        let timeline = Timeline::open(file.path()).expect("it was just written");
        prop_assert!(timeline.damage().is_none());
        prop_assert_eq!(timeline.about(), &about);
        prop_assert_eq!(timeline.counts(), (written.states, written.messages));
        prop_assert_eq!(written.bytes, file.path().metadata().expect("it is there").len());
        let mut seen = Seen::new(ranks as usize);
        for found in timeline.states_of(0..ranks, &ALL_TIME) {
            let (rank, state) = found.expect("it is sound");
            seen.add(&Event::State(rank, state));
        }
        for message in timeline.messages(&ALL_TIME) {
            seen.add(&Event::Message(message.expect("it is sound")));
        }
        prop_assert!(seen == expected);
    }
}

#[test]
fn ranks_one_by_one_are_as_all_together() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let (about, events) = few();
    let (_, expected) = write(file.path(), &about, 0, &events);
    let timeline = Timeline::open(file.path()).expect("it was just written");
    let (seen, errors) = read(&timeline);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(seen, expected);
    assert_eq!(
        (timeline.about().home(2), timeline.about().home(1), timeline.about().home(3)),
        (Some(1), Some(1), None)
    );
    assert_eq!(timeline.about().fact("program").map(str::len), Some(38));
    assert_eq!(timeline.states(17, &ALL_TIME).count(), 0);
    assert_eq!(timeline.messages_to(17..u32::MAX, &ALL_TIME).count(), 0);
}

#[test]
fn nothing_is_a_timeline_too() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    for about in [TimelineInfo::default(), about(3)] {
        write(file.path(), &about, MEMORY, &[]);
        let timeline = Timeline::open(file.path()).expect("it was just written");
        assert!(timeline.damage().is_none() && timeline.span().is_none());
        assert_eq!((timeline.counts(), timeline.ranks()), ((0, 0), about.ranks));
        assert_eq!(timeline.messages(&ALL_TIME).count(), 0);
        let summary = timeline.summary().expect("nothing to add up");
        assert_eq!(summary.ranks().count(), about.ranks as usize);
    }
}

#[test]
fn the_end_of_time_comes_back() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let last = u64::MAX;
    let events = [
        Event::State(0, state(StateKind::Compute, None, 0, last)),
        Event::State(0, state(wait(1, last), None, last, last)),
        Event::State(1, state(wait(0, 0), Some(2), last - 1, last)),
        Event::Message(Message {
            from: 1,
            to: 0,
            bytes: last,
            class: u32::MAX,
            kind: 1,
            sent: picos(last),
            arrived: picos(0),
            received: picos(last / 2),
        }),
    ];
    let (_, expected) = write(file.path(), &about(2), MEMORY, &events);
    let timeline = Timeline::open(file.path()).expect("it was just written");
    assert_eq!(read(&timeline).0, expected);
    assert_eq!(timeline.span(), Some(ALL_TIME));
}

#[test]
fn a_summary_adds_up() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let (about, events) = few();
    let (_, expected) = write(file.path(), &about, 0, &events);
    let summary = Timeline::open(file.path()).and_then(|timeline| timeline.summary()).expect("it is sound");
    let total = |rank: usize, is_it: fn(&StateKind) -> bool| {
        let states = expected.states[rank].iter().filter(|state| is_it(&state.kind)).map(State::length);
        states.fold(picos(0), |sum, length| sum + length)
    };
    for rank in 0..3 {
        let found = summary.rank(rank as u32).expect("a rank or helper");
        assert_eq!(found.compute, total(rank, |what| *what == StateKind::Compute));
        assert_eq!(found.message, total(rank, |what| *what == StateKind::Message));
        assert_eq!(found.combine, total(rank, |what| *what == StateKind::Combine));
        assert_eq!(found.access, total(rank, |what| *what == StateKind::Access));
        assert_eq!(found.wait, total(rank, |what| matches!(what, StateKind::Wait(_))));
        assert_eq!((found.states, found.received), (48, 12));
        assert_eq!(found.bytes_received, 66_000);
        assert_eq!(Some(found.end), expected.states[rank].last().map(|state| state.to));
    }
    let sent: Vec<(u64, u64)> = summary.ranks().map(|rank| (rank.sent, rank.bytes_sent)).collect();
    assert_eq!(sent, [(24, 132_000), (12, 66_000), (0, 0)]);
    assert_eq!(summary.rank(3), None);
}
