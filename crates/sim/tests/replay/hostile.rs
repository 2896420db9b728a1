//! Invalid traces give an error, or a program that both engines run to its end or to a deadlock,
//! and never a panic.

use panto_sim::observe::NoObserver;
use panto_sim::replay::{self, Options, Wildcards};
use panto_sim::{RunConfig, Sharing, ahead, ordered};
use panto_trace::{Action, Kind};
use proptest::prelude::*;

use crate::support::{Writer, plain, with_trace};

/// Numbers with a meaning in some field, and others.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => -4_i64..6,
        1 => prop_oneof![Just(1_i64 << 40), Just((1 << 40) + 1), Just((1 << 40) + 2)],
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(i64::from(u32::MAX)), Just(1_i64 << 33)],
    ]
}

type Call = (usize, u8, Vec<i64>, Vec<i64>);

fn call() -> impl Strategy<Value = Call> {
    let numbers = |count| prop::collection::vec(number(), count);
    (0..Kind::ALL.len(), 0_u8..8, numbers(8), numbers(24))
}

const NAMES: [&str; 8] = [
    "MPI_Send",
    "MPI_Gatherv",
    "MPI_Alltoallv",
    "MPI_Win_fence",
    "MPI_Put",
    "MPI_Comm_create_group",
    "MPI_Pready",
    "MPI_Win_lock",
];

fn write(w: &mut Writer, calls: &[Call]) {
    for (kind, name, constants, values) in calls {
        let kind = Kind::ALL[*kind];
        let mut parts: Vec<i64> = values[..kind.varying()].to_vec();
        let mut rest = &values[kind.varying()..];
        for _ in 0..kind.lists() {
            let length = (rest[0].rem_euclid(4)) as usize;
            parts.push(length as i64);
            parts.extend(&rest[1..=length]);
            rest = &rest[length + 1..];
        }
        let constants = constants.clone().try_into().expect("eight");
        if let Some(action) = Action::join(kind, &constants, &parts) {
            w.call(NAMES[*name as usize], &action);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn nothing_panics(
        common in prop::collection::vec(call(), 0..12),
        own in prop::collection::vec(prop::collection::vec(call(), 0..4), 2),
        lenient: bool,
        rematch: bool,
    ) {
        let streams: Vec<Vec<u8>> = (0..2).map(|rank| {
            let mut w = Writer::new(rank, 2);
            write(&mut w, &common);
            write(&mut w, &own[rank as usize]);
            w.finish()
        }).collect();
        let wildcards = if rematch { Wildcards::Rematch } else { Wildcards::Recorded };
        let machine = plain(2);
        with_trace(&streams, |trace| {
            match replay::program(trace, &machine, &Options { wildcards, lenient, call_sites: true }) {
                Err(error) => assert!(!error.to_string().is_empty()),
                Ok(replay) => {
                    let config = RunConfig { machine: &machine, sharing: Sharing::None, compute_scales: &[], noise: None };
                    let ordered = ordered::run(&replay.program, &config, &mut NoObserver);
                    if !replay.program.has_wildcards() {
                        let ahead = ahead::run(&replay.program, &config, &mut NoObserver);
                        assert_eq!(ahead.is_ok(), ordered.is_ok());
                    }
                }
            }
        });
    }
}
