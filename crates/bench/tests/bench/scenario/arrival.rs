//! Arrival as in a traced program.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use panto_bench::scenario::{Act, Scenario, Variable};
use panto_trace::{
    Action, Comm, Communicator, Facts, Form, Head, Pattern, Peer, Ranks, Recorder, Times, Trace, combine,
    stream_end, stream_start,
};
use panto_transport::Time;

use super::script;

const RANKS: u32 = 4;

/// A program of four ranks with three reductions and a barrier: rank r computes r times 10 us more than the first before each, and 1 ms
/// more before the last reduction if it is rank 1.
fn trace(folder: &Path) -> PathBuf {
    let ranks = folder.join("ranks");
    std::fs::create_dir_all(&ranks).expect("a folder");
    for rank in 0..RANKS {
        let mut out = stream_start(Head { is_whole: false, rank, ranks: RANKS }, &Facts::default());
        let mut recorder = Recorder::new(false);
        let made_by = recorder.name("MPI_COMM_WORLD");
        recorder.communicator(&Communicator {
            made_by,
            parent: None,
            ordinal: 0,
            tag: 0,
            rank,
            members: (0..RANKS).collect(),
            others: None,
            sources: Ranks::default(),
            destinations: Ranks::default(),
        });
        let call = |recorder: &mut Recorder, name: &str, pattern, micros: u64| {
            let name = recorder.name(name);
            let action = Action::Collective {
                pattern,
                form: Form::Blocking,
                comm: Comm(0),
                root: Peer::Nobody,
                datatype: None,
                got_type: None,
                commutes: true,
                in_place: false,
                bytes: 8,
                room: 8,
                request: None,
                gives: &[],
                gets: &[],
            };
            recorder.record(name, &action, Times { before: micros * 1_000, ..Times::default() });
        };
        let usual = 100 + 10 * u64::from(rank);
        for last in [0, 0, if rank == 1 { 1_000 } else { 0 }] {
            call(&mut recorder, "MPI_Allreduce", Pattern::AllReduce, usual + last);
        }
        call(&mut recorder, "MPI_Barrier", Pattern::Barrier, 5);
        recorder.seal(0, &mut out);
        out.extend(stream_end(&Facts::default()));
        File::create(ranks.join(format!("{rank}.rank")))
            .and_then(|mut file| file.write_all(&out))
            .expect("room");
    }
    let target = folder.join("app.panto");
    combine(&Trace::open(&ranks).expect("all ranks"), &target, &Facts::default()).expect("one file");
    target
}

/// The delays of the ranks, in microseconds.
fn delays(scenario: &Scenario) -> Vec<u64> {
    let script = script(scenario, RANKS as usize).unwrap();
    let delay = |rank| match script.acts(rank)[1] {
        Act::Delay(time) => time.as_picos() / 1_000_000,
        _ => panic!("a delay"),
    };
    (0..RANKS as usize).map(delay).collect()
}

#[test]
fn ranks_come_as_late_as_they_did() {
    let folder = tempfile::tempdir().unwrap();
    let file = trace(folder.path());
    let arrival = Scenario::load("arrival", Some(&file)).unwrap();
    assert!(!arrival.uses(Variable::Delay), "the trace says it, not the sweep");
    // Of the four collectives, the usual.
    assert_eq!(delays(&arrival), [0, 10, 20, 30]);
    let beside = |which: &str| {
        let text = format!(
            "[[participants]]\nwho = \"all\"\ndo = [\"start\", \"delay(trace, app.panto{which})\", \"stop\"]"
        );
        Scenario::parse(&text, &folder.path().join("mine.toml"), None)
    };
    assert_eq!(delays(&beside(", allreduce").unwrap()), [0, 10, 20, 30]);
    assert_eq!(delays(&beside(", allreduce, 3").unwrap()), [0, 1_010, 20, 30]);
    assert_eq!(delays(&beside(", barrier").unwrap()), [0, 0, 0, 0]);
    for (which, words) in [
        (", allreduce, 4", "has no call 4 of allreduce by all ranks; there are 3"),
        (", bcast", "has no bcast of all ranks"),
        (", bcats", "there is no collective `bcats`"),
        (", allreduce, x", "counted from 1 on"),
    ] {
        let error = beside(which).unwrap_err().to_string();
        assert!(error.contains("mine.toml, line 3: ") && error.contains(words), "{error}");
    }
    // Ranks that the program did not have come with the first.
    assert_eq!(script(&arrival, 6).unwrap().acts(5)[1], Act::Delay(Time::ZERO));
}
