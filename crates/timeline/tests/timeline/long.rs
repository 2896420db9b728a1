//! Many blocks: the index has several parts, and finds the same states as a scan of all blocks.

use panto_timeline::{ALL_TIME, Error, StateKind, Timeline};

use crate::halo::Event;
use crate::support::{about, picos, state, write};

/// States for more blocks than one part of the index holds.
const STATES: u64 = 300_000;

fn check(timeline: &Timeline) {
    assert_eq!(timeline.counts(), (STATES, 0));
    assert_eq!(timeline.span(), Some(picos(0)..=picos(10 * STATES - 5)));
    let mut number = 0;
    for found in timeline.states(0, &ALL_TIME) {
        assert_eq!(found.expect("it is sound").from, picos(10 * number));
        number += 1;
    }
    assert_eq!(number, STATES);
    let late = picos(10 * STATES - 50)..=picos(u64::MAX);
    assert_eq!(timeline.states(0, &late).count(), 5);
}

#[test]
fn an_index_of_several_parts() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let events: Vec<Event> = (0..STATES)
        .map(|number| Event::State(0, state(StateKind::Compute, None, 10 * number, 10 * number + 5)))
        .collect();
    let (written, _) = write(file.path(), &about(1), 0, &events);
    let timeline = Timeline::open(file.path()).expect("it was just written");
    assert!(timeline.damage().is_none());
    check(&timeline);

    let disk = file.as_file();
    disk.set_len(written.bytes - 1).expect("it can be cut");
    let timeline = Timeline::open(file.path()).expect("its blocks are whole");
    assert!(matches!(timeline.damage(), Some(Error::Incomplete { .. })), "{:?}", timeline.damage());
    check(&timeline);
}
