//! Real messages and real delays: no claims about the quality of the clocks, only what must hold on
//! any host.

use std::time::Instant;

use panto_transport::clock::{SyncEffort, max_difference, synchronise};
use panto_transport::threads::Threads;
use panto_transport::{Result, Time, Transport, World};

use crate::skew::{Hosts, Outcome};

const EFFORT: SyncEffort = SyncEffort { fitpoints: 6, exchanges: 5, spacing: Time::from_nanos(200_000) };

/// The depth of a tree of up to 16 hosts.
const DEPTH: u64 = 4;

fn run(hosts: &Hosts) -> Vec<Outcome> {
    let beginning = Instant::now();
    let truth = || Time::from(beginning.elapsed());
    let body = |t: &_| -> Result<Outcome> {
        let local = || hosts.shows(Transport::rank(t), truth());
        let model = synchronise(t, &hosts.clocks, &local, &EFFORT)?;
        let before = truth();
        let error = max_difference(t, &hosts.clocks, &local, &model, 5)?;
        Ok(Outcome { model, error, compared: [before, truth()] })
    };
    Threads::default().run(hosts.ranks(), body).expect("a run without errors")
}

fn check(hosts: &Hosts) {
    let outcomes = run(hosts);
    hosts.check_agreement(&outcomes);
    let [before, after] = outcomes[0].compared;
    // No message took longer than the whole run, so no offset is off by more.
    let difference = hosts.max_difference_to_rank_0(&outcomes, after);
    assert!(difference <= DEPTH * after.as_picos(), "{} after {after}", Time::from_picos(difference));
    let error = outcomes[0].error.expect("several clocks").as_picos();
    for rank in 0..hosts.ranks() {
        assert!(error >= least_between(hosts, &outcomes, rank, before, after), "rank {rank}");
    }
    let bracket = (after - before).as_picos();
    assert!(error <= hosts.max_difference_to_rank_0(&outcomes, before).max(difference) + bracket + 2);
}

/// Returns the smallest difference between two times: it is linear between them. Rounding is two
/// picoseconds in all.
fn least_between(hosts: &Hosts, outcomes: &[Outcome], rank: usize, before: Time, after: Time) -> u64 {
    let [first, last] = [before, after].map(|truth| hosts.ahead(outcomes, rank, truth));
    if (first < 0) == (last < 0) {
        first.unsigned_abs().min(last.unsigned_abs()).saturating_sub(2)
    } else {
        0
    }
}

#[test]
fn hosts_of_one_rank() {
    for ranks in [2, 3, 4, 7, 8, 13] {
        check(&Hosts::alone(ranks));
    }
}

#[test]
fn hosts_of_several_ranks() {
    check(&Hosts::new(&[0, 0, 0, 0, 1, 1, 1, 1]));
    check(&Hosts::new(&[0, 1, 2, 0, 1, 2, 0]));
    check(&Hosts::new(&[0, 1, 1, 1, 1, 1, 2, 3, 3, 0, 4, 4, 2]));
}

/// Ranks that read one clock need no model, and have no error.
#[test]
fn one_host() {
    let hosts = Hosts::new(&[0, 0, 0]);
    let outcomes = run(&hosts);
    hosts.check_agreement(&outcomes);
    assert_eq!(hosts.max_difference_to_rank_0(&outcomes, outcomes[0].compared[1]), 0);
}
