//! Where both executors can run a program, they give the same.

use std::collections::HashSet;
use std::mem::discriminant;

use panto_sim::observe::{Cause, Unseen};
use panto_sim::program::{Act, Program};
use panto_sim::{Model, Noise, Pace, Setting, ahead, ordered};
use panto_units::Time;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::log::{Log, run};
use crate::programs::settings;
use crate::random::{RANKS, all_machines, programs};

/// Every third computation of a rank is disturbed, by its number and beginning.
#[derive(Debug)]
struct Hiccups;

impl Noise for Hiccups {
    fn delay(&self, rank: u32, number: u64, at: Time, time: Time) -> Time {
        let disturbed = (number + u64::from(rank)).is_multiple_of(3);
        Time::from_picos(if disturbed { 1 + (at.as_picos() + time.as_picos()) % 7 } else { 0 })
    }
}

/// What is wrong with it can be anything; both say the same.
fn broken() -> impl Strategy<Value = Program> {
    let places = prop::collection::vec((any::<Index>(), any::<Index>()), 1..4);
    (programs(), places).prop_map(|(mut program, places)| {
        for (code, place) in places {
            let ops = &mut code.get_mut(&mut program.codes).ops;
            let op = place.get_mut(ops);
            if !matches!(op.act(), Act::Repeat { .. } | Act::End) {
                *op = Act::Copy { bytes: 0 }.into();
            }
        }
        program
    })
}

/// All that can be in a program is in the random ones, and all that can be seen is seen: else the comparison would be worth little.
#[test]
fn nothing_is_left_out() {
    let mut runner = TestRunner::deterministic();
    let (mut acts, mut seen) = (HashSet::new(), HashSet::new());
    let (mut receivers, mut helpers) = (0, 0);
    for _ in 0..200 {
        let program = programs().new_tree(&mut runner).unwrap().current();
        let machine = all_machines().new_tree(&mut runner).unwrap().current();
        let ops = program.codes.iter().flat_map(|code| &code.ops);
        acts.extend(ops.map(|op| discriminant(&op.act())));
        let (ends, log) = run(&machine, Model::Fast, &program);
        assert!(ends.is_ok(), "{ends:?}");
        for (rank, entries) in log.0.iter().enumerate() {
            seen.extend(entries.iter().map(discriminant));
            helpers += usize::from(rank >= RANKS as usize && !entries.is_empty());
            let sends = |cause: Cause| cause.rank as usize != rank && cause.at > Time::ZERO;
            receivers += log.waits(rank).iter().filter(|(.., cause)| sends(*cause)).count();
        }
    }
    // All but the two for wild cards.
    assert_eq!((acts.len(), seen.len()), (18, 4));
    assert!(receivers > 1_000 && helpers > 100, "{receivers} {helpers}");
}

proptest! {
    #![proptest_config(settings(1_500))]

    #[test]
    fn as_ahead(
        machine in all_machines(),
        program in programs(),
        speeds in prop::collection::vec(prop::sample::select(vec![0.5, 1.0, 3.0]), RANKS as usize),
        noisy in any::<bool>(),
    ) {
        let paces: Vec<Pace> = speeds.into_iter().map(|speed| Pace::faster(speed).unwrap()).collect();
        let noise = noisy.then_some(&Hiccups as &dyn Noise);
        let setting = Setting { machine: &machine, model: Model::Fast, paces: &paces, noise };
        let (mut here, mut there) = (Log::default(), Log::default());
        let ends = ordered::run(&program, &setting, &mut here);
        prop_assert!(ends.is_ok(), "{:?}", ends);
        prop_assert_eq!(&ends, &ahead::run(&program, &setting, &mut there));
        prop_assert_eq!(here, there);
        prop_assert_eq!(ordered::run(&program, &setting, &mut Unseen), ends);
    }

    #[test]
    fn as_ahead_where_it_has_no_end(machine in all_machines(), program in broken()) {
        let setting = Setting { machine: &machine, model: Model::Fast, paces: &[], noise: None };
        let (mut here, mut there) = (Log::default(), Log::default());
        let ends = ordered::run(&program, &setting, &mut here);
        prop_assert_eq!(&ends, &ahead::run(&program, &setting, &mut there));
        prop_assert_eq!(here, there);
    }
}
