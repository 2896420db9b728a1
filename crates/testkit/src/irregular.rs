//! The trace of a program whose partners, sizes and computations never repeat, as those of a
//! particle method or of a graph do not.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use panto_trace::{Builder, CallForm, Metadata, Trace, combine};

/// Writes the trace of a number of exchanges between `ranks` ranks into a folder and returns its
/// path. Nearly each exchange of a rank has two channels of its own.
pub fn write(folder: &Path, ranks: u32, rounds: u32) -> PathBuf {
    let streams = folder.join("irregular");
    std::fs::create_dir_all(&streams).expect("a folder");
    for rank in 0..ranks {
        let mut file = File::create(streams.join(format!("{rank}.rank"))).expect("writable");
        file.write_all(&stream(rank, ranks, rounds)).expect("there is room");
    }
    let target = folder.join("irregular.panto");
    let trace = Trace::open(&streams).expect("all ranks are there");
    combine(&trace, &target, &Metadata::default()).expect("one file");
    target
}

fn stream(rank: u32, ranks: u32, rounds: u32) -> Vec<u8> {
    let mut calls = Builder::new(rank, ranks, 1);
    for round in 0..rounds {
        let far = 1 + round.wrapping_mul(2_654_435_761) % (ranks - 1);
        let bytes = |sender: u32| 8 + (sender.wrapping_mul(40_503) ^ round.wrapping_mul(9_973)) % 4096;
        let (to, from) = ((rank + far) % ranks, (rank + ranks - far) % ranks);
        calls.compute((100 + (rank.wrapping_mul(7_919) ^ round.wrapping_mul(104_729)) % 10_007).into());
        let send = calls.send(CallForm::Immediate, to, 0, bytes(rank).into());
        let receive = calls.receive(CallForm::Immediate, Some(from), Some(0), bytes(from).into());
        calls.wait(&send.into_iter().chain(receive).collect::<Vec<_>>());
    }
    calls.finish(&Metadata::default())
}
