//! Merging several runs of one program into one trace.

use std::path::{Path, PathBuf};

use panto_trace::{Action, CallForm, Peer, ProbeKind, Stamps, Times, Trace, Type, merge};

use crate::support::{Seen, WORLD, Writer, all_events, test, whole};

/// Writes a run of one rank.
fn run(folder: &Path, name: &str, program: impl Fn(&mut Writer)) -> PathBuf {
    run_with_stamps(folder, name, false, program)
}

fn run_with_stamps(folder: &Path, name: &str, has_stamps: bool, program: impl Fn(&mut Writer)) -> PathBuf {
    let mut writer = Writer::with_stamps(0, 1, has_stamps);
    program(&mut writer);
    writer.finalise();
    whole(&folder.join(name), &[(0, writer.finish())])
}

fn merged(folder: &Path, runs: &[PathBuf]) -> Result<Vec<Seen>, String> {
    let traces: Vec<Trace> = runs.iter().map(|run| Trace::open(run).expect("a run")).collect();
    let target = folder.join("merged.panto");
    let outcome = merge(&traces, &target);
    assert_eq!(outcome.is_ok(), target.exists(), "a file only if it is whole");
    outcome.map_err(|error| error.to_string())?;
    assert!(Trace::open(&target).expect("a trace").is_complete());
    Ok(all_events(&target).remove(0))
}

fn lengths(seen: &[Seen]) -> Vec<u64> {
    seen.iter().map(|seen| seen.before).collect()
}

#[test]
fn each_block_has_the_lower_quartile() {
    let at = tempfile::tempdir().expect("a folder");
    let lengths_of = [[10, 900], [50, 100], [20, 300], [40, 500], [30, 700]];
    let runs = lengths_of.map(|[one, two]| {
        run(at.path(), &format!("{one}.panto"), |writer| {
            writer.send(0, 8, one);
            writer.seal();
            writer.send(0, 16, two);
        })
    });
    let seen = merged(at.path(), &runs).expect("the same calls");
    assert_eq!(lengths(&seen), [20, 300, 5]);
    assert_eq!(seen[0].name, "MPI_Send");
    assert!(seen[1].action.contains("bytes: 16"), "{}", seen[1].action);
}

/// Records a loop that polls, with computation before each poll.
fn polling(writer: &mut Writer, failures: &[u64], spins: Option<u64>) {
    writer.call("MPI_Isend", &send_request(), 10);
    for before in failures {
        writer.call("MPI_Test", &test(&[0], &[]), *before);
    }
    if let Some(polls) = spins {
        writer.call("MPI_Test", &Action::Spin { polls, spun: 99_999 }, 0);
    }
    writer.call("MPI_Iprobe", &probe(), 1);
    writer.call("MPI_Test", &test(&[0], &[0]), 100);
}

fn send_request() -> Action<'static> {
    crate::support::send(CallForm::Immediate, 0, 8, Some(panto_trace::Slot(0)))
}

fn probe() -> Action<'static> {
    Action::Probe {
        look: ProbeKind::Iprobe,
        comm: WORLD,
        from: Peer::Any,
        tag: -1,
        found: false,
        source: -1,
        got_tag: -1,
        got_bytes: -1,
        message: None,
    }
}

#[test]
fn polls_in_vain_are_left_out_and_their_computation_is_kept() {
    let at = tempfile::tempdir().expect("a folder");
    let runs = [
        run(at.path(), "a.panto", |writer| polling(writer, &[7, 7, 7], Some(1000))),
        run(at.path(), "b.panto", |writer| polling(writer, &[], None)),
        run(at.path(), "c.panto", |writer| polling(writer, &[1], Some(3))),
    ];
    let seen = merged(at.path(), &runs).expect("the same calls");
    let names: Vec<&str> = seen.iter().map(|seen| seen.name.as_str()).collect();
    assert_eq!(names, ["MPI_Isend", "MPI_Test", "MPI_Finalize"]);
    assert_eq!(lengths(&seen), [10, 101, 5]);
}

#[test]
fn the_wall_clock_of_the_first_run_stays_whole() {
    let at = tempfile::tempdir().expect("a folder");
    let runs = ["a.panto", "b.panto"].map(|name| {
        run_with_stamps(at.path(), name, true, |writer| {
            writer.timed("MPI_Test", &test(&[0], &[]), Times { before: 1, gap: 20, inside: 300 });
            writer.timed("MPI_Test", &test(&[0], &[0]), Times { before: 1, gap: 4000, inside: 50_000 });
        })
    });
    let seen = merged(at.path(), &runs).expect("the same calls");
    assert_eq!(seen[0].stamps, Some(Stamps { gap: 4320, inside: 50_000 }));
}

fn on_thread(writer: &mut Writer, thread: u32, bytes: u64, before: u64) {
    writer.call("thread", &Action::Thread { thread }, 0);
    writer.send(0, bytes, before);
}

#[test]
fn threads_may_take_turns_as_they_like() {
    let at = tempfile::tempdir().expect("a folder");
    let runs = [
        run(at.path(), "a.panto", |writer| {
            for (thread, bytes, before) in [(0, 1, 10), (1, 100, 20), (0, 2, 30), (1, 200, 40), (0, 3, 50)] {
                on_thread(writer, thread, bytes, before);
            }
        }),
        run(at.path(), "b.panto", |writer| {
            for (thread, bytes, before) in [(1, 100, 5), (1, 200, 6), (0, 1, 7), (0, 2, 8), (0, 3, 9)] {
                on_thread(writer, thread, bytes, before);
            }
        }),
    ];
    let seen = merged(at.path(), &runs).expect("each thread made the same calls");
    let sends: Vec<u64> =
        seen.iter().filter(|seen| seen.name == "MPI_Send").map(|seen| seen.before).collect();
    assert_eq!(sends, [7, 5, 8, 6, 9]);
    let threads = seen.iter().filter(|seen| seen.action.starts_with("Thread")).count();
    assert_eq!(threads, 4, "the first thread needs no word at the beginning");
}

fn isend(writer: &mut Writer, slot: u32) {
    writer.call(
        "MPI_Isend",
        &crate::support::send(CallForm::Immediate, 0, 8, Some(panto_trace::Slot(slot))),
        1,
    );
}

#[test]
fn threads_may_take_other_places_for_their_requests() {
    let at = tempfile::tempdir().expect("a folder");
    let program = |slots: [u32; 2]| {
        move |writer: &mut Writer| {
            for (thread, slot) in (1..).zip(slots) {
                writer.call("thread", &Action::Thread { thread }, 0);
                isend(writer, slot);
            }
        }
    };
    let runs = [run(at.path(), "a.panto", program([0, 1])), run(at.path(), "b.panto", program([1, 0]))];
    let seen = merged(at.path(), &runs).expect("the same calls");
    assert_eq!(seen.iter().filter(|seen| seen.name == "MPI_Isend").count(), 2);
    let error = error_of([&|writer| isend(writer, 0), &|writer| isend(writer, 1)]);
    assert!(error.contains("request: Some(Slot(1))"), "one thread has no excuse: {error}");
}

fn error_of(programs: [&dyn Fn(&mut Writer); 2]) -> String {
    let at = tempfile::tempdir().expect("a folder");
    let [one, two] = programs;
    let runs = [run(at.path(), "a.panto", one), run(at.path(), "b.panto", two)];
    merged(at.path(), &runs).expect_err("different runs")
}

#[test]
fn runs_that_differ_are_refused_with_both_calls() {
    let error = error_of([
        &|writer| {
            writer.send(0, 8, 1);
            writer.send(0, 8, 1);
        },
        &|writer| {
            writer.send(0, 8, 1);
            writer.send(0, 9, 1);
        },
    ]);
    for part in [
        "rank 0: the runs differ: call 1 in ",
        "a.panto is MPI_Send (Send",
        "bytes: 8",
        "call 1 in ",
        "bytes: 9",
    ] {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
}

#[test]
fn wildcards_that_matched_other_messages_are_refused() {
    let receive = |source: i64| Action::Receive {
        form: CallForm::Blocking,
        comm: WORLD,
        from: Peer::Any,
        datatype: Type(0),
        bytes: 8,
        tag: -1,
        request: None,
        source,
        got_tag: 7,
        got_bytes: 8,
    };
    let error = error_of([&|writer| writer.call("MPI_Recv", &receive(1), 1), &|writer| {
        writer.call("MPI_Recv", &receive(2), 1);
    }]);
    assert!(error.contains("source: 1") && error.contains("source: 2"), "{error}");
    assert!(error.contains("wildcards matched the same messages"), "{error}");
}

#[test]
fn a_run_with_fewer_or_more_calls_is_refused() {
    let error = error_of([&|writer| writer.send(0, 8, 1), &|_| ()]);
    assert!(error.contains("call 0 in ") && error.contains("b.panto is MPI_Finalize"), "{error}");
    let at = tempfile::tempdir().expect("a folder");
    let short = Writer::new(0, 1);
    let mut long = Writer::new(0, 1);
    long.send(0, 8, 1);
    let runs = [("a.panto", short), ("b.panto", long)]
        .map(|(name, writer)| whole(&at.path().join(name), &[(0, writer.finish())]));
    let error = merged(at.path(), &runs).expect_err("one has more calls");
    assert!(error.contains("a.panto it has no more calls, and call 0 in"), "{error}");
}

#[test]
fn other_communicators_by_the_same_number_are_refused() {
    let comm = |members: &'static [u32]| {
        move |writer: &mut Writer| {
            writer.comm("MPI_Comm_dup", Some(WORLD), 0, 0, members);
        }
    };
    let error = error_of([&comm(&[0]), &comm(&[0, 0])]);
    assert!(error.contains("b.panto made other communicators than"), "{error}");
}

#[test]
fn runs_must_be_whole_and_of_one_size() {
    let at = tempfile::tempdir().expect("a folder");
    let mut killed = Writer::new(0, 1);
    killed.send(0, 8, 1);
    killed.seal();
    let sound = run(at.path(), "a.panto", |writer| writer.send(0, 8, 1));
    let cut = whole(&at.path().join("b.panto"), &[(0, killed.killed())]);
    let error = merged(at.path(), &[sound.clone(), cut]).expect_err("killed");
    assert!(error.contains("b.panto: this run did not come to its end"), "{error}");
    let two = whole(
        &at.path().join("c.panto"),
        &[(0, Writer::new(0, 2).finish()), (1, Writer::new(1, 2).finish())],
    );
    let error = merged(at.path(), &[sound.clone(), two]).expect_err("two ranks");
    assert!(error.contains("c.panto has 2 ranks and") && error.contains("has 1"), "{error}");
    let error = merged(at.path(), &[sound]).expect_err("one run");
    assert!(error.contains("name two or more traces"), "{error}");
}
