//! Deadlocks: the world must detect them and report what each rank waits for, instead of hanging.

use super::violation::{Outcome, Violation};
use super::{Failure, Failures, neighbours};
use crate::error::{Error, Result};
use crate::message::{Selector, SendMode};
use crate::persistent::PersistentReceive;
use crate::scope::scope;
use crate::transport::Transport;
use crate::world::World;

struct Deadlock<T> {
    name: &'static str,
    run: fn(&T) -> Result<()>,
    /// What the report must say of rank 0 and of rank 1.
    expected: [&'static str; 2],
}

fn deadlocks<T: Transport>() -> Vec<Deadlock<T>> {
    let deadlock = |name, expected, run: fn(&T) -> Result<()>| Deadlock { name, run, expected };
    vec![
        deadlock("all receive", ["waits for a message from rank 1 with tag 7", "waits for a message"], |t| {
            t.receive(&mut [], Selector::new(neighbours(t).0, 7)).map(drop)
        }),
        deadlock("all probe", ["waits for a message from any rank with tag 3", "waits for a message"], |t| {
            t.probe(Selector::tag(3)).map(drop)
        }),
        deadlock(
            "all send synchronously",
            ["waits for rank 1 to receive 5 bytes with tag 2", "waits"],
            |t| t.send(SendMode::Synchronous, &[0; 5], neighbours(t).0, 2),
        ),
        deadlock(
            "all send first above the eager limit",
            ["waits for rank 1 to receive", "waits for rank"],
            |t| {
                let len = (1..40).map(|log| 1 << log).find(|&len| !t.standard_send().may_send_first(len));
                t.send(SendMode::Standard, &vec![0; len.unwrap_or(1 << 20)], neighbours(t).0, 2)
            },
        ),
        deadlock("an unmatched request", ["from rank 1 with tag 4", "from any rank with any tag"], |t| {
            let mut buffer = [0];
            let selector = if t.rank() == 0 { Selector::new(1, 4) } else { Selector::any() };
            scope(t, |s| {
                let request = s.receive(&mut buffer, selector)?;
                s.wait(request).map(drop)
            })
        }),
        deadlock("several unmatched requests", ["with tag 4", "with tag 5"], |t| {
            let mut buffers = [0; 2];
            let (one, two) = buffers.split_at_mut(1);
            scope(t, |s| {
                let mut both = vec![s.receive(one, Selector::tag(4))?, s.receive(two, Selector::tag(5))?];
                s.wait_any(&mut both).map(drop)
            })
        }),
        deadlock("an unmatched persistent receive", ["with tag 4", "with tag 4"], |t| {
            let mut receive = PersistentReceive::new(t, vec![0], Selector::tag(4))?;
            receive.start()?;
            receive.wait().map(drop)
        }),
        deadlock("one has finished, the others wait", ["has finished", "from rank 0 with tag 9"], |t| {
            if t.rank() == 0 { Ok(()) } else { t.receive(&mut [], Selector::new(0, 9)).map(drop) }
        }),
        deadlock("the wrong tag", ["has finished", "1 unexpected: from rank 0 with tag 6"], |t| {
            match t.rank() {
                0 => (1..t.size()).try_for_each(|to| t.send(SendMode::Buffered, &[], to, 6)),
                _ => t.receive(&mut [], Selector::new(0, 9)).map(drop),
            }
        }),
        deadlock("after many barriers", ["waits for a message from any rank", "waits for a message"], |t| {
            (0..20).try_for_each(|_| super::barrier(t))?;
            t.receive(&mut [], Selector::tag(1)).map(drop)
        }),
    ]
}

/// Runs programs that deadlock, for worlds that detect deadlocks, and returns the number of cases.
/// At least two ranks are needed; with more, the cycles are longer.
pub fn run_deadlocks<W: World>(world: &W, ranks: usize) -> std::result::Result<usize, Failures> {
    let deadlocks = deadlocks::<W::Endpoint>();
    let one = |deadlock: &Deadlock<W::Endpoint>| {
        Some(Failure { name: deadlock.name, violation: found(world, ranks, deadlock).err()? })
    };
    Failures::none_of(ranks, deadlocks.len(), deadlocks.iter().filter_map(one))
}

fn found<W: World>(world: &W, ranks: usize, deadlock: &Deadlock<W::Endpoint>) -> Outcome {
    let run = deadlock.run;
    let report = match world.run(ranks, run) {
        Err(Error::Deadlock(report)) => report,
        other => return Err(Violation(format!("the run ended with {other:?}"))),
    };
    for (rank, expected) in deadlock.expected.iter().enumerate() {
        let name = format!("rank {rank} ");
        let line = report.lines().find(|line| line.trim_start().starts_with(&name));
        if line.is_none_or(|line| !line.contains(expected)) {
            return Err(Violation(format!("the report of rank {rank} lacks {expected:?}:\n{report}")));
        }
    }
    Ok(())
}
