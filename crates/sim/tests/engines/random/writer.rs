//! The writer of a rank's operations.

use panto_sim::program::{Channel, ChannelKind, Op, RemoteAccess, SendMode};
use panto_units::Time;

use super::{Exchange, LocalOp, RANKS, Side};
use crate::machines::ps;

/// Returns the index of a channel, which is added if it is new.
fn channel(channels: &mut Vec<Channel>, channel: Channel) -> u32 {
    let existing = channels.iter().position(|other| *other == channel);
    existing.unwrap_or_else(|| {
        channels.push(channel);
        channels.len() - 1
    }) as u32
}

/// Builds the operations of a rank, segment by segment.
pub struct Writer {
    rank: u32,
    ops: Vec<Op>,
    pub listed: Vec<Time>,
    pub slots: u32,
    /// Requests to complete: the number of messages before the wait or free, and that operation.
    pending: Vec<(usize, Op)>,
    /// The channel of one-sided operations.
    remote: u32,
}

impl Writer {
    pub fn new(rank: u32, channels: &mut Vec<Channel>) -> Self {
        let remote = channel(
            channels,
            Channel { from: rank, to: (rank + 1) % RANKS, match_key: 99, kind: ChannelKind::PointToPoint },
        );
        Self { rank, ops: Vec::new(), listed: Vec::new(), slots: 0, pending: Vec::new(), remote }
    }

    /// Adds the rank's operations for a message, and those of its helper.
    pub fn exchange(&mut self, exchange: &Exchange, helper: &mut Self, channels: &mut Vec<Channel>) {
        let &Exchange { from, to, match_key, kind, bytes, mode, .. } = exchange;
        let sends = self.rank == from;
        if !sends && self.rank != to {
            return;
        }
        let side = if sends { &exchange.send } else { &exchange.receive };
        self.local_op(side);
        if exchange.by_helpers {
            let (rank, helper_rank) = (self.rank, self.rank + RANKS);
            let helper_channel = |from, to| Channel { from, to, match_key: 7, kind: ChannelKind::Helper };
            let begin = channel(channels, helper_channel(rank, helper_rank));
            let done = channel(channels, helper_channel(helper_rank, rank));
            let body = channel(channels, Channel { from: from + RANKS, to: to + RANKS, match_key, kind });
            helper.ops.push(Op::Receive { channel: begin });
            helper.ops.push(if sends {
                Op::Send { mode, channel: body, bytes }
            } else {
                Op::Receive { channel: body }
            });
            helper.ops.push(Op::Send { mode, channel: done, bytes: 0 });
            self.ops.push(Op::Send { mode: SendMode::Standard, channel: begin, bytes: 0 });
            let slot = self.slot(side);
            self.ops.push(Op::StartReceive { slot, channel: done });
            return self.count_messages(1);
        }
        let channel = channel(channels, Channel { from, to, match_key, kind });
        if !sends && side.probed {
            self.ops.push(Op::Probe { channel });
        }
        let op = match (sends, side.wait_after) {
            (true, None) => Op::Send { mode, channel, bytes },
            (false, None) => Op::Receive { channel },
            (true, Some(_)) => Op::StartSend { mode, slot: self.slot(side), channel, bytes },
            (false, Some(_)) => Op::StartReceive { slot: self.slot(side), channel },
        };
        self.ops.push(op);
        self.count_messages(1);
    }

    /// Returns a new slot, whose request is completed as `side` says.
    fn slot(&mut self, side: &Side) -> u32 {
        let slot = self.slots;
        self.slots += 1;
        let op = if side.freed { Op::Free { slot } } else { Op::Wait { slot } };
        self.pending.push((side.wait_after.unwrap_or(0) + 1, op));
        slot
    }

    /// Adds the operation before a message.
    fn local_op(&mut self, side: &Side) {
        let (time, bytes) = (ps(side.amount), side.amount);
        let op = match side.local_op {
            LocalOp::Nothing => return,
            LocalOp::Compute => Op::Compute(time),
            LocalOp::Call => Op::Call { call: 0, before: time },
            LocalOp::Listed | LocalOp::CallListed => {
                self.listed.push(time);
                if matches!(side.local_op, LocalOp::Listed) {
                    Op::ComputeListed
                } else {
                    Op::CallListed { call: 0 }
                }
            }
            LocalOp::Copy => Op::Copy { bytes },
            LocalOp::Reduce => Op::Reduce { bytes },
            LocalOp::Poll => Op::Poll { times: bytes % 4 },
            LocalOp::Put => Op::Remote { access: RemoteAccess::Put, channel: self.remote, bytes },
            LocalOp::Get => Op::Remote { access: RemoteAccess::Get, channel: self.remote, bytes },
            LocalOp::File => Op::File { bytes },
        };
        self.ops.push(op);
    }

    /// Counts down the pending requests by `messages` and completes those that are due.
    fn count_messages(&mut self, messages: usize) {
        let ops = &mut self.ops;
        self.pending.retain_mut(|(after, op)| {
            *after = after.saturating_sub(messages);
            if *after == 0 {
                ops.push(*op);
            }
            *after > 0
        });
    }

    /// Completes all pending requests and returns the operations since the last call.
    pub fn finish(&mut self) -> Vec<Op> {
        self.count_messages(usize::MAX);
        std::mem::take(&mut self.ops)
    }
}
