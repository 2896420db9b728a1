//! Timelines written in format version 1 stay readable.
//! `PANTO_BLESS=1 cargo test -p panto-timeline` rewrites the golden files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panto_timeline::{Message, Timeline, TimelineInfo};

use crate::halo::Event;
use crate::support::{few, read, write};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Returns the content of a timeline as text.
fn dump(path: &Path) -> String {
    let timeline = Timeline::open(path).expect("version 1 is read");
    assert!(timeline.damage().is_none());
    let mut text = format!("{} ranks\n{:#?}\n", timeline.ranks(), timeline.about());
    let (seen, errors) = read(&timeline);
    assert!(errors.is_empty());
    for (rank, (states, messages)) in seen.states.iter().zip(&seen.messages).enumerate() {
        if states.is_empty() && messages.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\nrank {rank}");
        for state in states {
            let _ = writeln!(text, "{state:?}");
        }
        for message in messages {
            let _ = writeln!(text, "{message:?}");
        }
    }
    text
}

/// Returns the golden timelines: one with a rank per band, and one with two bands of many ranks.
fn cases() -> [(&'static str, TimelineInfo, Vec<Event>); 2] {
    let (small, events) = few();
    let far = |rank: u32| [0, 1, 1098][rank as usize];
    let wide = events.iter().map(|event| match event {
        Event::State(rank, state) => Event::State(far(*rank), *state),
        Event::Message(message) => {
            Event::Message(Message { from: far(message.from), to: far(message.to), ..*message })
        }
    });
    let wide = wide.collect();
    [
        ("version1", small.clone(), events),
        ("version1-bands", TimelineInfo { ranks: 1099, helper_ranks: Vec::new(), ..small }, wide),
    ]
}

#[test]
fn version_1_is_read() {
    for (name, about, events) in cases() {
        let (timeline, text) = (golden(&format!("{name}.ptl")), golden(&format!("{name}.txt")));
        if std::env::var_os("PANTO_BLESS").is_some() {
            write(&timeline, &about, 0, &events);
            std::fs::write(&text, dump(&timeline)).expect("what is in it");
        }
        let expected = std::fs::read_to_string(&text).expect("PANTO_BLESS=1 writes it");
        assert_eq!(dump(&timeline), expected);
    }
}

#[test]
fn version_1_is_still_written() {
    for (name, about, events) in cases() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        write(file.path(), &about, 0, &events);
        assert_eq!(dump(file.path()), dump(&golden(&format!("{name}.ptl"))));
    }
}
