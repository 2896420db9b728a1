//! A prediction is the same whatever the number of threads, and its parts add up.
#![allow(missing_docs, reason = "a test")]

use panto_machine::Model;
use panto_predict::{Case, CaseOptions, Prediction};
use panto_sim::observe::NoObserver;
use panto_sim::replay::{self, Options};
use panto_testkit::stencil;
use panto_trace::Trace;
use panto_units::Time;

/// Enough ranks and rounds that three threads are used.
const SIDE: u32 = 10;
const ROUNDS: u64 = 100;

#[test]
fn all_numbers_of_threads_give_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = Trace::open(&stencil::write(folder.path(), SIDE, ROUNDS)).expect("a trace");
    let model = Model::load("infiniband", &[]).expect("a machine");
    let case = Case::new(model, 100, &CaseOptions::default()).expect("a case");
    let program = replay::program(&trace, &case.machine, &Options::default()).expect("a program").program;
    assert!(program.operations() > 200_000, "{}", program.operations());
    let observed = Prediction::observed(&program, &case, None, &mut NoObserver).expect("a prediction");
    assert!(observed.path.as_ref().is_some_and(|path| path.hops > 10));
    for threads in 1..4 {
        let apart = replay::program_on(&trace, &case.machine, &Options::default(), threads);
        let program = apart.expect("a program").program;
        let prediction = Prediction::new(&program, &case, None, threads).expect("a prediction");
        assert_eq!(prediction.ends, observed.ends, "{threads} threads");
        assert_eq!(prediction.path, observed.path, "{threads} threads");
        assert_eq!(prediction.totals.ranks(), observed.totals.ranks(), "{threads} threads");
        assert_eq!(prediction.totals.calls(), observed.totals.calls(), "{threads} threads");
        assert_eq!(prediction.totals.waits(), observed.totals.waits(), "{threads} threads");
    }
}

/// Work and network on the critical path take as long as the whole run.
#[test]
fn the_critical_path_adds_up_to_the_makespan() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = Trace::open(&stencil::write(folder.path(), 3, 20)).expect("a trace");
    for machine in ["infiniband", "ethernet10", "ipsc860", "loggops"] {
        let model = Model::load(machine, &[]).expect("a machine");
        let case = Case::new(model, 9, &CaseOptions::default()).expect("a case");
        let replay = replay::program(&trace, &case.machine, &Options::default()).expect("a program");
        let prediction = Prediction::new(&replay.program, &case, None, 1).expect("a prediction");
        let path = prediction.path.as_ref().expect("a path");
        let sum = |sum: Time, time: Time| sum.saturating_add(time);
        let all = path.shares.iter().map(|share| share.time).fold(path.network, sum);
        assert_eq!(all, prediction.time(), "{machine}");
    }
}
