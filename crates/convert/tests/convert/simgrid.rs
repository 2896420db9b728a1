//! The same program on `SimGrid` and on Panto, on equivalent machines.
//!
//! Needs `smpirun` (Debian: libsimgrid-dev). Where it is not installed the test is skipped, unless
//! `PANTO_TEST_SIMGRID` is set.

use std::fmt::Write as _;
use std::process::Command;

use panto_convert::ti;
use panto_trace::Trace;
use panto_units::Time;

use crate::smpirun;
use crate::support::{ends, folder, from_ti, plain, program};

const RANKS: usize = 4;

/// Algorithms that MPICH's rules choose.
const COLLECTIVES: [&str; 2] = ["smpi/allreduce:rdb", "smpi/bcast:binomial_tree"];

/// A ring with computation that differs between ranks, and collectives that both run with the same
/// algorithms.
fn work(rank: usize) -> String {
    let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    let mut text = format!("{rank} init\n");
    for round in 0..10 {
        let flops = 20_000 * (1 + (rank + round) % 3);
        let bytes = 1_000 << round;
        let _ = write!(
            text,
            "{rank} compute {flops}\n{rank} irecv {before} {round} {bytes}\n{rank} isend {next} {round} {bytes}\n\
             {rank} compute 5000\n{rank} wait {before} {rank} {round}\n{rank} wait {rank} {next} {round}\n\
             {rank} allreduce 8 0\n{rank} bcast 1000 0\n"
        );
    }
    text + &format!("{rank} finalize\n")
}

#[test]
fn simgrid_predicts_the_same() {
    if Command::new("smpirun").arg("-help").output().is_err() {
        assert!(
            std::env::var_os("PANTO_TEST_SIMGRID").is_none(),
            "PANTO_TEST_SIMGRID is set and smpirun is not installed: apt-get install libsimgrid-dev"
        );
        eprintln!("smpirun is not installed (apt-get install libsimgrid-dev): skipped");
        return;
    }
    let folder = folder();
    let text: String = (0..RANKS).map(work).collect();
    let (path, _) = from_ti(folder.path(), &text);
    let list = folder.path().join("exported.ti");
    ti::write(&Trace::open(&path).expect("a trace"), ti::FLOPS, &list)
        .unwrap_or_else(|error| panic!("{error}"));
    smpirun::prepare(folder.path(), RANKS as u32).expect("files");
    let theirs = smpirun::replay(folder.path(), &list, RANKS as u32, &COLLECTIVES)
        .unwrap_or_else(|error| panic!("{error}"));
    let machine = plain(RANKS as u64, Time::from_nanos(10_000), 1e9);
    let ends = ends(&program(&path, &machine).program, &machine);
    let ours = ends.into_iter().max().expect("ranks").as_secs();
    println!("SimGrid predicts {theirs:.6} s, Panto {ours:.6} s: {:+.2} %", (ours / theirs - 1.0) * 100.0);
    assert!((ours / theirs - 1.0).abs() < 0.03, "SimGrid predicts {theirs} s, Panto {ours} s");
}
