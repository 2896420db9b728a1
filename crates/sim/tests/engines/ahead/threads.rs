//! The number of threads makes no difference.

use panto_sim::observe::NoObserver;
use panto_sim::program::Program;
use panto_sim::{ComputeScale, RunConfig, RunError, Sharing, ahead};
use panto_units::Time;
use proptest::prelude::*;

use super::{config, costly};
use crate::log::Log;
use crate::random::{all_machines, programs};
use panto_testkit::patterns::{Form, Pattern, program};

/// Returns the ends and what was observed, on `threads` threads.
fn run_observed(
    program: &Program,
    config: &RunConfig<'_>,
    threads: usize,
) -> (Result<Vec<Time>, RunError>, Log) {
    let mut logs = vec![Log::default(); threads];
    let ends = ahead::run_on(program, config, &mut logs);
    let mut all = Log(vec![Vec::new(); program.codes.len()]);
    for log in logs {
        for (rank, entries) in log.0.into_iter().enumerate().filter(|(_, entries)| !entries.is_empty()) {
            assert!(all.0[rank].is_empty(), "a rank is seen by one observer");
            all.0[rank] = entries;
        }
    }
    (ends, all)
}

fn assert_same(program: &Program, config: &RunConfig<'_>) -> Result<Vec<Time>, RunError> {
    let mut log = Log(vec![Vec::new(); program.codes.len()]);
    let ends = ahead::run(program, config, &mut log);
    assert_eq!(ahead::run(program, config, &mut NoObserver), ends);
    for threads in [1, 2, 3, 5] {
        let (others, other_log) = run_observed(program, config, threads);
        assert_eq!(others, ends, "{threads} threads");
        assert!(other_log == log, "{threads} threads see something else");
    }
    ends
}

#[test]
fn patterns_give_the_same_on_any_number_of_threads() {
    let machine = costly(64);
    for pattern in [
        Pattern::Ring,
        Pattern::Halo2,
        Pattern::Wavefront,
        Pattern::Broadcast,
        Pattern::Dissemination,
        Pattern::Alltoall,
        Pattern::Application,
    ] {
        let (program, _) = program(pattern, 64, 20, 100, Form::Looped);
        for sharing in [Sharing::None, Sharing::Endpoints] {
            let ends = assert_same(&program, &RunConfig { sharing, ..config(&machine) });
            assert!(ends.is_ok(), "{}, sharing {sharing}", pattern.name());
        }
    }
}

/// With many ranks, channels and operations are interleaved. 8,320 is no multiple of a group, for
/// three or five threads.
#[test]
fn interleaved_layouts_give_the_same_on_any_number_of_threads() {
    let machine = costly(8_320);
    let (program, _) = program(Pattern::Ring, 8_320, 9, 100, Form::Flat);
    let ends = ahead::run(&program, &config(&machine), &mut NoObserver);
    assert!(ends.is_ok());
    for threads in [2, 3, 5] {
        assert_eq!(ahead::run_on(&program, &config(&machine), &mut vec![NoObserver; threads]), ends);
    }
}

#[test]
fn more_threads_than_ranks_or_none() {
    let machine = costly(2);
    let program = program(Pattern::Ring, 2, 300, 100, Form::Flat).0;
    let alone = ahead::run(&program, &config(&machine), &mut NoObserver);
    assert!(alone.is_ok());
    assert_eq!(ahead::run_on(&program, &config(&machine), &mut [NoObserver; 7]), alone);
    assert_eq!(ahead::run_on::<NoObserver>(&program, &config(&machine), &mut []), alone);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn random_programs_give_the_same_on_any_number_of_threads(
        machine in all_machines(),
        program in programs(),
        sharing in prop::sample::select(vec![Sharing::None, Sharing::Endpoints]),
    ) {
        let scales = [ComputeScale::from_speed(3.0).unwrap()];
        let config = RunConfig { compute_scales: &scales, sharing, ..config(&machine) };
        prop_assert!(assert_same(&program, &config).is_ok());
    }
}
