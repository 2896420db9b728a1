//! PICL exports, read by a strict parser: each line by its grammar, and consistency across lines.

use std::collections::BTreeMap;

use panto_convert::picl;
use panto_timeline::Timeline;

use crate::support::folder;
use crate::timelines::{extremes, halo};

/// One line: `kind event seconds node task count [2 fields...]`.
struct Record {
    kind: i64,
    event: i64,
    /// Time in units of the last decimal.
    time: u64,
    node_task: (u32, u32),
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
        node_task: (number(words[3]) as u32, number(words[4]) as u32),
        fields: fields.into_iter().skip(1).collect(),
    }
}

/// Totals over all records.
#[derive(Default)]
struct Totals {
    idle: BTreeMap<(u32, u32), u64>,
    busy: BTreeMap<(u32, u32), u64>,
    /// Number of sends minus receives of each message: from, to, bytes, tag.
    balance: BTreeMap<[i64; 4], i64>,
    sends: u64,
}

/// Checks a file: records are in time order, every entry has its exit, each node is opened and
/// closed.
fn check(text: &str, digits: usize) -> Totals {
    let (mut totals, mut last) = (Totals::default(), 0);
    let mut open: BTreeMap<(u32, u32), Vec<Record>> = BTreeMap::new();
    for line in text.lines() {
        let record = record(line, digits);
        assert!(record.time >= last, "{line} after {last}");
        last = record.time;
        let stack = open.entry(record.node_task).or_default();
        assert!(!stack.is_empty() || (record.kind, record.event) == (-3, -901), "{line} outside of its node");
        match record.kind {
            -2 => assert!([-904, -12].contains(&record.event), "{line}"),
            -3 => stack.push(record),
            -4 => {
                let entry = stack.pop().unwrap_or_else(|| panic!("{line} without its entry"));
                assert_eq!(entry.event, record.event, "{line}");
                totals.pair(&entry, &record);
            }
            _ => panic!("{line}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "what begins must end");
    totals
}

impl Totals {
    fn pair(&mut self, entry: &Record, exit: &Record) {
        let (time, node) = (exit.time - entry.time, i64::from(entry.node_task.0));
        match (entry.event, &entry.fields[..], &exit.fields[..]) {
            (-601, [], []) => *self.idle.entry(entry.node_task).or_default() += time,
            (-21, [bytes, tag, to], []) => {
                *self.balance.entry([node, *to, *bytes, *tag]).or_default() += 1;
                *self.busy.entry(entry.node_task).or_default() += time;
                self.sends += 1;
            }
            (-51, [asked, source], [bytes, tag, from]) => {
                assert_eq!((asked, source), (tag, from));
                *self.balance.entry([*from, node, *bytes, *tag]).or_default() -= 1;
                *self.busy.entry(entry.node_task).or_default() += time;
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
fn picl_matches_the_timeline() {
    let folder = folder();
    let timeline = halo(folder.path(), 4, 20);
    let (text, notes) = written(&timeline, 12);
    let totals = check(&text, 12);
    assert_eq!(totals.sends, timeline.counts().1);
    assert!(
        totals.balance.values().all(|left| *left == 0),
        "each message is received once: {:?}",
        totals.balance
    );
    for (rank, sum) in timeline.summary().expect("a valid timeline").ranks().enumerate() {
        let node_task = (rank as u32, 0);
        assert_eq!(
            totals.idle.get(&node_task).copied().unwrap_or(0),
            sum.wait.as_picos(),
            "rank {rank} waits"
        );
        // Communication time, except the posting of receives.
        let posting = 20 * 4 * 100_000;
        assert_eq!(totals.busy[&node_task] + posting, sum.message.as_picos(), "rank {rank} works");
    }
    assert_eq!(notes, ["user events: 1 MPI_Irecv, 2 MPI_Isend, 3 MPI_Waitall"]);
}

#[test]
fn picl_decimals_are_those_of_paragraph() {
    let folder = folder();
    let (text, notes) = written(&halo(folder.path(), 2, 3), picl::DECIMALS);
    check(&text, 6);
    assert!(notes.iter().any(|note| note.contains("shorter than the resolution of 6 decimals")), "{notes:?}");
    for timeline in extremes(folder.path()) {
        check(&written(&timeline, 6).0, 6);
    }
    let none = picl::write(&halo(folder.path(), 2, 1), 13, &folder.path().join("x")).expect_err("too many");
    assert_eq!(none.to_string(), "invalid number of decimals 13; expected 1 to 12");
}
