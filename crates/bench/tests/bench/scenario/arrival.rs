//! Arrival delays taken from a traced program.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use panto_bench::scenario::{Instruction, Scenario, Variable};
use panto_trace::{Builder, Collective, Data, Metadata, Trace, combine};
use panto_transport::Time;

use super::script;

const RANKS: u32 = 4;

/// Writes the trace of four ranks with three reductions and a barrier: rank r computes r times 10
/// us longer than rank 0 before each, and rank 1 another 1 ms before the last reduction.
fn trace(folder: &Path) -> PathBuf {
    let ranks = folder.join("ranks");
    std::fs::create_dir_all(&ranks).expect("a folder");
    for rank in 0..RANKS {
        let mut calls = Builder::new(rank, RANKS, 8);
        let data = Data::Same(8);
        let mut call = |name, collective, micros: u64| {
            calls.compute(micros * 1_000);
            calls.collective(name, collective, None, 8, &data, &data);
        };
        let usual = 100 + 10 * u64::from(rank);
        for last in [0, 0, if rank == 1 { 1_000 } else { 0 }] {
            call("MPI_Allreduce", Collective::Allreduce, usual + last);
        }
        call("MPI_Barrier", Collective::Barrier, 5);
        let out = calls.finish(&Metadata::default());
        File::create(ranks.join(format!("{rank}.rank")))
            .and_then(|mut file| file.write_all(&out))
            .expect("room");
    }
    let target = folder.join("app.panto");
    combine(&Trace::open(&ranks).expect("all ranks"), &target, &Metadata::default()).expect("one file");
    target
}

/// Returns the delays of the ranks, in microseconds.
fn delays(scenario: &Scenario) -> Vec<u64> {
    let script = script(scenario, RANKS as usize).unwrap();
    let delay = |rank| match script.instructions(rank)[1] {
        Instruction::Delay(time) => time.as_picos() / 1_000_000,
        _ => panic!("a delay"),
    };
    (0..RANKS as usize).map(delay).collect()
}

#[test]
fn ranks_arrive_with_the_delays_of_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let file = trace(folder.path());
    let arrival = Scenario::load("arrival", Some(&file)).unwrap();
    assert!(!arrival.uses(Variable::Delay), "the trace says it, not the sweep");
    // The median over the four collectives.
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
        (", bcats", "unknown collective `bcats`"),
        (", allreduce, x", "counted from 1 on"),
    ] {
        let error = beside(which).unwrap_err().to_string();
        assert!(error.contains("mine.toml, line 3: ") && error.contains(words), "{error}");
    }
    // Ranks that the program did not have arrive with the first.
    assert_eq!(script(&arrival, 6).unwrap().instructions(5)[1], Instruction::Delay(Time::ZERO));
}
