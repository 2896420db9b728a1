//! More ranks than processors (P13): equal shares, in closed form.

use panto_machine::{Machine, Protocol, RankMap};
use panto_transport::simulated::{Endpoint, Sharing};
use panto_transport::{Result, Selector, SendMode, Time, Transport, World};

use crate::machines::{simple, world};

fn us(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

/// A machine on which messages take no processor time.
fn machine(processors: u64) -> Machine {
    let mut machine = simple(processors, Protocol::Buffered);
    machine.multitasking = true;
    machine.network.overheads = panto_machine::Overheads::default();
    machine
}

fn run(machine: Machine, ranks: usize, body: impl Fn(&Endpoint) -> Result<Time> + Sync) -> Vec<Time> {
    world(machine, Sharing::None).run(ranks, body).expect("it runs")
}

#[test]
fn ranks_that_compute_share_equally() {
    let times = run(machine(1), 3, |t| {
        t.compute(us(10 * (t.rank() as u64 + 1)));
        Ok(t.now())
    });
    // Three ranks until rank 0 has its 10, two until rank 1 has its other 10, then one.
    assert_eq!(times, [us(30), us(50), us(60)]);
}

/// A rank that waits for a message leaves the processor to the others.
#[test]
fn a_rank_that_waits_takes_no_share() {
    let times = run(machine(2), 4, |t| {
        match t.rank() {
            // Shares processor 0 with rank 2.
            0 => {
                t.receive(&mut [], Selector::new(1, 1))?;
                t.compute(us(10));
            }
            1 => {
                t.compute(us(5));
                t.send(SendMode::Standard, &[], 0, 1)?;
            }
            2 => t.compute(us(20)),
            _ => {}
        }
        Ok(t.now())
    });
    // The message arrives at 6, when rank 2 has done 6 of its 20. Rank 0 ends at 26, when rank 2
    // has 4 left.
    assert_eq!(times, [us(26), us(5), us(30), us(0)]);
}

/// Rank r runs on the (r mod n)-th processor of the list.
#[test]
fn the_rank_map_determines_sharing() {
    let mut machine = machine(4);
    machine.network.map = RankMap::List(vec![2, 0, 2]);
    let times = run(machine, 6, |t| {
        t.compute(us(10));
        Ok(t.now())
    });
    // Ranks 0, 2, 3 and 5 are on processor 2, ranks 1 and 4 on processor 0.
    assert_eq!(times, [us(40), us(20), us(40), us(40), us(20), us(40)]);
}

/// A message between ranks on one processor does not use the network.
#[test]
fn ranks_on_one_processor_send_without_the_network() {
    let times = run(machine(1), 2, |t| {
        if t.rank() == 0 {
            t.send(SendMode::Standard, &[1; 1_000], 1, 1)?;
        } else {
            t.receive(&mut [0; 1_000], Selector::new(0, 1))?;
        }
        Ok(t.now())
    });
    assert_eq!(times, [us(0), Time::from_nanos(50)]);
}

/// Events on a shared processor do not accumulate: otherwise this would take minutes.
#[test]
fn many_turns_are_cheap() {
    let times = run(machine(1), 2, |t| {
        (0..50_000).for_each(|_| t.compute(us(1)));
        Ok(t.now())
    });
    assert_eq!(times, [us(100_000), us(100_000)]);
}
