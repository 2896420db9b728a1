//! Simulated machines: messages take exactly what the model says, so the clocks must be as good as theory allows.

use std::cell::Cell;
use std::sync::Arc;

use panto_machine::{Cost, Graph, Machine, Network, Overheads, PerByte, Protocol, Switching, Topology};
use panto_transport::clock::{self, Effort, error, synchronise};
use panto_transport::simulated::{Endpoint, Model, Simulated};
use panto_transport::{Error, Patience, Result, Time, Transport, World};

use crate::skew::{Hosts, Outcome, SECOND, Skew};

pub(crate) const EFFORT: Effort = Effort { fitpoints: 8, exchanges: 4, spacing: Time::from_nanos(1_000_000) };

/// A message of eight bytes over one link, and with what the two processors pay.
const LINK: u64 = 1_008_000;
pub(crate) const WAY: u64 = LINK + 100_000 + 200_000;

/// A microsecond and a nanosecond a byte over each link.
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
    Simulated::new(Arc::new(machine), Model::Fast)
}

/// Synchronises, waits for a moment and compares. `steal` is called around every reading of a clock.
fn run_with(
    machine: Machine,
    hosts: &Hosts,
    moment: Time,
    effort: &Effort,
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
        t.wait_until(moment, Patience::Sleep)?;
        let before = t.now();
        let error = error(t, &hosts.clocks, &local, &model, effort.exchanges)?;
        Ok(Outcome { model, error, compared: [before, t.now()] })
    };
    let outcomes = world(machine).run(hosts.ranks(), body).expect("it runs");
    hosts.check_agreement(&outcomes);
    outcomes
}

/// As above, and nobody takes any time away.
pub(crate) fn run(machine: Machine, hosts: &Hosts, moment: Time) -> Vec<Outcome> {
    run_with(machine, hosts, moment, &EFFORT, |_, _| ())
}

/// Moments are whole picoseconds, so each edge has a picosecond or two, and the slope that much over seven milliseconds.
pub(crate) fn rounding(after: Time) -> u64 {
    100 + after.as_picos() / 500_000_000
}

/// Equal ways there and back: the clocks agree but for rounding, and go on agreeing; and the error is a bound, by what
/// one round trip allows.
#[test]
fn equal_ways_leave_nothing_but_rounding() {
    let layouts =
        [vec![0, 0, 0, 1, 1, 1, 2, 2], vec![0, 1, 2, 0, 1, 2, 0], vec![0, 1, 1, 1, 1, 2, 3, 0, 4, 5, 5]];
    let alone = [2, 3, 4, 7, 8, 13].map(|ranks| (0..ranks).collect());
    for clocks in layouts.into_iter().chain(alone) {
        let hosts = Hosts::new(&clocks);
        for seconds in [0, 1, 10] {
            let outcomes = run(complete(hosts.ranks()), &hosts, Time::from_picos(seconds * SECOND));
            let end = outcomes[0].compared[1];
            let apart = hosts.apart(&outcomes, end);
            assert!(apart <= rounding(end), "{clocks:?} after {end}: {apart} ps");
            let error = outcomes[0].error.expect("several clocks").as_picos();
            assert!(
                error >= apart && error <= WAY + apart + rounding(end),
                "{clocks:?} after {end}: {error} ps"
            );
        }
    }
}

/// A ring whose links lead one way: there one link, back three.
fn one_way_ring() -> Machine {
    machine(Topology::graph("1\n2\n3\n0".parse::<Graph>().expect("a ring")), Protocol::Buffered)
}

/// What cannot be known: half the difference of the two ways.
#[test]
fn unequal_ways_shift_the_clock_by_half_their_difference() {
    let hosts = Hosts::new(&[0, 1, 1, 1]);
    for seconds in [0, 5] {
        let outcomes = run(one_way_ring(), &hosts, Time::from_picos(seconds * SECOND));
        let end = outcomes[0].compared[1];
        // Rank 1's questions take three links, its answers one: it takes the answers to be older than they are.
        let ahead = hosts.ahead(&outcomes, 1, end);
        assert!(ahead.abs_diff(LINK as i64) <= rounding(end), "after {end}: {ahead} ps");
        let error = outcomes[0].error.expect("two clocks").as_picos();
        assert!(error >= ahead.unsigned_abs() && error <= 2 * LINK + 300_000 + rounding(end), "{error} ps");
        assert!(outcomes[1].model.half_width().as_picos() >= ahead.unsigned_abs());
        assert!(outcomes[1].model.residual().as_picos() < 10);
    }
}

/// Hundreds of microseconds that somebody else has the processor, at random, on every side of every message.
#[test]
fn stolen_time_does_no_harm() {
    let steal = |t: &Endpoint, count: u32| {
        let dice = (count + 1_000_003 * t.rank() as u32).wrapping_mul(2_654_435_769);
        if dice >> 30 == 0 {
            t.compute(Time::from_nanos(u64::from(dice >> 12)));
        }
    };
    let effort = Effort { exchanges: 20, ..EFFORT };
    for ranks in [2, 3, 8, 13] {
        let hosts = Hosts::alone(ranks);
        let outcomes = run_with(complete(ranks), &hosts, Time::from_picos(SECOND), &effort, steal);
        for truth in outcomes[0].compared {
            let apart = hosts.apart(&outcomes, truth);
            assert!(apart <= 10 * rounding(truth), "{ranks} ranks: {apart} ps");
        }
        let error = outcomes[0].error.expect("several clocks").as_picos();
        assert!(error >= hosts.apart(&outcomes, outcomes[0].compared[1]));
    }
}

/// A clock changes its pace after all agreed: that is noticed when they are compared, whichever it is.
#[test]
fn clocks_that_drift_away_are_noticed() {
    let change = Time::from_picos(SECOND);
    for (rank, ppb) in [(1, -40_000), (1, 40_000), (2, -40_000), (2, 40_000)] {
        let mut hosts = Hosts::alone(3);
        hosts.skews[rank].change = Some((change, hosts.skews[rank].ppb + ppb));
        let quiet = run(complete(3), &hosts, Time::from_picos(SECOND / 2));
        assert!(quiet[0].error.expect("three clocks").as_picos() <= WAY + rounding(change));
        let outcomes = run(complete(3), &hosts, Time::from_picos(11 * SECOND));
        let ahead = hosts.ahead(&outcomes, rank, outcomes[0].compared[1]);
        assert!((ahead > 0) == (ppb > 0), "a fast clock is ahead: {ahead} ps");
        let apart = ahead.unsigned_abs();
        assert!(apart >= 399_000_000, "ten seconds at 40 millionths are 400 us: {apart} ps");
        let error = outcomes[0].error.expect("three clocks").as_picos();
        assert!(error >= apart && error <= apart + WAY + rounding(change), "{error} ps for {apart}");
    }
}

/// One edge takes so long, and all edges of one level are gone through at once.
#[test]
fn the_time_grows_with_the_logarithm_of_the_hosts() {
    let time = |hosts: usize| {
        let body = |t: &Endpoint| {
            let clocks: Vec<_> = (0..t.size()).collect();
            synchronise(t, &clocks, &|| t.now(), &EFFORT)?;
            Ok::<_, Error>(t.now().as_picos())
        };
        world(complete(hosts)).run(hosts, body).expect("it runs").into_iter().max().expect("some ranks")
    };
    let edge = time(2);
    for hosts in [3_usize, 4, 5, 8, 13, 16, 64, 100] {
        let rounds = u64::from(hosts.next_power_of_two().ilog2());
        assert!(time(hosts) <= rounds * (edge + WAY), "{hosts} hosts");
    }
}

/// One clock: no messages.
#[test]
fn one_clock_costs_nothing() {
    let hosts = Hosts { clocks: vec![0; 5], skews: vec![Skew::new(7, 9)] };
    let outcomes = run(complete(5), &hosts, Time::ZERO);
    assert!(outcomes.iter().all(|outcome| outcome.compared == [Time::ZERO; 2] && outcome.error.is_none()));
}

#[test]
fn clocks_that_do_not_fit_the_ranks_are_refused() {
    for (clocks, word) in
        [(vec![0, 1, 1], "3 ranks"), (vec![0, 2], "clock 1"), (vec![1, 0], "clock 0"), (vec![], "0 ranks")]
    {
        let outcome = world(complete(2)).run(2, |t| {
            let local = || t.now();
            let refused = synchronise(t, &clocks, &local, &EFFORT).expect_err("refused");
            assert_eq!(error(t, &clocks, &local, &clock::Model::default(), 1), Err(refused.clone()));
            Ok::<_, Error>(refused.to_string())
        });
        for text in outcome.expect("they all refuse") {
            assert!(text.contains(word), "{text}");
        }
    }
}
