//! Import of `LogGOPSim` schedules.

use std::fmt::Write as _;

use panto_convert::goal;
use panto_units::Time;

use crate::support::{calls, ends, folder, from_goal, names, plain, program};

const PING: &str = "\
num_ranks 2

// A ping, with a computation on each side.
rank 0 {
    l1: calc 100
    l2: send 10b to 1 tag 3 cpu 0 nic 0
    l2 requires l1
}
rank 1 {
    l1: recv 10b from 0 tag 3 /* the
    ping */
    l2: calc 50; l2 requires l1
}
";

#[test]
fn a_small_schedule_is_read() {
    let folder = folder();
    let (path, imported) = from_goal(folder.path(), PING);
    assert_eq!((imported.ranks, imported.calls), (2, 8));
    assert!(imported.notes.is_empty());
    assert_eq!(names(&path, 0), ["0 MPI_Init", "100 MPI_Isend", "0 MPI_Wait", "0 MPI_Finalize"]);
    assert_eq!(names(&path, 1), ["0 MPI_Init", "0 MPI_Irecv", "0 MPI_Wait", "50 MPI_Finalize"]);
    let sent = &calls(&path)[1];
    assert!(
        sent.contains("to: Relative(1)") && sent.contains("bytes: 10") && sent.contains("tag: 3"),
        "{sent}"
    );
}

#[test]
fn the_simulated_time_is_the_longest_path() {
    let folder = folder();
    let (path, _) = from_goal(folder.path(), PING);
    let machine = plain(2, Time::from_nanos(1_000), 1e9);
    let ends = ends(&program(&path, &machine).program, &machine);
    assert_eq!(ends, [Time::from_nanos(100), Time::from_nanos(100 + 1_000 + 10 + 50)]);
}

#[test]
fn operations_without_waits_come_first() {
    let folder = folder();
    let text = "num_ranks 2\nrank 0 {\n a: recv 1 b from 1\n b: send 1b to 1 tag 1\n b requires a\n c: recv 8b from 1 tag 2\n \
                d: calc 7\n d irequires b\n}\nrank 1 {\n send 1b to 0\n recv 1b from 0 tag 1\n send 8b to 0 tag 2\n}\n";
    let (path, _) = from_goal(folder.path(), text);
    let expected = [
        "0 MPI_Init",
        "0 MPI_Irecv",
        "0 MPI_Irecv",
        "0 MPI_Wait",
        "0 MPI_Isend",
        "7 MPI_Waitall",
        "0 MPI_Finalize",
    ];
    assert_eq!(names(&path, 0), expected);
}

#[test]
fn wildcards_and_other_cpus_are_noted() {
    let folder = folder();
    let text =
        "num_ranks 2\nrank 0 {\n recv 1b from -1 tag -1\n calc 5 cpu 1\n}\nrank 1 {\n send 1b to 0\n}\n";
    let (path, imported) = from_goal(folder.path(), text);
    assert_eq!(imported.notes.len(), 2, "{:?}", imported.notes);
    assert!(calls(&path)[1].contains("from: Any"));
}

#[test]
fn errors_have_positions() {
    let folder = folder();
    let target = folder.path().join("t.panto");
    let refused = |text: &str| {
        let error = goal::read(&mut text.as_bytes(), "s.goal", &target).unwrap_err().to_string();
        assert!(!target.exists(), "no partial result for {text}");
        error
    };
    let inside = |text: &str| refused(&format!("num_ranks 2\nrank 0 {{\n{text}\n}}\nrank 1 {{ }}\n"));
    for (text, expected) in [
        ("sned 1b to 1", "s.goal:3:6: expected `:`, requires or irequires after `sned`"),
        ("a: sned 1b to 1", "s.goal:3:4: found `sned`, expected calc, send or recv"),
        ("send 1 to 1", "s.goal:3:8: found `to`, expected b"),
        ("send -1b to 1", "s.goal:3:6: found `-1b`, expected a number of bytes"),
        ("send 1b from 1", "s.goal:3:9: found `from`, expected to"),
        ("send 1b to 2", "s.goal:3:12: rank 2 out of range; expected 0 to 1"),
        ("send 1b to -1", "s.goal:3:12: found `-1`, expected the number of a rank"),
        ("send 1b to 1 tag -1", "s.goal:3:18: found `-1`, expected a tag"),
        ("send 99999999999999999999b to 1", "s.goal:3:6: found `99999999999999999999b`"),
        ("calc", "s.goal:3:5: the line ends here, expected nanoseconds"),
        ("calc 5 5", "s.goal:3:8: found `5`, expected the end of the line"),
        ("a: calc 1\na: calc 2", "s.goal:4:1: label `a` is used twice"),
        ("a: calc 1\na requires b", "s.goal:4:12: unknown label `b`"),
        ("a: calc 1\nb: calc 1\na requires b\nb requires a", "s.goal:3:1: this operation depends on itself"),
        ("rank 1 {", "s.goal:3:1: rank 0 is not closed"),
        ("}\n}", "s.goal:4:1: unmatched }"),
        ("é", "s.goal:3:1: found `é`, expected a label"),
    ] {
        let error = inside(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    for (text, expected) in [
        ("", "s.goal:1:1: no schedule found; begin with num_ranks N"),
        ("rank 0 {\n}", "s.goal:1:6: the number of ranks is unknown"),
        ("num_ranks 0", "s.goal:1:11: found 0 ranks, expected 1 to"),
        ("num_ranks 99999999999", "s.goal:1:11: found 99999999999 ranks"),
        ("num_ranks 1\nnum_ranks 1", "s.goal:2:1: num_ranks appears twice"),
        ("num_ranks 1\ncalc 1", "s.goal:2:1: found `calc`, expected rank N {"),
        (
            "num_ranks 1\nrank 0 {\ncalc 1\n",
            "s.goal:4:1: unexpected end of file inside rank 0; close it with }",
        ),
        ("num_ranks 2\nrank 1 {\n}\n", "s.goal:4:1: rank 0 of 2 has no schedule"),
        ("num_ranks 1\nrank 0 { }\nrank 0 { }\n", "s.goal:3:1: rank 0 has two schedules"),
    ] {
        let error = refused(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let error = goal::read(&mut &b"num_ranks 1\nrank\xff"[..], "s.goal", &target).unwrap_err().to_string();
    assert!(error.starts_with("s.goal:2:5: not UTF-8 text"), "{error}");
    let long = vec![b' '; 2 << 20];
    let error = goal::read(&mut &long[..], "s.goal", &target).unwrap_err().to_string();
    assert!(error.starts_with("s.goal:1:1: line longer"), "{error}");
}

/// Files are read in pieces on several threads, and parsed in parts: the trace is that of one
/// thread.
#[test]
fn long_files_are_read_on_all_cores() {
    let folder = folder();
    let ranks = 40;
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let (next, last) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let _ = writeln!(text, "rank {rank} {{\nl0: calc {rank}");
        for round in 0..1500 {
            let (first, then) = (2 * round, 2 * round + 1);
            let _ = writeln!(text, "l{then}: send 8b to {next} tag {round}\nl{then} requires l{first}");
            let _ = writeln!(text, "l{}: recv 8b from {last} tag {round}", then + 1);
        }
        text += "}\n";
    }
    assert!(text.len() > 4 << 20, "{}", text.len());
    let path = folder.path().join("s.goal");
    std::fs::write(&path, &text).expect("a file");
    let name = path.to_string_lossy();
    let (one, all) = (folder.path().join("one.panto"), folder.path().join("all.panto"));
    let alone = goal::read_on(1, &mut text.as_bytes(), &name, &one).expect("a schedule");
    assert_eq!(goal::read_file(&path, &all).expect("a schedule"), alone);
    assert!(std::fs::read(one).expect("a trace") == std::fs::read(all).expect("a trace"));
    std::fs::write(&path, text + "oops\n").expect("a file");
    let error = goal::read_file(&path, &folder.path().join("none.panto")).unwrap_err().to_string();
    assert!(error.contains("s.goal:180122:1: found `oops`"), "{error}");
}
