//! `panto info` of traces, and the commands that combine and merge them.

use std::path::{Path, PathBuf};

use panto_trace::{Builder, CallForm, Metadata, key, stream_end};

use crate::{panto, stderr, stdout, succeeds};

const SIZE: u32 = 4;

/// Returns the stream of a rank that sends to its right neighbour, without the end of the stream.
fn stream(rank: u32, computation: u64) -> Vec<u8> {
    let mut metadata = Metadata::default();
    for (name, value) in [(key::PROGRAM, "./ring"), (key::MPI, "MPICH 4.0.2"), (key::CLOCK, "cpu")] {
        metadata.set(name, value);
    }
    let mut calls = Builder::with_metadata(rank, &(0..SIZE).collect(), 8, &metadata);
    for _ in 0..500 {
        calls.compute(computation);
        calls.send(CallForm::Blocking, (rank + 1) % SIZE, 0, 1000);
    }
    calls.finish_killed()
}

fn end(other_threads: u64) -> Vec<u8> {
    let mut facts = Metadata::default();
    for (name, value) in
        [(key::WALL, 2_000_000_000), (key::COST, 20_000_000), (key::OTHER_THREADS, other_threads)]
    {
        facts.set(name, &value);
    }
    stream_end(&facts)
}

/// Writes the files of all ranks to a folder.
fn ranks(folder: &Path, computation: u64, other_threads: u64) -> PathBuf {
    let ranks = folder.join(format!("{computation}.ranks"));
    std::fs::create_dir_all(&ranks).expect("a folder");
    for rank in 0..SIZE {
        let bytes = [stream(rank, computation), end(other_threads)].concat();
        std::fs::write(ranks.join(format!("{rank}.rank")), bytes).expect("a file");
    }
    ranks
}

/// Combines the files of all ranks into a trace.
fn whole(folder: &Path, computation: u64) -> PathBuf {
    let target = folder.join(format!("{computation}.panto"));
    let ranks = ranks(folder, computation, 0);
    succeeds(&panto([
        "trace".as_ref(),
        "combine".as_ref(),
        ranks.as_os_str(),
        "-o".as_ref(),
        target.as_os_str(),
    ]));
    target
}

fn info(path: &Path, more: &[&str]) -> std::process::Output {
    panto(["info", &path.to_string_lossy()].iter().chain(more))
}

#[test]
fn a_trace_is_shown_for_people() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = succeeds(&info(&whole(folder.path(), 30_000), &[]));
    for part in [
        ": 4 ranks, 2,000 calls, ",
        "program      ./ring\n",
        "MPI          MPICH 4.0.2\n",
        "measured     CPU time\n",
        "run time     2.00s (maximum over ranks)\n",
        "computation  60.0ms in total; per rank 15.0ms min, 15.0ms median, 15.0ms max\n",
        "messages     2,000, 1.91MiB; neighbours at +1\n",
        "tracer       overhead up to 20.0ms per rank (1.0% of the run time)\n",
        "function  calls    bytes\n--------  -----  -------\nMPI_Send  2,000  1.91MiB\n",
        "       100us   2,000       60.0ms  100.0%\n",
        "to rank (column): @ 488KiB\n0   @\n1    @\n2     @\n3  @\n",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(!text.contains("note:"), "{text}");
}

#[test]
fn a_trace_is_shown_for_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = whole(folder.path(), 30_000);
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(&info(&path, &["--format", "json"]))).expect("JSON");
    assert_eq!((&json["size"], &json["complete"], &json["calls"]), (&4.into(), &true.into(), &2000.into()));
    assert_eq!(
        json["pairs"][3],
        serde_json::json!({ "from": 3, "to": 0, "messages": 500, "bytes": 500_000 })
    );
    assert_eq!(json["ranks"][1]["computation_ns"], 15_000_000);
    assert_eq!(json["facts"]["program"], "./ring");
    assert_eq!(succeeds(&info(&path, &["--format", "csv"])), "function,calls,bytes\nMPI_Send,2000,2000000\n");
    let refused = info(&path, &["--format", "osu"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--format osu does not apply to a trace; use table or json or csv"));
}

#[test]
fn a_killed_program_left_what_it_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let ranks = ranks(folder.path(), 30_000, 0);
    std::fs::write(ranks.join("1.rank"), stream(1, 30_000)).expect("a file");
    std::fs::remove_file(ranks.join("3.rank")).expect("it was there");
    let text = succeeds(&info(&ranks, &[]));
    assert!(text.contains("note: no trace of rank 3 (of 4 ranks)\n"), "{text}");
    assert!(text.contains("the last calls are missing on rank 1\n"), "{text}");
}

#[test]
fn a_damaged_trace_is_refused_unless_what_is_sound_will_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = whole(folder.path(), 30_000);
    let mut bytes = std::fs::read(&path).expect("a trace");
    let is_events = |place: &usize| bytes[*place..].starts_with(b"PANb\x01");
    let place = (0..bytes.len()).filter(is_events).nth(1).expect("the second rank has events");
    bytes[place + 80] ^= 4;
    std::fs::write(&path, bytes).expect("a file");
    let refused = info(&path, &[]);
    assert_eq!((refused.status.code(), stdout(&refused)), (Some(2), String::new()));
    let said = stderr(&refused);
    assert!(
        said.contains("damaged at byte")
            && said.contains("use --salvage to print the part before the damage"),
        "{said}"
    );
    let text = succeeds(&info(&path, &["--salvage"]));
    assert!(text.contains("note: only the part before this damage is shown: "), "{text}");
    assert!(text.contains("MPI_Send  1,500"), "{text}");
}

#[test]
fn threads_that_compute_unseen_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let quiet = succeeds(&info(&ranks(folder.path(), 30_000, 150_000), &[]));
    assert!(!quiet.contains("note:"), "{quiet}");
    let loud = succeeds(&info(&ranks(folder.path(), 40_000, 6_000_000), &[]));
    assert!(loud.contains("note: threads that never call MPI") && loud.contains("24.0ms, 30.0%"), "{loud}");
}

#[test]
fn runs_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = [30_000, 10_000, 20_000].map(|computation| whole(folder.path(), computation));
    let target = folder.path().join("merged.panto");
    let words = ["trace", "merge", "-o", &target.to_string_lossy()].map(str::to_owned);
    let merge = |runs: &[PathBuf]| {
        panto(words.iter().cloned().chain(runs.iter().map(|run| run.to_string_lossy().into_owned())))
    };
    let merged = merge(&runs);
    succeeds(&merged);
    assert!(stderr(&merged).ends_with("merged.panto: 2,000 calls, from 3 runs\n"), "{}", stderr(&merged));
    let text = succeeds(&info(&target, &[]));
    assert!(text.contains("computation  20.0ms in total"), "{text}");
    assert!(text.contains("CPU time; lower quartile of 3 runs\n"), "{text}");
    let refused = merge(&[runs[0].clone(), target.clone()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("use --force to replace it"), "{}", stderr(&refused));
    std::fs::rename(&target, folder.path().join("other.panto")).expect("written");
    let refused = merge(&[runs[0].clone(), folder.path().join("other.panto")]);
    assert!(stderr(&refused).contains("is merged already"), "{}", stderr(&refused));
    let refused = merge(&[runs[0].clone(), runs[0].clone()]);
    assert!(stderr(&refused).contains("is named twice"), "{}", stderr(&refused));
}
