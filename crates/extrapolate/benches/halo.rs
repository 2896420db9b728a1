//! How long it takes to recover a program from traces of ten million calls, and to write its trace
//! for more ranks.
//!
//! ```text
//! cargo bench -p panto-extrapolate
//! ```

use std::path::{Path, PathBuf};
use std::time::Instant;

use panto_extrapolate::Program;
use panto_trace::{Action, Builder, CallForm, Metadata, Trace, TraceWriter};

/// Iterations of each rank: about ten million calls in all traces.
const ITERATIONS: u32 = 60_000;

/// Writes the trace of a halo exchange on a square of ranks.
fn trace(folder: &Path, side: u32) -> PathBuf {
    let (ranks, path) = (side * side, folder.join(format!("{}.panto", side * side)));
    let mut file = TraceWriter::create(&path, ranks, &Metadata::default()).expect("it can be written");
    for rank in 0..ranks {
        let mut builder = Builder::new(rank, ranks, 8);
        builder.call("MPI_Init", &Action::Initialise { threads: 0 });
        let (row, column) = (rank / side, rank % side);
        let neighbors = [
            (row > 0).then(|| rank - side),
            (row + 1 < side).then(|| rank + side),
            (column > 0).then(|| rank - 1),
            (column + 1 < side).then(|| rank + 1),
        ];
        for iteration in 0..ITERATIONS {
            builder.compute(1000 + u64::from(iteration % 7));
            let mut requests = Vec::with_capacity(8);
            for (direction, neighbor) in (0_u32..).zip(neighbors) {
                let Some(neighbor) = neighbor else { continue };
                requests.extend(builder.receive(
                    CallForm::Immediate,
                    Some(neighbor),
                    Some(direction ^ 1),
                    800,
                ));
                requests.extend(builder.send(CallForm::Immediate, neighbor, direction, 800));
            }
            builder.wait(&requests);
        }
        builder.call("MPI_Finalize", &Action::Finalise {});
        file.add(&builder.finish(&Metadata::default())).expect("it can be written");
    }
    file.finish().expect("it can be written");
    path
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let traces: Vec<Trace> =
        [2, 3, 4].iter().map(|side| Trace::open(&trace(folder.path(), *side)).expect("sound")).collect();
    let ranks = traces.iter().flat_map(Trace::ranks);
    let calls: u64 = ranks.map(panto_trace::RankTrace::events_count).sum();
    let start = Instant::now();
    let program = Program::learn(&traces, false).unwrap_or_else(|error| panic!("{error}"));
    let learned = start.elapsed().as_secs_f64();
    println!("learn: {calls} calls in {learned:.2} s, {:.1} million a second", calls as f64 / learned * 1e-6);
    let start = Instant::now();
    let written =
        program.write(36, &folder.path().join("36.panto")).unwrap_or_else(|error| panic!("{error}"));
    let wrote = start.elapsed().as_secs_f64();
    let rate = written.calls as f64 / wrote * 1e-6;
    println!("write: {} calls in {wrote:.2} s, {rate:.1} million a second", written.calls);
}
