//! A trace written in format version 1 stays readable. `PANTO_BLESS=1 cargo test -p panto-trace`
//! rewrites the golden files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panto_trace::{Action, Kind, MOST_CONSTANTS, RankTrace, Tables, Times, Trace, WindowOrFile};

use crate::support::{SELF, WORLD, Writer, whole};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Returns a stream with each kind of call twice, the second time with one parameter changed.
pub fn stream(rank: u32) -> Vec<u8> {
    let mut writer = Writer::with_stamps(rank, 2, rank == 1);
    writer.comm("MPI_Comm_split", Some(WORLD), 0, 0, &[1, 0]);
    writer.intercomm("MPI_Intercomm_create", Some(SELF), 0, 12, &[rank], Some(&[1 - rank]));
    writer.recorder.window_or_file(&WindowOrFile { comm: WORLD, name: "out.dat".into() });
    for (number, kind) in (0_i64..).zip(Kind::ALL) {
        let mut constants = [0; MOST_CONSTANTS];
        for (place, part) in (0_i64..).zip(&mut constants[..kind.constants()]) {
            *part = (number + place) % 2;
        }
        for round in 0..2 {
            let mut values: Vec<i64> = (0..kind.varying() as i64).map(|place| (place + round) % 2).collect();
            for list in 0..kind.lists() as i64 {
                values.push(list + 2);
                values.extend((0..list + 2).map(|item| 10 * item + round));
            }
            let action = Action::join(*kind, &constants, &values).expect("parts that mean something");
            let times = Times { before: 1 << (2 * number), gap: 7, inside: number as u64 };
            writer.timed(&format!("MPI_{number}"), &action, times);
        }
        if number == 10 {
            writer.seal();
        }
    }
    writer.finish()
}

/// Returns the content of a trace as text.
fn dump(path: &Path) -> String {
    let trace = Trace::open(path).expect("version 1 is read");
    let mut text = format!("{} ranks\n", trace.size());
    for (name, value) in trace.metadata().iter() {
        let _ = writeln!(text, "{name} = {value}");
    }
    for rank in trace.ranks() {
        dump_rank(rank, &mut text);
    }
    text
}

fn dump_rank(rank: &RankTrace, text: &mut String) {
    let _ = writeln!(text, "\nrank {} of {}", rank.rank(), rank.ranks());
    for (name, value) in rank.metadata().iter() {
        let _ = writeln!(text, "{name} = {value}");
    }
    dump_tables(&rank.tables().expect("sound definitions"), text);
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound events") {
        let action = event.action().expect("a call that makes sense");
        let _ = write!(text, "{} {} after {}", event.position(), event.name(), event.before());
        if let Some(stamps) = event.stamps() {
            let _ = write!(text, ", {} + {}", stamps.gap, stamps.inside);
        }
        let _ = writeln!(text, ": {action:?}");
    }
}

fn dump_tables(tables: &Tables, text: &mut String) {
    for comm in tables.comms() {
        let made_by = tables.name(comm.made_by).unwrap_or_default();
        let others = comm.others.as_ref().map(|others| others.iter().collect::<Vec<_>>());
        let members: Vec<u32> = comm.members.iter().collect();
        let _ = writeln!(
            text,
            "communicator from {made_by} of {:?}, ordinal {}, tag {}: {} of {members:?} and {others:?}",
            comm.parent, comm.ordinal, comm.tag, comm.rank
        );
    }
    let _ = writeln!(
        text,
        "{:?}\n{:?}",
        tables.datatype(panto_trace::Type(0)),
        tables.window_or_file(panto_trace::WindowOrFileId(0))
    );
}

#[test]
fn version_1_is_read() {
    let (trace, text) = (golden("version1.panto"), golden("version1.txt"));
    if std::env::var_os("PANTO_BLESS").is_some() {
        let folder = tempfile::tempdir().expect("a folder");
        let written = whole(&folder.path().join("golden.panto"), &[(0, stream(0)), (1, stream(1))]);
        std::fs::copy(written, &trace).expect("a golden trace");
        std::fs::write(&text, dump(&trace)).expect("what is in it");
    }
    let expected = std::fs::read_to_string(&text).expect("PANTO_BLESS=1 writes it");
    assert_eq!(dump(&trace), expected);
}

#[test]
fn version_1_is_still_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = whole(&folder.path().join("golden.panto"), &[(0, stream(0)), (1, stream(1))]);
    assert_eq!(dump(&written), dump(&golden("version1.panto")));
}
