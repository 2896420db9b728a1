//! Why nobody can go on.

use panto_sim::{Engine, Selector, Stuck, Waiting};

use super::core::status;
use crate::deadlock;
use crate::message::Want;

pub(super) fn deadlock(engine: &Engine, ranks: usize) -> String {
    deadlock::report(ranks, |rank| state(engine, rank as u32))
}

fn state(engine: &Engine, rank: u32) -> String {
    let waits = match engine.stuck(rank) {
        Stuck::Done => return "has finished".into(),
        Stuck::Waits(waits) => waits,
    };
    let each: Vec<String> = waits.into_iter().map(words).collect();
    let what = match each.as_slice() {
        [one] => one.clone(),
        several => format!("one of: {}", several.join("; ")),
    };
    deadlock::waits_for(&what, engine.unclaimed(rank).into_iter().map(status))
}

fn words(waiting: Waiting) -> String {
    match waiting {
        Waiting::Message(Selector { source, tag }) => {
            Want { source: source.map(|source| source as usize), tag }.to_string()
        }
        Waiting::Receiver(rank, bytes, tag) => format!("rank {rank} to receive {bytes} bytes with tag {tag}"),
    }
}
