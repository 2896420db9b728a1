//! The interrupt-driven engine matches the same messages as the others, whatever its times.

use panto_machine::Machine;
use panto_sim::observe::NoObserver;
use panto_sim::program::Program;
use panto_sim::{RunConfig, RunError, Sharing, ahead, interrupts};
use panto_units::Time;
use proptest::prelude::*;

use crate::log::{Entry, Log};
use crate::ordered::against_ahead::broken_programs;
use crate::programs::settings;
use crate::random::{all_machines, programs};

fn config(machine: &Machine, sharing: Sharing) -> RunConfig<'_> {
    RunConfig { machine, sharing, compute_scales: &[], noise: None }
}

fn observed(machine: &Machine, program: &Program) -> (Result<Vec<Time>, RunError>, Log) {
    let mut log = Log::default();
    let ends = interrupts::run(program, &config(machine, Sharing::Endpoints), &mut log);
    (ends, log)
}

proptest! {
    #![proptest_config(settings(2_000))]

    /// All ranks end, and each receives the messages that it receives on the run-ahead engine.
    #[test]
    fn the_same_messages_are_received(machine in all_machines(), program in programs()) {
        let (ends, log) = observed(&machine, &program);
        prop_assert!(ends.is_ok(), "{ends:?}");
        let mut expected = Log::default();
        ahead::run(&program, &config(&machine, Sharing::None), &mut expected).unwrap();
        for rank in 0..program.codes.len() {
            let names = |log: &Log| {
                let mut all: Vec<(u32, u64)> = log.received(rank).iter().map(|m| (m.channel, m.bytes)).collect();
                all.sort_unstable();
                all
            };
            prop_assert_eq!(names(&log), names(&expected), "rank {}", rank);
        }
        prop_assert_eq!(interrupts::run(&program, &config(&machine, Sharing::Endpoints), &mut NoObserver), ends);
    }

    /// What is reported of a rank fills its time from the start to its end, without gaps.
    #[test]
    fn every_interval_is_reported(machine in all_machines(), program in programs()) {
        let (ends, log) = observed(&machine, &program);
        for (rank, end) in ends.unwrap().into_iter().enumerate() {
            let mut clock = Time::ZERO;
            for entry in log.0.get(rank).into_iter().flatten() {
                if let &Entry::Worked(_, from, to) | &Entry::Waited(from, to, _) = entry {
                    prop_assert_eq!(from, clock, "rank {}", rank);
                    clock = to;
                }
            }
            prop_assert_eq!(clock, end, "rank {}", rank);
        }
    }

    /// A program that deadlocks does so on both engines, with the same ranks for the same reason.
    #[test]
    fn deadlocks_are_the_same(machine in all_machines(), program in broken_programs()) {
        let blocked = |ends: Result<Vec<Time>, RunError>| match ends {
            Err(RunError::Deadlock(deadlock)) => Some(deadlock),
            _ => None,
        };
        let expected = ahead::run(&program, &config(&machine, Sharing::None), &mut NoObserver);
        prop_assert_eq!(blocked(observed(&machine, &program).0), blocked(expected));
    }
}
