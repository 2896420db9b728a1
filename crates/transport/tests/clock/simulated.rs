//! Simulated machines: messages take exactly what the model says, so the clocks must be as good as
//! theory allows.

use std::cell::Cell;
use std::sync::Arc;

use panto_machine::{Cost, Graph, Machine, Network, Overheads, PerByte, Protocol, Switching, Topology};
use panto_transport::clock::{self, SyncEffort, max_difference, synchronise};
use panto_transport::simulated::{Endpoint, Sharing, Simulated};
use panto_transport::{Error, Result, Time, Transport, WaitPolicy, World};

use crate::skew::{Hosts, Outcome, SECOND, Skew};

pub(crate) const EFFORT: SyncEffort =
    SyncEffort { fitpoints: 8, exchanges: 4, spacing: Time::from_nanos(1_000_000) };

/// Picoseconds of an eight-byte message over one link, and including the overheads.
const LINK: u64 = 1_008_000;
pub(crate) const MESSAGE: u64 = LINK + 100_000 + 200_000;

/// A machine whose links take 1 us and 1 ns per byte.
pub(crate) fn machine(topology: Topology, protocol: Protocol) -> Machine {
    let overhead = |nanos| Cost::constant(Time::from_nanos(nanos));
    let link = Cost::line(Time::from_nanos(1_000), PerByte::from_secs(1e-9).expect("a rate"));
    let network = Network {
        overheads: Overheads { send: overhead(100), receive: overhead(200), ..Overheads::default() },
        ..Network::plain(topology, Switching::Packet, link)
    };
    Machine { protocol, ..Machine::plain("clocks", network) }
}

fn complete(ranks: usize) -> Machine {
    machine(Topology::complete(ranks as u64).expect("few"), Protocol::Buffered)
}

fn world(machine: Machine) -> Simulated {
    Simulated::new(Arc::new(machine), Sharing::None)
}

/// Synchronises, waits until `moment` and compares. `steal` is called around every clock reading.
fn run_with(
    machine: Machine,
    hosts: &Hosts,
    moment: Time,
    effort: &SyncEffort,
    steal: impl Fn(&Endpoint, u32) + Sync,
) -> Vec<Outcome> {
    let body = |t: &Endpoint| -> Result<Outcome> {
        let count = Cell::new(0);
        let disturb = || steal(t, count.replace(count.get() + 1));
        let local = || {
            disturb();
            let now = t.now();
            disturb();
            hosts.shows(t.rank(), now)
        };
        let model = synchronise(t, &hosts.clocks, &local, effort)?;
        t.wait_until(moment, WaitPolicy::Sleep)?;
        let before = t.now();
        let error = max_difference(t, &hosts.clocks, &local, &model, effort.exchanges)?;
        Ok(Outcome { model, error, compared: [before, t.now()] })
    };
    let outcomes = world(machine).run(hosts.ranks(), body).expect("a run without errors");
    hosts.check_agreement(&outcomes);
    outcomes
}

/// Synchronises and compares without stolen time.
pub(crate) fn run(machine: Machine, hosts: &Hosts, moment: Time) -> Vec<Outcome> {
    run_with(machine, hosts, moment, &EFFORT, |_, _| ())
}

/// Times are whole picoseconds, so each edge is off by one or two, and the slope by that much over
/// seven milliseconds.
pub(crate) fn rounding(after: Time) -> u64 {
    100 + after.as_picos() / 500_000_000
}

/// With equal delays in both directions the clocks agree up to rounding, and stay in agreement; the
/// error is a bound, within what one round trip permits.
#[test]
fn equal_delays_leave_only_rounding() {
    let layouts =
        [vec![0, 0, 0, 1, 1, 1, 2, 2], vec![0, 1, 2, 0, 1, 2, 0], vec![0, 1, 1, 1, 1, 2, 3, 0, 4, 5, 5]];
    let alone = [2, 3, 4, 7, 8, 13].map(|ranks| (0..ranks).collect());
    for clocks in layouts.into_iter().chain(alone) {
        let hosts = Hosts::new(&clocks);
        for seconds in [0, 1, 10] {
            let outcomes = run(complete(hosts.ranks()), &hosts, Time::from_picos(seconds * SECOND));
            let end = outcomes[0].compared[1];
            let difference = hosts.max_difference_to_rank_0(&outcomes, end);
            assert!(difference <= rounding(end), "{clocks:?} after {end}: {difference} ps");
            let error = outcomes[0].error.expect("several clocks").as_picos();
            assert!(
                error >= difference && error <= MESSAGE + difference + rounding(end),
                "{clocks:?} after {end}: {error} ps"
            );
        }
    }
}

/// A ring of one-directional links: one link there, three back.
fn one_way_ring() -> Machine {
    machine(Topology::graph("1\n2\n3\n0".parse::<Graph>().expect("a ring")), Protocol::Buffered)
}

/// Half the difference of unequal delays cannot be detected.
#[test]
fn unequal_delays_shift_the_clock_by_half_their_difference() {
    let hosts = Hosts::new(&[0, 1, 1, 1]);
    for seconds in [0, 5] {
        let outcomes = run(one_way_ring(), &hosts, Time::from_picos(seconds * SECOND));
        let end = outcomes[0].compared[1];
        // Rank 1's requests take three links and the replies one, so it takes the replies to be
        // older than they are.
        let ahead = hosts.ahead(&outcomes, 1, end);
        assert!(ahead.abs_diff(LINK as i64) <= rounding(end), "after {end}: {ahead} ps");
        let error = outcomes[0].error.expect("two clocks").as_picos();
        assert!(error >= ahead.unsigned_abs() && error <= 2 * LINK + 300_000 + rounding(end), "{error} ps");
        assert!(outcomes[1].model.half_width().as_picos() >= ahead.unsigned_abs());
        assert!(outcomes[1].model.residual().as_picos() < 10);
    }
}

/// Hundreds of microseconds of random steal time on every side of every message.
#[test]
fn steal_time_does_not_affect_the_clocks() {
    let steal = |t: &Endpoint, count: u32| {
        let dice = (count + 1_000_003 * t.rank() as u32).wrapping_mul(2_654_435_769);
        if dice >> 30 == 0 {
            t.compute(Time::from_nanos(u64::from(dice >> 12)));
        }
    };
    let effort = SyncEffort { exchanges: 20, ..EFFORT };
    for ranks in [2, 3, 8, 13] {
        let hosts = Hosts::alone(ranks);
        let outcomes = run_with(complete(ranks), &hosts, Time::from_picos(SECOND), &effort, steal);
        for truth in outcomes[0].compared {
            let difference = hosts.max_difference_to_rank_0(&outcomes, truth);
            assert!(difference <= 10 * rounding(truth), "{ranks} ranks: {difference} ps");
        }
        let error = outcomes[0].error.expect("several clocks").as_picos();
        assert!(error >= hosts.max_difference_to_rank_0(&outcomes, outcomes[0].compared[1]));
    }
}

/// A clock that changes its rate after synchronisation is detected by the comparison.
#[test]
fn drifting_clocks_are_detected() {
    let change = Time::from_picos(SECOND);
    for (rank, ppb) in [(1, -40_000), (1, 40_000), (2, -40_000), (2, 40_000)] {
        let mut hosts = Hosts::alone(3);
        hosts.skews[rank].change = Some((change, hosts.skews[rank].ppb + ppb));
        let quiet = run(complete(3), &hosts, Time::from_picos(SECOND / 2));
        assert!(quiet[0].error.expect("three clocks").as_picos() <= MESSAGE + rounding(change));
        let outcomes = run(complete(3), &hosts, Time::from_picos(11 * SECOND));
        let ahead = hosts.ahead(&outcomes, rank, outcomes[0].compared[1]);
        assert!((ahead > 0) == (ppb > 0), "a fast clock is ahead: {ahead} ps");
        let difference = ahead.unsigned_abs();
        assert!(difference >= 399_000_000, "ten seconds at 40 millionths are 400 us: {difference} ps");
        let error = outcomes[0].error.expect("three clocks").as_picos();
        assert!(
            error >= difference && error <= difference + MESSAGE + rounding(change),
            "{error} ps for {difference}"
        );
    }
}

/// Edges of one level of the tree run at the same time.
#[test]
fn the_time_grows_with_the_logarithm_of_the_hosts() {
    let time = |hosts: usize| {
        let body = |t: &Endpoint| {
            let clocks: Vec<_> = (0..t.size()).collect();
            synchronise(t, &clocks, &|| t.now(), &EFFORT)?;
            Ok::<_, Error>(t.now().as_picos())
        };
        world(complete(hosts))
            .run(hosts, body)
            .expect("a run without errors")
            .into_iter()
            .max()
            .expect("some ranks")
    };
    let edge = time(2);
    for hosts in [3_usize, 4, 5, 8, 13, 16, 64, 100] {
        let rounds = u64::from(hosts.next_power_of_two().ilog2());
        assert!(time(hosts) <= rounds * (edge + MESSAGE), "{hosts} hosts");
    }
}

/// With one clock there are no messages.
#[test]
fn one_clock_needs_no_messages() {
    let hosts = Hosts { clocks: vec![0; 5], skews: vec![Skew::new(7, 9)] };
    let outcomes = run(complete(5), &hosts, Time::ZERO);
    assert!(outcomes.iter().all(|outcome| outcome.compared == [Time::ZERO; 2] && outcome.error.is_none()));
}

#[test]
fn invalid_clock_numbers_are_rejected() {
    for (clocks, word) in
        [(vec![0, 1, 1], "3 ranks"), (vec![0, 2], "clock 1"), (vec![1, 0], "clock 0"), (vec![], "0 ranks")]
    {
        let outcome = world(complete(2)).run(2, |t| {
            let local = || t.now();
            let refused = synchronise(t, &clocks, &local, &EFFORT).expect_err("rejected");
            assert_eq!(
                max_difference(t, &clocks, &local, &clock::LinearModel::default(), 1),
                Err(refused.clone())
            );
            Ok::<_, Error>(refused.to_string())
        });
        for text in outcome.expect("all ranks reject them") {
            assert!(text.contains(word), "{text}");
        }
    }
}
