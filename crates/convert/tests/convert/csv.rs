//! CSV exports, parsed by the grammar of RFC 4180.

use panto_convert::csv;
use panto_timeline::Timeline;

use crate::support::folder;
use crate::timelines::{extremes, halo, small};

/// Parses rows of fields.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => {
                assert!(quoted || field.is_empty(), "a quote inside a field: {field}");
                quoted = !quoted;
            }
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.push(c),
        }
    }
    assert!(!quoted && row.is_empty() && field.is_empty(), "the last line ends");
    rows
}

/// Returns the two tables without their header rows, which must be as documented.
fn tables(timeline: &Timeline) -> [Vec<Vec<String>>; 2] {
    let folder = folder();
    let target = folder.path().join("out.csv");
    let exported = csv::write(timeline, &target).unwrap_or_else(|error| panic!("{error}"));
    let tables = csv::files(&target).map(|path| parse(&std::fs::read_to_string(path).expect("text")));
    assert_eq!(exported.operations as usize, tables[0].len() + tables[1].len() - 2);
    let headings = [csv::STATES, csv::MESSAGES];
    for (table, heading) in tables.iter().zip(headings) {
        assert_eq!(table[0].join(","), heading);
        assert!(table.iter().all(|row| row.len() == table[0].len()), "{heading}");
    }
    tables.map(|table| table[1..].to_vec())
}

/// Converts seconds to picoseconds.
fn picos(text: &str) -> u64 {
    let (whole, part) = text.split_once('.').expect("a point");
    assert_eq!(part.len(), 12, "{text}");
    format!("{whole}{part}").parse().expect("a number")
}

#[test]
fn csv_matches_the_timeline() {
    let folder = folder();
    let timeline = halo(folder.path(), 3, 5);
    let [states, messages] = tables(&timeline);
    assert_eq!((states.len() as u64, messages.len() as u64), timeline.counts());
    assert!(states.windows(2).all(|pair| picos(&pair[0][2]) <= picos(&pair[1][2])));
    assert!(messages.windows(2).all(|pair| picos(&pair[0][7]) <= picos(&pair[1][7])));
    for (rank, sum) in timeline.summary().expect("a valid timeline").ranks().enumerate() {
        let own = states.iter().filter(|row| row[0] == rank.to_string() && row[4] == "wait");
        let waits: u64 = own.map(|row| picos(&row[3]) - picos(&row[2])).sum();
        assert_eq!(waits, sum.wait.as_picos(), "rank {rank}");
    }
}

#[test]
fn csv_names_round_trip() {
    let folder = folder();
    let [states, messages] = tables(&small(folder.path()));
    assert!(states.iter().any(|row| row[5] == "\"x\",\n% é"));
    assert!(messages.iter().any(|row| row[6] == "aside, \"q\""));
    assert!(states.iter().any(|row| row[..2] == ["1", "1"] && row[4] == "combine"), "the helper");
    let waits = states.iter().find(|row| row[6] == "0").expect("a wait with a cause");
    assert_eq!(waits[6..], ["0", "0", "0.000005000000"]);
    for timeline in extremes(folder.path()) {
        let [states, messages] = tables(&timeline);
        assert_eq!((states.len() as u64, messages.len() as u64), timeline.counts());
    }
}
