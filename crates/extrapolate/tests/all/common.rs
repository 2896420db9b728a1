//! Traces of programs that are known, and the comparison with what is extrapolated from them.

use std::path::{Path, PathBuf};

use panto_extrapolate::{Error, Program};
use panto_trace::{Action, Builder, Event, Metadata, Trace, TraceWriter, Type};

/// A program: what a rank does, by the number of ranks.
pub type Code = fn(&mut Builder, u32);

/// Traces a program with this number of ranks.
pub fn trace(folder: &Path, code: Code, ranks: u32) -> PathBuf {
    named_trace(folder, code, ranks, &Metadata::default())
}

pub fn named_trace(folder: &Path, code: Code, ranks: u32, metadata: &Metadata) -> PathBuf {
    let path = folder.join(format!("{ranks}.panto"));
    let mut file = TraceWriter::create(&path, ranks, metadata).expect("it can be written");
    for rank in 0..ranks {
        let mut builder = Builder::new(rank, ranks, 8);
        builder.call("MPI_Init", &Action::Initialise { threads: 0 });
        code(&mut builder, ranks);
        builder.call("MPI_Finalize", &Action::Finalise {});
        file.add(&builder.finish(&Metadata::default())).expect("it can be written");
    }
    file.finish().expect("it can be written");
    path
}

/// Replaces what may be numbered differently: datatypes.
pub fn shown(event: Event<'_>) -> String {
    let tables = event.tables();
    let mut text = format!("{} {:?} +{}", event.name(), event.action().expect("sound"), event.before());
    for number in 0..8 {
        if let Some(datatype) = tables.datatype(Type(number)) {
            text = text.replace(&format!("Type({number})"), &format!("{} bytes", datatype.size));
        }
    }
    text
}

pub fn calls(path: &Path) -> Vec<Vec<String>> {
    let trace = Trace::open(path).expect("sound");
    let rank = |rank: &panto_trace::RankTrace| {
        let (mut events, mut calls) = (rank.events(), Vec::new());
        while let Some(event) = events.next().expect("sound") {
            calls.push(shown(event));
        }
        calls
    };
    trace.ranks().iter().map(rank).collect()
}

pub fn learn(folder: &Path, code: Code, from: &[u32]) -> Result<Program, Error> {
    let traces: Vec<Trace> =
        from.iter().map(|ranks| Trace::open(&trace(folder, code, *ranks)).expect("sound")).collect();
    Program::learn(&traces, false)
}

/// Extrapolates and compares with the program itself.
pub fn is_exact(code: Code, from: &[u32], to: &[u32]) {
    let ranks: Vec<String> = from.iter().map(u32::to_string).collect();
    is_exact_from(code, from, to, &format!("{} ranks", ranks.join(", ")));
}

/// Does the same where the new trace has this origin.
pub fn is_exact_from(code: Code, from: &[u32], to: &[u32], origin: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = learn(folder.path(), code, from).unwrap_or_else(|error| panic!("{error}"));
    for ranks in to {
        let made = folder.path().join("made.panto");
        let _ = std::fs::remove_file(&made);
        program.write(*ranks, &made).unwrap_or_else(|error| panic!("{ranks} ranks: {error}"));
        let (made, expected) = (calls(&made), calls(&trace(folder.path(), code, *ranks)));
        for (rank, (made, expected)) in made.iter().zip(&expected).enumerate() {
            for (made, expected) in made.iter().zip(expected) {
                assert_eq!(made, expected, "rank {rank} of {ranks}");
            }
            assert_eq!(made.len(), expected.len(), "rank {rank} of {ranks}");
        }
        let made = Trace::open(&folder.path().join("made.panto")).expect("sound");
        assert_eq!(made.metadata().get(panto_trace::key::EXTRAPOLATED), Some(origin));
    }
}
