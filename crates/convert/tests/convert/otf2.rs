//! OTF2 archives, as Debian's `otf2-print` and its Python bindings read and write them.
//!
//! Where these are not installed tests are skipped, unless `PANTO_TEST_OTF2` is set.

use std::path::{Path, PathBuf};
use std::process::Command;

use panto_convert::program::{self, ProgramFormat};
use panto_convert::{Error, ImportSummary, otf2};
use panto_timeline::{ALL_TIME, Timeline};
use panto_trace::Trace;

use crate::support::{calls, ends, folder, names, plain, program};
use crate::timelines::{extremes, halo, small};

/// The system's Python: the bindings are a package of the system.
const PYTHON: &str = "/usr/bin/python3";

fn write(timeline: &Timeline, folder: &Path) -> PathBuf {
    let target = folder.join("archive");
    otf2::write(timeline, &target).unwrap_or_else(|error| panic!("{error}"));
    target.join(otf2::ANCHOR)
}

fn import(archive: &Path, folder: &Path) -> (PathBuf, ImportSummary) {
    let target = folder.join("imported.panto");
    let imported = otf2::read(archive, &target).unwrap_or_else(|error| panic!("{error}"));
    (target, imported)
}

/// Runs a program that must succeed without complaints; returns its output, `None` if it is not
/// installed.
fn run(program: &str, arguments: &[&Path]) -> Option<String> {
    let found = Command::new(program).args(arguments).output().ok();
    let found = found.filter(|output| !String::from_utf8_lossy(&output.stderr).contains("No module named"));
    let Some(output) = found else {
        let is_wanted = std::env::var_os("PANTO_TEST_OTF2").is_some();
        let install = "apt-get install otf2-tools python3-otf2";
        assert!(!is_wanted, "PANTO_TEST_OTF2 is set and {program} does not work: {install}");
        eprintln!("{program} does not read OTF2 ({install}): skipped");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{program}: {said}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/convert").join(name)
}

#[test]
fn otf2_print_accepts_archives_with_all_their_events() {
    let folder = folder();
    for number in 0..3 {
        let place = folder.path().join(number.to_string());
        std::fs::create_dir(&place).expect("a folder");
        let timeline = match number {
            0 => halo(&place, 3, 5),
            1 => small(&place),
            // These rounds fill several chunks of a location.
            _ => halo(&place, 2, 20_000),
        };
        let anchor = write(&timeline, &place);
        let Some(text) = run("otf2-print", &[&anchor]) else { return };
        let count = |kind: &str| text.lines().filter(|line| line.starts_with(kind)).count() as u64;
        // One timeline has a signal between a rank and its helper, which is no message.
        let signals = u64::from(number == 1);
        let (_, messages) = timeline.counts();
        assert_eq!(count("MPI_SEND "), messages - signals);
        assert_eq!(count("MPI_RECV "), messages - signals);
        assert!(count("ENTER ") > 0 && count("ENTER ") == count("LEAVE "));
        assert_eq!(count("UNKNOWN"), 0);
        assert_eq!(
            number == 2,
            anchor.with_file_name("traces/0.evt").metadata().expect("a file").len() > 2 << 20
        );
    }
}

#[test]
fn messages_are_in_their_calls() {
    let folder = folder();
    let anchor = write(&small(folder.path()), folder.path());
    let Some(text) = run(PYTHON, &[&script("otf2_reader.py"), &anchor]) else { return };
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "rank 0|5000000|MPI_Send|sends|1000|to|1|tag|7",
        "rank 1|7500000|MPI_Recv|receives|1000|from|0|tag|7",
        "rank 0|8000000|MPI_Bcast|sends|64|to|1|tag|7",
        "rank 0|8000000|MPI_Bcast|sends|64|to|1|tag|7",
        "rank 1|10000000|MPI_Bcast|receives|64|from|0|tag|7",
        "rank 1|10000000|MPI_Bcast|receives|64|from|0|tag|7",
        "resolution|1000000000000",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn one_rank_is_an_archive_and_none_is_an_error() {
    let folder = folder();
    let timelines = extremes(folder.path());
    let none = otf2::write(&timelines[0], &folder.path().join("none")).expect_err("no ranks");
    assert!(none.to_string().contains("no ranks"), "{none}");
    let anchor = write(&timelines[1], folder.path());
    let Some(text) = run("otf2-print", &[&anchor]) else { return };
    assert_eq!(text.lines().filter(|line| line.starts_with("ENTER")).count(), 2);
}

#[test]
fn an_archive_replaces_nothing() {
    let folder = folder();
    let timeline = small(folder.path());
    write(&timeline, folder.path());
    let again = otf2::write(&timeline, &folder.path().join("archive")).expect_err("it exists");
    assert!(again.to_string().contains("exists already; remove it"), "{again}");
}

#[test]
fn what_was_exported_is_imported_with_its_messages_and_times() {
    let folder = folder();
    let timeline = halo(folder.path(), 3, 4);
    let anchor = write(&timeline, folder.path());
    let (trace, imported) = import(&anchor, folder.path());
    assert_eq!(imported.ranks, 9);
    let lines = calls(&trace);
    let count = |word: &str| lines.iter().filter(|line| line.contains(word)).count() as u64;
    let (_, messages) = timeline.counts();
    assert_eq!((count(" Send "), count(" Receive ")), (messages, messages));
    let trace = Trace::open(&trace).expect("a trace");
    let mut events = trace.ranks()[0].events();
    let mut last = 0;
    while let Some(event) = events.next().expect("valid events") {
        let stamps = event.stamps().expect("the times of calls are kept, to look at the run");
        last += stamps.gap + stamps.inside;
    }
    let states = timeline.states(0, &ALL_TIME).last().expect("states").expect("a valid timeline");
    assert_eq!(last, states.to.as_picos() / 1000);
}

#[test]
fn an_archive_of_debians_library_is_imported() {
    let folder = folder();
    let archive = folder.path().join("scorep");
    if run(PYTHON, &[&script("otf2_writer.py"), &archive]).is_none() {
        return;
    }
    let (trace, imported) = import(&archive, folder.path());
    assert_eq!(imported.ranks, 3);
    let notes = [
        "3 calls without MPI events omitted: MPI_Comm_rank",
        "1 locations omitted that are not ranks: threads, accelerators, metrics",
    ];
    assert_eq!(imported.notes, notes);
    let expected = [
        "0 MPI_Init",
        "2000 MPI_Irecv",
        "1000 MPI_Isend",
        "1000 MPI_Test",
        "1000 MPI_Waitall",
        "1000 MPI_Ssend",
        "1000 MPI_Sendrecv",
        "1000 MPI_Allreduce",
        "1000 MPI_Gatherv",
        "1000 MPI_Ibarrier",
        "1000 MPI_Wait",
        "1000 MPI_Finalize",
    ];
    assert_eq!(names(&trace, 0), expected);
    let lines = calls(&trace);
    let line = |rank: u32, name: &str| {
        lines.iter().find(|line| line.starts_with(&format!("{rank} ")) && line.contains(name)).expect(name)
    };
    for (rank, name, parts) in [
        (0, "MPI_Irecv", "from: Relative(2)"),
        (2, "MPI_Isend", "to: Relative(-2)"),
        // On the communicator of ranks 2 and 0, rank 0 has the number 1.
        (0, "MPI_Ssend", "comm: Comm(2), to: Relative(-1)"),
        (0, "MPI_Ssend", "mode: Synchronous"),
        (2, "MPI_Recv", "comm: Comm(2), from: Relative(1)"),
        (1, "MPI_Allreduce", "bytes: 16,"),
        (1, "MPI_Gatherv", "receive_sizes: [10, 20, 30]"),
        (2, "MPI_Gatherv", "bytes: 30, receive_bytes: 0"),
        (0, "MPI_Ibarrier", "form: Immediate"),
    ] {
        assert!(line(rank, name).contains(parts), "{parts}: {}", line(rank, name));
    }
    let machine = plain(3, panto_units::Time::from_nanos(1000), 1e9);
    let ends = ends(&program(&trace, &machine).program, &machine);
    assert!(ends.iter().all(|end| end.as_secs() > 12e-6), "{ends:?}");
}

#[test]
fn a_folder_or_its_anchor_is_a_program() {
    let folder = folder();
    let anchor = write(&halo(folder.path(), 2, 2), folder.path());
    for path in [anchor.parent().expect("a folder"), &anchor] {
        let program = program::open(path, 1e9).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(program.trace.size(), 4);
        assert_eq!(program.imported.expect("an import").0, ProgramFormat::Otf2);
    }
}

#[test]
fn damaged_archives_are_errors_and_never_panics() {
    let folder = folder();
    let anchor = write(&halo(folder.path(), 2, 3), folder.path());
    let target = folder.path().join("damaged.panto");
    for name in ["traces.otf2", "traces.def", "traces/1.evt", "traces/1.def"] {
        let path = anchor.with_file_name(name);
        let whole = std::fs::read(&path).expect("a file");
        for length in 0..whole.len() - 2 {
            std::fs::write(&path, &whole[..length]).expect("a file");
            let result = otf2::read(&anchor, &target);
            // The anchor is read up to what is needed.
            assert!(result.is_err() || name == "traces.otf2", "{name}, {length} bytes");
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            std::fs::write(&path, &changed).expect("a file");
            let _either: Result<_, Error> = otf2::read(&anchor, &target);
        }
        std::fs::write(&path, &whole).expect("a file");
    }
    assert!(otf2::read(&anchor, &target).is_ok());
}
