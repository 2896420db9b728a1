//! Import of `SimGrid`'s time-independent traces.

use panto_convert::ti;

use crate::support::{calls, folder, from_ti, names};

#[test]
fn a_small_trace_is_read() {
    let folder = folder();
    let text = "0 init\n0 compute 1e6\n0 isend 1 5 100\n0 irecv 1 5 100\n0 wait 1 0 5\n0 test 0 1 5\n0 waitall\n0 barrier\n0 finalize\n\
                1 init\n1 comm_size 2\n1 recv 0 5 100\n1 compute 0.6\n1 send 0 5 100\n1 compute 0.6\n1 barrier\n1 finalize\n";
    let (path, imported) = from_ti(folder.path(), text);
    assert_eq!((imported.ranks, imported.calls), (2, 13));
    assert!(imported.notes.is_empty(), "{:?}", imported.notes);
    let expected = [
        "0 MPI_Init",
        "1000000 MPI_Isend",
        "0 MPI_Irecv",
        "0 MPI_Wait",
        "0 MPI_Test",
        "0 MPI_Wait",
        "0 MPI_Barrier",
        "0 MPI_Finalize",
    ];
    assert_eq!(names(&path, 0), expected);
    // Fractions of nanoseconds are carried over.
    assert_eq!(
        names(&path, 1),
        ["0 MPI_Init", "0 MPI_Recv", "0 MPI_Send", "1 MPI_Barrier", "0 MPI_Finalize"]
    );
}

#[test]
fn every_collective_is_read() {
    let folder = folder();
    let of = |rank: u32| {
        let lines = [
            "init",
            "bcast 5 1 1",
            "reduce 10 1000 1 0",
            "allreduce 10 1000 0",
            "alltoall 3 3",
            "alltoallv 9 1 2 9 3 4",
            "gather 7 7 1",
            "gatherv 7 7 8 1",
            "scatter 6 6 0",
            "scatterv 5 6 5 0",
            "allgather 2 2",
            "allgatherv 2 2 3",
            "reducescatter 4 5 100",
            "scan 8 0",
            "exscan 8 0",
            "finalize",
        ];
        lines.map(|line| format!("{rank} {line}\n")).concat()
    };
    let (path, _) = from_ti(folder.path(), &(of(0) + &of(1)));
    let lines = calls(&path);
    let find = |rank: u32, name: &str| {
        let found = lines
            .iter()
            .find(|line| line.starts_with(&format!("{rank} ")) && line.contains(&format!(" {name} ")));
        found.unwrap_or_else(|| panic!("{name} of rank {rank}")).clone()
    };
    let has = |rank, name: &str, parts: &[&str]| {
        let line = find(rank, name);
        assert!(parts.iter().all(|part| line.contains(part)), "{line}\nexpected {parts:?}");
    };
    has(0, "MPI_Bcast", &["root: Relative(1)", "bytes: 20", "receive_bytes: 0"]);
    has(1, "MPI_Bcast", &["root: Relative(0)", "bytes: 20"]);
    has(0, "MPI_Reduce", &["bytes: 80", "root: Relative(1)", "datatype: Some(Type(2))"]);
    has(0, "MPI_Allreduce", &["0 1000 MPI_Allreduce", "bytes: 80"]);
    has(0, "MPI_Alltoall", &["0 1000 MPI_Alltoall", "bytes: 3", "receive_bytes: 3"]);
    has(0, "MPI_Alltoallv", &["send_sizes: [1, 2]", "receive_sizes: [3, 4]", "bytes: 3", "receive_bytes: 7"]);
    has(0, "MPI_Gather", &["bytes: 7", "receive_bytes: 0"]);
    has(1, "MPI_Gather", &["bytes: 7", "receive_bytes: 7"]);
    has(0, "MPI_Gatherv", &["bytes: 7", "receive_sizes: []"]);
    has(1, "MPI_Gatherv", &["receive_sizes: [7, 8]", "receive_bytes: 15"]);
    has(0, "MPI_Scatter", &["bytes: 6", "receive_bytes: 6"]);
    has(1, "MPI_Scatter", &["bytes: 0", "receive_bytes: 6"]);
    has(0, "MPI_Scatterv", &["send_sizes: [5, 6]", "receive_bytes: 5"]);
    has(1, "MPI_Scatterv", &["send_sizes: []", "receive_bytes: 5"]);
    has(0, "MPI_Allgather", &["bytes: 2", "receive_bytes: 2"]);
    has(0, "MPI_Allgatherv", &["bytes: 2", "receive_sizes: [2, 3]"]);
    has(0, "MPI_Reduce_scatter", &["send_sizes: [4, 5]"]);
    has(0, "MPI_Scan", &["0 100 MPI_Scan", "bytes: 8"]);
    has(0, "MPI_Exscan", &["pattern: Group(Exscan)", "bytes: 8"]);
}

#[test]
fn a_list_of_files_is_read() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.txt"), "0 init\n0 send 1 0 8\n0 finalize\n").unwrap();
    std::fs::write(path("b.txt"), "1 init 1\n1 recv 0 0 8\n1 finalize\n").unwrap();
    std::fs::write(path("list"), "# ranks\na.txt\nb.txt\n").unwrap();
    let imported = ti::read(&path("list"), 1e9, &path("t.panto")).unwrap();
    assert_eq!(imported.ranks, 2);
    let lines = calls(&path("t.panto"));
    assert!(lines[1].contains("bytes: 8") && lines[4].contains("bytes: 64"), "{lines:?}");
    std::fs::write(path("list"), "a.txt\nc.txt\n").unwrap();
    let error = ti::read(&path("list"), 1e9, &path("t.panto")).unwrap_err().to_string();
    assert!(error.contains("c.txt"), "{error}");
}

#[test]
fn differences_are_noted() {
    let folder = folder();
    let text = "0 init\n0 irecv -1 -1 8\n0 wait 5 0 0\n0 waitall\n1 init\n1 send 0 3 8\n";
    let (_, imported) = from_ti(folder.path(), text);
    assert_eq!(imported.notes.len(), 2, "{:?}", imported.notes);
}

#[test]
fn errors_have_positions() {
    let folder = folder();
    let (path, target) = (folder.path().join("t.ti"), folder.path().join("t.panto"));
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let error = ti::read(&path, 1e9, &target).unwrap_err().to_string();
        assert!(!target.exists(), "no partial result for {text}");
        error.replace(&path.display().to_string(), "t.ti")
    };
    for (text, expected) in [
        ("0 init\n0 sned 1 0 8\n", "t.ti:2:3: unknown action `sned`; expected one of init"),
        ("0 init\nx init\n", "t.ti:2:1: found `x`, expected the number of a rank"),
        ("0 init\n0\n", "t.ti:2:1: missing action after rank 0"),
        ("0 init\n0 send 1 0 8\n", "t.ti:2:8: rank 1 out of range; the trace has ranks 0 to 0"),
        ("0 init\n0 send 0 -1 8\n", "t.ti:2:10: found the tag -1"),
        ("0 init\n0 send 0 0\n", "t.ti:2:3: send has 2 arguments; expected a count as argument 3"),
        ("0 init\n0 send 0 0 x\n", "t.ti:2:12: found `x`, expected a count"),
        ("0 init\n0 send 0 0 -5\n", "t.ti:2:12: found `-5`, expected a count"),
        ("0 init\n0 compute nan\n", "t.ti:2:11: found `nan`, expected a number of operations"),
        ("0 init\n0 send 0 0 8 77\n", "t.ti:2:14: unknown datatype 77"),
        ("0 init\n0 send 0 0 9e15 0\n", "t.ti:2:12: too many elements"),
        ("0 init\n0 wait 0 0\n", "t.ti:2:3: wait has 2 arguments; expected a tag as argument 3"),
        ("0 init\n99999999 init\n", "t.ti:2:1: found rank 99999999, expected one below"),
        ("0 init\n2 init\n", "t.ti:1:1: rank 1 of 3 has no actions"),
        ("", "t.ti:1:1: no actions found"),
    ] {
        let error = refused(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    std::fs::write(&path, "0 init\n").unwrap();
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = ti::read(&path, rate, &target).unwrap_err().to_string();
        assert!(error.contains("give a number of at least 1"), "{error}");
    }
}
