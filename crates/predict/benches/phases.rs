//! Times the phases of a prediction: `cargo bench -p panto-predict --bench phases`, with
//! `-- irregular MACHINE` for a program that repeats nothing, or with `-- FILE MACHINE` for a trace
//! of one's own.
//!
//! Opening the trace, turning it into a program, running that without observers ("bare"), and
//! predicting: a run that adds up where the time goes and finds the critical path, on one core and
//! on all. Nanoseconds per event, the best of several repetitions. `cargo xtask bench simulate`
//! times the whole command.

use std::path::{Path, PathBuf};
use std::time::Instant;

use panto_machine::Model;
use panto_predict::{Case, CaseOptions, Prediction};
use panto_sim::observe::NoObserver;
use panto_sim::replay::{self, Options};
use panto_testkit::{irregular, stencil};
use panto_trace::{RankTrace, Trace};

const REPETITIONS: usize = 9;

/// The phases, in their order.
const PHASES: [&str; 6] = ["open", "replay", "on all cores", "bare run", "predict", "on all cores"];

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let (file, machine) = (words.next(), words.next().unwrap_or_else(|| "infiniband".to_owned()));
    let folder = tempfile::tempdir().expect("a folder for the trace");
    let path = match file.as_deref() {
        None => stencil::write(folder.path(), 32, 200),
        Some("irregular") => irregular::write(folder.path(), 1024, 1000),
        Some(file) => PathBuf::from(file),
    };
    let mut best = [f64::INFINITY; PHASES.len()];
    let mut events = 0;
    for _ in 0..REPETITIONS {
        let seconds;
        (events, seconds) = measure(&path, &machine);
        best.iter_mut().zip(seconds).for_each(|(best, now)| *best = best.min(now));
    }
    println!("{events} events on {machine}: nanoseconds per event, best of {REPETITIONS}");
    for (phase, seconds) in PHASES.iter().zip(best) {
        println!("  {phase:<14}{:>7.1}", seconds * 1e9 / events as f64);
    }
}

/// Returns the number of events and the seconds of each phase.
fn measure(path: &Path, machine: &str) -> (u64, [f64; PHASES.len()]) {
    let (open, trace) = timed(|| Trace::open(path).expect("a sound trace"));
    let events = trace.ranks().iter().map(RankTrace::events_count).sum();
    let model = Model::load(machine, &[]).expect("a machine");
    let case = Case::new(model, trace.size() as usize, &CaseOptions::default()).expect("a case");
    let (reading, replay) = timed(|| replay::program(&trace, &case.machine, &Options::default()));
    let program = replay.expect("a trace that can be simulated").program;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (apart, _) = timed(|| replay::program_on(&trace, &case.machine, &Options::default(), cores));
    let (bare, _) = timed(|| panto_sim::run(&program, &case.run_config(None), &mut NoObserver));
    let predict = |threads| timed(|| Prediction::new(&program, &case, None, threads)).0;
    (events, [open, reading, apart, bare, predict(1), predict(cores)])
}

/// Returns how many seconds some work takes, and its result.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}
