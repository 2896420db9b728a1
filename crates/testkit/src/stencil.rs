//! The trace of a program, written as the tracer writes it: a stencil on a torus of ranks with a
//! reduction per round.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use panto_trace::{Builder, CallForm, Collective, Data, Metadata, Trace, combine};

/// Bytes of an element.
const DOUBLE: u64 = 8;

/// Writes the trace of a stencil on `side` x `side` ranks into a folder and returns its path.
pub fn write(folder: &Path, side: u32, rounds: u64) -> PathBuf {
    let ranks = folder.join("ranks");
    std::fs::create_dir_all(&ranks).expect("a folder");
    for rank in 0..side * side {
        let mut file = File::create(ranks.join(format!("{rank}.rank"))).expect("writable");
        file.write_all(&stream(rank, side, rounds)).expect("there is room");
    }
    let target = folder.join("stencil.panto");
    let trace = Trace::open(&ranks).expect("all ranks are there");
    combine(&trace, &target, &Metadata::default()).expect("one file");
    target
}

fn stream(rank: u32, side: u32, rounds: u64) -> Vec<u8> {
    let mut calls = Builder::new(rank, side * side, DOUBLE);
    let (row, column) = (rank / side, rank % side);
    let at = |row: u32, column: u32| row % side * side + column % side;
    // Up, left, right and down; a message up is received from below.
    let neighbours =
        [at(row + side - 1, column), at(row, column + side - 1), at(row, column + 1), at(row + 1, column)];
    for round in 0..rounds {
        exchange(&mut calls, neighbours, round);
        if round % 1000 == 999 {
            calls.seal();
        }
    }
    calls.finish(&Metadata::default())
}

fn exchange(calls: &mut Builder, neighbours: [u32; 4], round: u64) {
    let mut requests = Vec::new();
    // The tag of a message is the side at which it arrives.
    for (side, from) in (0..).zip(neighbours) {
        calls.compute(100);
        requests.extend(calls.receive(CallForm::Immediate, Some(from), Some(side), 4096));
    }
    for (side, to) in (0..).zip(neighbours) {
        calls.compute(200);
        requests.extend(calls.send(CallForm::Immediate, to, 3 - side, 4096));
    }
    // Times differ from rank to rank and from round to round, as those of a real program do.
    let jitter = (u64::from(calls.rank()) * 7919 + round * 104_729) % 10_007;
    calls.compute(100_000 + jitter);
    calls.wait(&requests);
    calls.compute(5_000);
    let sum = Data::Same(DOUBLE);
    calls.collective("MPI_Allreduce", Collective::Allreduce, None, DOUBLE, &sum, &sum);
}
