//! PICL, read strictly: each line by its grammar, and what the lines say together.

use std::collections::BTreeMap;

use panto_convert::picl;
use panto_timeline::Timeline;

use crate::support::folder;
use crate::timelines::{extremes, halo};

/// One line: `kind event seconds node task count [2 fields...]`.
struct Record {
    kind: i64,
    event: i64,
    /// In the last digit.
    time: u64,
    place: (u32, u32),
    fields: Vec<i64>,
}

fn record(line: &str, digits: usize) -> Record {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |word: &str| word.parse::<i64>().unwrap_or_else(|_| panic!("{word} in {line}"));
    let (whole, part) = words[2].split_once('.').unwrap_or_else(|| panic!("no point in {line}"));
    assert_eq!(part.len(), digits, "{line}");
    let count = number(words[5]) as usize;
    let fields: Vec<i64> = words[6..].iter().map(|word| number(word)).collect();
    match fields.split_first() {
        None => assert_eq!(count, 0, "{line}"),
        Some((descriptor, rest)) => assert_eq!((*descriptor, rest.len()), (2, count), "{line}"),
    }
    Record {
        kind: number(words[0]),
        event: number(words[1]),
        time: number(&format!("{whole}{part}")) as u64,
        place: (number(words[3]) as u32, number(words[4]) as u32),
        fields: fields.into_iter().skip(1).collect(),
    }
}

/// What the records say together.
#[derive(Default)]
struct Seen {
    idle: BTreeMap<(u32, u32), u64>,
    busy: BTreeMap<(u32, u32), u64>,
    /// How often each message was sent less how often it was received: from, to, bytes, tag.
    mail: BTreeMap<[i64; 4], i64>,
    sends: u64,
}

/// Reads a file: in the order of time, every entry with its exit, each node from its beginning to its end.
fn check(text: &str, digits: usize) -> Seen {
    let (mut seen, mut last) = (Seen::default(), 0);
    let mut open: BTreeMap<(u32, u32), Vec<Record>> = BTreeMap::new();
    for line in text.lines() {
        let record = record(line, digits);
        assert!(record.time >= last, "{line} after {last}");
        last = record.time;
        let stack = open.entry(record.place).or_default();
        assert!(!stack.is_empty() || (record.kind, record.event) == (-3, -901), "{line} outside of its node");
        match record.kind {
            -2 => assert!([-904, -12].contains(&record.event), "{line}"),
            -3 => stack.push(record),
            -4 => {
                let entry = stack.pop().unwrap_or_else(|| panic!("{line} without its entry"));
                assert_eq!(entry.event, record.event, "{line}");
                seen.pair(&entry, &record);
            }
            _ => panic!("{line}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "what begins must end");
    seen
}

impl Seen {
    fn pair(&mut self, entry: &Record, exit: &Record) {
        let (time, node) = (exit.time - entry.time, i64::from(entry.place.0));
        match (entry.event, &entry.fields[..], &exit.fields[..]) {
            (-601, [], []) => *self.idle.entry(entry.place).or_default() += time,
            (-21, [bytes, tag, to], []) => {
                *self.mail.entry([node, *to, *bytes, *tag]).or_default() += 1;
                *self.busy.entry(entry.place).or_default() += time;
                self.sends += 1;
            }
            (-51, [asked, source], [bytes, tag, from]) => {
                assert_eq!((asked, source), (tag, from));
                *self.mail.entry([*from, node, *bytes, *tag]).or_default() -= 1;
                *self.busy.entry(entry.place).or_default() += time;
            }
            (-901 | -402 | -785 | 1.., [], []) => {}
            (event, entry, exit) => panic!("{event} with {entry:?} and {exit:?}"),
        }
    }
}

fn written(timeline: &Timeline, digits: usize) -> (String, Vec<String>) {
    let folder = folder();
    let target = folder.path().join("out.picl");
    let exported = picl::write(timeline, digits, &target).unwrap_or_else(|error| panic!("{error}"));
    let text = std::fs::read_to_string(&target).expect("text");
    assert_eq!(exported.operations as usize, text.lines().count());
    (text, exported.notes)
}

#[test]
fn picl_says_what_the_timeline_says() {
    let folder = folder();
    let timeline = halo(folder.path(), 4, 20);
    let (text, notes) = written(&timeline, 12);
    let seen = check(&text, 12);
    assert_eq!(seen.sends, timeline.counts().1);
    assert!(seen.mail.values().all(|left| *left == 0), "each message is received once: {:?}", seen.mail);
    for (rank, sum) in timeline.summary().expect("sound").ranks().enumerate() {
        let place = (rank as u32, 0);
        assert_eq!(seen.idle.get(&place).copied().unwrap_or(0), sum.wait.as_picos(), "rank {rank} waits");
        // What it does for messages, but for the posting of receives.
        let posting = 20 * 4 * 100_000;
        assert_eq!(seen.busy[&place] + posting, sum.message.as_picos(), "rank {rank} works");
    }
    assert_eq!(notes, ["user events: 1 MPI_Irecv, 2 MPI_Isend, 3 MPI_Waitall"]);
}

#[test]
fn picl_has_the_digits_that_paragraph_expects() {
    let folder = folder();
    let (text, notes) = written(&halo(folder.path(), 2, 3), picl::DIGITS);
    check(&text, 6);
    assert!(notes.iter().any(|note| note.contains("shorter than the last of 6 digits")), "{notes:?}");
    for timeline in extremes(folder.path()) {
        check(&written(&timeline, 6).0, 6);
    }
    let none = picl::write(&halo(folder.path(), 2, 1), 13, &folder.path().join("x")).expect_err("too many");
    assert_eq!(none.to_string(), "13 digits of seconds: 1 to 12 are possible");
}
