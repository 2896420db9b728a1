//! The time-ordered engine equals the run-ahead engine on programs that both can run.

use std::collections::HashSet;
use std::mem::discriminant;

use panto_sim::observe::{Cause, NoObserver};
use panto_sim::program::{Op, Program};
use panto_sim::{ComputeScale, Noise, RunConfig, Sharing, ahead, ordered};
use panto_units::Time;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::log::{Log, run};
use crate::programs::settings;
use crate::random::{RANKS, all_machines, programs};

/// Noise that delays every third computation of a rank by 1 to 7 ps.
#[derive(Debug)]
struct PeriodicDelays;

impl Noise for PeriodicDelays {
    fn delay(&self, rank: u32, number: u64, at: Time, time: Time) -> Time {
        let disturbed = (number + u64::from(rank)).is_multiple_of(3);
        Time::from_picos(if disturbed { 1 + (at.as_picos() + time.as_picos()) % 7 } else { 0 })
    }
}

/// Generates programs with some operations removed, which may end in a deadlock.
pub fn broken_programs() -> impl Strategy<Value = Program> {
    let removals = prop::collection::vec((any::<Index>(), any::<Index>()), 1..4);
    (programs(), removals).prop_map(|(mut program, removals)| {
        for (code, index) in removals {
            let ops = &mut code.get_mut(&mut program.codes).ops;
            let op = index.get_mut(ops);
            if !matches!(op.unpack(), Op::Repeat { .. } | Op::End) {
                *op = Op::Copy { bytes: 0 }.into();
            }
        }
        program
    })
}

/// The comparison covers every operation but wildcards, every kind of observed event, waits for
/// other ranks, and helpers.
#[test]
fn random_programs_cover_all_operations_and_events() {
    let mut runner = TestRunner::deterministic();
    let (mut ops_covered, mut entries_covered) = (HashSet::new(), HashSet::new());
    let (mut remote_waits, mut helpers) = (0, 0);
    for _ in 0..200 {
        let program = programs().new_tree(&mut runner).unwrap().current();
        let machine = all_machines().new_tree(&mut runner).unwrap().current();
        let ops = program.codes.iter().flat_map(|code| &code.ops);
        ops_covered.extend(ops.map(|op| discriminant(&op.unpack())));
        let (ends, log) = run(&machine, Sharing::None, &program);
        assert!(ends.is_ok(), "{ends:?}");
        for (rank, entries) in log.0.iter().enumerate() {
            entries_covered.extend(entries.iter().map(discriminant));
            helpers += usize::from(rank >= RANKS as usize && !entries.is_empty());
            let is_remote = |cause: Cause| cause.rank as usize != rank && cause.at > Time::ZERO;
            remote_waits += log.waits(rank).iter().filter(|(.., cause)| is_remote(*cause)).count();
        }
    }
    // All operations but the two with wildcards.
    assert_eq!((ops_covered.len(), entries_covered.len()), (18, 4));
    assert!(remote_waits > 1_000 && helpers > 100, "{remote_waits} {helpers}");
}

proptest! {
    #![proptest_config(settings(1_500))]

    #[test]
    fn equals_run_ahead(
        machine in all_machines(),
        program in programs(),
        speeds in prop::collection::vec(prop::sample::select(vec![0.5, 1.0, 3.0]), RANKS as usize),
        noisy in any::<bool>(),
    ) {
        let scales: Vec<ComputeScale> =
            speeds.into_iter().map(|speed| ComputeScale::from_speed(speed).unwrap()).collect();
        let noise = noisy.then_some(&PeriodicDelays as &dyn Noise);
        let sharing = Sharing::None;
        let config = RunConfig { machine: &machine, sharing, compute_scales: &scales, noise };
        let (mut ordered_log, mut ahead_log) = (Log::default(), Log::default());
        let ends = ordered::run(&program, &config, &mut ordered_log);
        prop_assert!(ends.is_ok(), "{:?}", ends);
        prop_assert_eq!(&ends, &ahead::run(&program, &config, &mut ahead_log));
        prop_assert_eq!(ordered_log, ahead_log);
        prop_assert_eq!(ordered::run(&program, &config, &mut NoObserver), ends);
    }

    #[test]
    fn equals_run_ahead_on_broken_programs(machine in all_machines(), program in broken_programs()) {
        let sharing = Sharing::None;
        let config = RunConfig { machine: &machine, sharing, compute_scales: &[], noise: None };
        let (mut ordered_log, mut ahead_log) = (Log::default(), Log::default());
        let ends = ordered::run(&program, &config, &mut ordered_log);
        prop_assert_eq!(&ends, &ahead::run(&program, &config, &mut ahead_log));
        prop_assert_eq!(ordered_log, ahead_log);
    }
}
