//! Threads make no difference.

use panto_sim::observe::Unseen;
use panto_sim::program::Program;
use panto_sim::{Halted, Pace, Setting, ahead};
use panto_units::Time;
use proptest::prelude::*;

use crate::log::Log;
use crate::patterns::{Form, Pattern, program};
use crate::random::{all_machines, programs};
use crate::{costly, setting};

/// Ends, and what was seen, on so many threads.
fn seen(program: &Program, setting: &Setting<'_>, threads: usize) -> (Result<Vec<Time>, Halted>, Log) {
    let mut logs = vec![Log::default(); threads];
    let ends = ahead::run_on(program, setting, &mut logs);
    let mut all = Log(vec![Vec::new(); program.codes.len()]);
    for log in logs {
        for (rank, entries) in log.0.into_iter().enumerate().filter(|(_, entries)| !entries.is_empty()) {
            assert!(all.0[rank].is_empty(), "a rank is seen by one observer");
            all.0[rank] = entries;
        }
    }
    (ends, all)
}

fn assert_same(program: &Program, setting: &Setting<'_>) -> Result<Vec<Time>, Halted> {
    let mut log = Log(vec![Vec::new(); program.codes.len()]);
    let ends = ahead::run(program, setting, &mut log);
    assert_eq!(ahead::run(program, setting, &mut Unseen), ends);
    for threads in [1, 2, 3, 5] {
        let (others, other_log) = seen(program, setting, threads);
        assert_eq!(others, ends, "{threads} threads");
        assert!(other_log == log, "{threads} threads see something else");
    }
    ends
}

#[test]
fn of_patterns() {
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
        let ends = assert_same(&program(pattern, 64, 20, 100, Form::Looped).0, &setting(&machine));
        assert!(ends.is_ok(), "{}", pattern.name());
    }
}

/// So many that channels and operations lie in another order. 8,320 is no multiple of what lies together, for three or five threads.
#[test]
fn of_many_ranks() {
    let machine = costly(8_320);
    let (program, _) = program(Pattern::Ring, 8_320, 9, 100, Form::Flat);
    let ends = ahead::run(&program, &setting(&machine), &mut Unseen);
    assert!(ends.is_ok());
    for threads in [2, 3, 5] {
        assert_eq!(ahead::run_on(&program, &setting(&machine), &mut vec![Unseen; threads]), ends);
    }
}

#[test]
fn more_of_them_than_ranks_or_none() {
    let machine = costly(2);
    let program = program(Pattern::Ring, 2, 300, 100, Form::Flat).0;
    let alone = ahead::run(&program, &setting(&machine), &mut Unseen);
    assert!(alone.is_ok());
    assert_eq!(ahead::run_on(&program, &setting(&machine), &mut [Unseen; 7]), alone);
    assert_eq!(ahead::run_on::<Unseen>(&program, &setting(&machine), &mut []), alone);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn of_random_programs(machine in all_machines(), program in programs()) {
        let paces = [Pace::faster(3.0).unwrap()];
        let setting = Setting { paces: &paces, ..setting(&machine) };
        prop_assert!(assert_same(&program, &setting).is_ok());
    }
}
