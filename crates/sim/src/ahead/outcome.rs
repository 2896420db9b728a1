//! The outcome of a run: when ranks end, or why they do not.

use panto_units::Time;

use super::interleaved_ops::OpChunk;
use super::partition::Partition;
use super::prepared::PreparedProgram;
use super::rank::{NONE, RankState, SlotContent};
use crate::error::{Awaited, BlockedRank, Deadlock, MAX_REPORTED_RANKS, RunError};
use crate::observe::Observer;
use crate::program::{Op, PackedOp, Program};

/// The outcome of one partition.
pub(super) struct PartitionOutcome {
    /// The code number and final clock of each rank or helper.
    ends: Vec<(u32, Time)>,
    /// The ranks that have not ended.
    blocked: Vec<BlockedRank>,
    /// Whether virtual time overflowed.
    overflowed: bool,
}

/// The end of virtual time, at which additions saturate.
const NEVER: Time = Time::from_picos(u64::MAX);

impl<O: Observer> Partition<'_, O> {
    /// Returns the outcome, once no partition has work.
    pub(super) fn outcome(&self) -> PartitionOutcome {
        let positions = || (0..self.ranks.len() as u32).zip(self.ranks.iter());
        let blocked = positions().filter(|(_, rank)| rank.pc != NONE || rank.waiting_slot != NONE);
        PartitionOutcome {
            ends: positions().map(|(position, rank)| (self.code(position), rank.clock)).collect(),
            blocked: blocked.map(|(position, rank)| self.blocked_rank(position, rank)).collect(),
            overflowed: self.latest == NEVER || self.ranks.iter().any(|rank| rank.clock == NEVER),
        }
    }

    fn blocked_rank(&self, position: u32, rank: &RankState<'_, OpChunk>) -> BlockedRank {
        BlockedRank { rank: self.code(position), calls: rank.calls.into(), awaits: self.awaited(rank) }
    }

    /// Returns what a blocked rank waits for.
    fn awaited(&self, rank: &RankState<'_, OpChunk>) -> Awaited {
        if rank.waiting_slot != NONE {
            let held = self.slots[(rank.slots + rank.waiting_slot) as usize];
            let channel = self.prepared.program_number(held.channel);
            return match held.content() {
                SlotContent::Send => Awaited::Receive { channel },
                SlotContent::Receive | SlotContent::Ejected | SlotContent::Empty => {
                    Awaited::Message { channel }
                }
            };
        }
        match self.chunk_map.op(rank.ops, rank.pc).map(PackedOp::unpack) {
            Some(Op::StartWildcard { wildcard, .. } | Op::ProbeWildcard { wildcard }) => {
                Awaited::Wildcard { wildcard }
            }
            Some(Op::Receive { channel } | Op::Probe { channel }) => {
                Awaited::Message { channel: self.prepared.program_number(channel) }
            }
            _ => Awaited::Message { channel: NONE },
        }
    }
}

/// Combines the outcomes of all partitions.
pub(super) fn join(
    prepared: &PreparedProgram<'_>,
    outcomes: Vec<PartitionOutcome>,
) -> Result<Vec<Time>, RunError> {
    let program: &Program = prepared.program();
    if outcomes.iter().any(|outcome| outcome.overflowed) {
        return Err(RunError::TimeOverflow);
    }
    let mut blocked: Vec<BlockedRank> =
        outcomes.iter().flat_map(|outcome| &outcome.blocked).copied().collect();
    if blocked.is_empty() {
        let mut ends = vec![Time::ZERO; program.codes.len()];
        for (code, end) in outcomes.into_iter().flat_map(|outcome| outcome.ends) {
            ends[code as usize] = end;
        }
        return Ok(ends);
    }
    let count = blocked.len();
    blocked.sort_by_key(|blocked_rank| blocked_rank.rank);
    blocked.truncate(MAX_REPORTED_RANKS);
    Err(RunError::Deadlock(Deadlock { count, blocked }))
}
