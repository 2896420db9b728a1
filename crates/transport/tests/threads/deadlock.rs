//! Deadlocks are detected and reported; states that only resemble one are not.

use panto_transport::conformance::{self, random_traffic};
use panto_transport::threads::Threads;
use panto_transport::{Error, Result, Selector, SendMode, Transport, World, scope};

use super::{all_pass, barrier};

#[test]
fn deadlocks_are_reported() {
    for ranks in [2, 3, 8, 33] {
        for _ in 0..10 {
            all_pass(conformance::run_deadlocks(&Threads::default(), ranks));
        }
    }
}

#[test]
fn one_rank_alone_can_deadlock() {
    let outcome = Threads::default().run(1, |t| t.send(SendMode::Synchronous, &[1], 0, 5));
    let Err(Error::Deadlock(report)) = outcome else { panic!("{outcome:?}") };
    assert!(report.contains("rank 0 waits for rank 0 to receive 1 bytes with tag 5"), "{report}");
}

#[test]
fn a_cycle_among_ranks_while_others_have_finished() {
    let outcome = Threads::default().run(6, |t| match t.rank() {
        rank @ 0..3 => t.receive(&mut [], Selector::new((rank + 1) % 3, 7)).map(drop),
        _ => Ok(()),
    });
    let Err(Error::Deadlock(report)) = outcome else { panic!("{outcome:?}") };
    for line in [
        "rank 0 waits for a message from rank 1 with tag 7",
        "rank 1 waits for a message from rank 2 with tag 7",
        "rank 2 waits for a message from rank 0 with tag 7",
        "rank 5 has finished",
    ] {
        assert!(report.contains(line), "{report}");
    }
}

/// All ranks but one sleep at any time: the state closest to a deadlock.
fn token(t: &impl Transport, laps: usize, mode: SendMode) -> Result<()> {
    let (next, before) = ((t.rank() + 1) % t.size(), (t.rank() + t.size() - 1) % t.size());
    for _ in 0..laps {
        if t.rank() > 0 {
            t.receive(&mut [0; 8], Selector::new(before, 1))?;
        }
        t.send(mode, &[0; 8], next, 1)?;
        if t.rank() == 0 {
            t.receive(&mut [0; 8], Selector::new(before, 1))?;
        }
    }
    Ok(())
}

#[test]
fn a_circulating_token_is_not_a_deadlock() {
    for (ranks, laps) in [(3, 2_000), (5, 2_000), (64, 100), (300, 20)] {
        for mode in [SendMode::Standard, SendMode::Synchronous] {
            Threads::default().run(ranks, |t| token(t, laps, mode)).unwrap();
        }
    }
}

/// Repeated sleep, rendezvous and wakeup in scopes.
fn handshakes(t: &impl Transport, rounds: usize) -> Result<()> {
    let (next, before) = ((t.rank() + 1) % t.size(), (t.rank() + t.size() - 1) % t.size());
    let data = vec![1; 5_000];
    let mut buffer = vec![0; 5_000];
    for _ in 0..rounds {
        scope(t, |s| {
            let _ = s.send(SendMode::Synchronous, &data, next, 1)?;
            let _ = s.receive(&mut buffer, Selector::new(before, 1))?;
            Ok::<_, Error>(())
        })?;
        barrier(t)?;
    }
    Ok(())
}

#[test]
fn rendezvous_is_not_a_deadlock() {
    for ranks in [2, 3, 4, 16, 50] {
        Threads::default().run(ranks, |t| handshakes(t, 100)).unwrap();
    }
}

#[test]
fn random_traffic_is_not_a_deadlock() {
    for seed in 0..150 {
        let ranks = [2, 3, 4, 7, 16][seed as usize % 5];
        let eager_limit = if seed % 2 == 0 { 4_096 } else { 32 };
        let world = Threads { eager_limit, ..Threads::default() };
        world
            .run(ranks, |t| random_traffic(t, seed))
            .unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
    }
}

/// Worlds that end at once: ranks finish while others fall asleep.
#[test]
fn short_worlds_are_not_a_deadlock() {
    for round in 0..500 {
        let ranks = round % 7 + 2;
        let last = ranks - 1;
        let outcome = Threads::default().run(ranks, |t| match t.rank() {
            rank if rank == last => (0..last).try_for_each(|to| t.send(SendMode::Standard, &[1], to, 1)),
            _ => t.receive(&mut [0], Selector::new(last, 1)).map(drop),
        });
        outcome.unwrap();
    }
}
