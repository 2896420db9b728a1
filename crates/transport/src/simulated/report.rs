//! Deadlock reports of simulated worlds.

use panto_sim::{BlockedOn, Engine, Selector as EngineSelector, SpaceWait};

use super::shared::status;
use crate::deadlock;
use crate::message::Selector;

pub(super) fn deadlock(engine: &Engine, ranks: usize) -> String {
    deadlock::report(ranks, |rank| state(engine, rank as u32))
}

fn state(engine: &Engine, rank: u32) -> String {
    let Some(blocked_on) = engine.blocked_on(rank) else { return "has finished".into() };
    let each: Vec<String> = blocked_on.into_iter().map(words).collect();
    let what = match each.as_slice() {
        [one] => one.clone(),
        several => format!("one of: {}", several.join("; ")),
    };
    deadlock::waits_for(&what, engine.unmatched_messages(rank).into_iter().map(status))
}

fn words(blocked_on: BlockedOn) -> String {
    match blocked_on {
        BlockedOn::Message(EngineSelector { source, tag }) => {
            Selector { source: source.map(|source| source as usize), tag }.to_string()
        }
        BlockedOn::Receiver { rank, bytes, tag } => {
            format!("rank {rank} to receive {bytes} bytes with tag {tag}")
        }
        BlockedOn::Space { rank, wait: SpaceWait { bytes, space } } => {
            format!(
                "space for {bytes} bytes in the buffers of rank {rank}, which has {space} bytes for each \
                 sender (send.buffer of the model)"
            )
        }
    }
}
