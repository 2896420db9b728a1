//! Writes the code of a rank.

use panto_sim::program::{Act, Channel, Lane, Sending, Way};
use panto_units::Time;

use super::{Before, Exchange, RANKS, Side};
use crate::machines::ps;

fn channel(channels: &mut Vec<Channel>, channel: Channel) -> u32 {
    let known = channels.iter().position(|other| *other == channel);
    known.unwrap_or_else(|| {
        channels.push(channel);
        channels.len() - 1
    }) as u32
}

/// Writes the code of a rank.
pub struct Writer {
    rank: u32,
    acts: Vec<Act>,
    pub listed: Vec<Time>,
    pub slots: u32,
    /// What will be waited for after so many messages, or never.
    open: Vec<(usize, Act)>,
    /// Moves bytes without the other.
    remote: u32,
}

impl Writer {
    pub fn new(rank: u32, channels: &mut Vec<Channel>) -> Self {
        let remote =
            channel(channels, Channel { from: rank, to: (rank + 1) % RANKS, class: 99, lane: Lane::Message });
        Self { rank, acts: Vec::new(), listed: Vec::new(), slots: 0, open: Vec::new(), remote }
    }

    pub fn exchange(&mut self, exchange: &Exchange, helper: &mut Self, channels: &mut Vec<Channel>) {
        let &Exchange { from, to, class, lane, bytes, sending, .. } = exchange;
        let sends = self.rank == from;
        if !sends && self.rank != to {
            return;
        }
        let side = if sends { &exchange.send } else { &exchange.receive };
        self.before(side);
        if exchange.beside {
            let (me, beside) = (self.rank, self.rank + RANKS);
            let aside = |from, to| Channel { from, to, class: 7, lane: Lane::Aside };
            let begin = channel(channels, aside(me, beside));
            let done = channel(channels, aside(beside, me));
            let body = channel(channels, Channel { from: from + RANKS, to: to + RANKS, class, lane });
            helper.acts.push(Act::Receive { channel: begin });
            helper.acts.push(if sends {
                Act::Send { sending, channel: body, bytes }
            } else {
                Act::Receive { channel: body }
            });
            helper.acts.push(Act::Send { sending, channel: done, bytes: 0 });
            self.acts.push(Act::Send { sending: Sending::Standard, channel: begin, bytes: 0 });
            let slot = self.slot(side);
            self.acts.push(Act::StartReceive { slot, channel: done });
            return self.pass(1);
        }
        let channel = channel(channels, Channel { from, to, class, lane });
        if !sends && side.probed {
            self.acts.push(Act::Probe { channel });
        }
        let act = match (sends, side.later) {
            (true, None) => Act::Send { sending, channel, bytes },
            (false, None) => Act::Receive { channel },
            (true, Some(_)) => Act::StartSend { sending, slot: self.slot(side), channel, bytes },
            (false, Some(_)) => Act::StartReceive { slot: self.slot(side), channel },
        };
        self.acts.push(act);
        self.pass(1);
    }

    fn slot(&mut self, side: &Side) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        let act = if side.freed { Act::Free { slot } } else { Act::Wait { slot } };
        self.open.push((side.later.unwrap_or(0) + 1, act));
        slot
    }

    fn before(&mut self, side: &Side) {
        let (time, bytes) = (ps(side.time), side.time);
        let act = match side.before {
            Before::Nothing => return,
            Before::Compute => Act::Compute(time),
            Before::Call => Act::Call { call: 0, before: time },
            Before::Listed | Before::CallListed => {
                self.listed.push(time);
                if matches!(side.before, Before::Listed) {
                    Act::ComputeListed
                } else {
                    Act::CallListed { call: 0 }
                }
            }
            Before::Copy => Act::Copy { bytes },
            Before::Reduce => Act::Reduce { bytes },
            Before::Poll => Act::Poll { times: bytes % 4 },
            Before::Put => Act::Remote { way: Way::There, channel: self.remote, bytes },
            Before::Get => Act::Remote { way: Way::Back, channel: self.remote, bytes },
            Before::File => Act::File { bytes },
        };
        self.acts.push(act);
    }

    /// So many messages later.
    fn pass(&mut self, messages: usize) {
        let acts = &mut self.acts;
        self.open.retain_mut(|(after, act)| {
            *after = after.saturating_sub(messages);
            if *after == 0 {
                acts.push(*act);
            }
            *after > 0
        });
    }

    /// The acts since this was last asked.
    pub fn finish(&mut self) -> Vec<Act> {
        self.pass(usize::MAX);
        std::mem::take(&mut self.acts)
    }
}
