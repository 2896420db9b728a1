//! Properties of synchronisation for any hosts, offsets and drifts.

use panto_machine::{Protocol, Topology};
use panto_transport::Time;
use proptest::prelude::*;

use crate::simulated::{MESSAGE, machine, rounding, run};
use crate::skew::{DAY, Hosts, SECOND, Skew};

/// Ranks on up to `most` hosts in any order; clocks are numbered in the order of appearance.
fn layouts(most: usize) -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..most, 1..14).prop_map(|hosts| {
        let mut seen = Vec::new();
        let number = |host| {
            seen.iter().position(|&known| known == host).unwrap_or_else(|| {
                seen.push(host);
                seen.len() - 1
            })
        };
        hosts.into_iter().map(number).collect()
    })
}

fn skews() -> impl Strategy<Value = Skew> {
    let start = prop_oneof![0..DAY, 0..1_000_u64, 200 * DAY..210 * DAY];
    (start, -100_000..100_000_i64).prop_map(|(start, ppb)| Skew::new(start, ppb))
}

fn protocols() -> impl Strategy<Value = Protocol> {
    prop_oneof![Just(Protocol::Buffered), Just(Protocol::Synchronous), Just(Protocol::Eager { limit: 4096 })]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn global_clocks_agree_and_the_error_bounds_what_is_left(
        clocks in layouts(13),
        skews in proptest::collection::vec(skews(), 13),
        protocol in protocols(),
        moment in 0..20 * SECOND,
    ) {
        let count = clocks.iter().max().map_or(0, |last| last + 1);
        let hosts = Hosts { clocks, skews: skews[..count].to_vec() };
        let topology = Topology::complete(hosts.ranks() as u64).expect("few");
        let outcomes = run(machine(topology, protocol), &hosts, Time::from_picos(moment));
        let end = outcomes[0].compared[1];
        let difference = hosts.max_difference_to_rank_0(&outcomes, end);
        prop_assert!(difference <= rounding(end), "{} ps after {}", difference, end);
        if let Some(error) = outcomes[0].error {
            prop_assert!(error.as_picos() >= difference);
            prop_assert!(error.as_picos() <= MESSAGE + difference + rounding(end));
        }
    }
}
