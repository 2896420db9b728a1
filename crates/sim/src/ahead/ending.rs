//! How it ended.

use panto_units::Time;

use super::part::Part;
use super::prepared::Prepared;
use super::rank::{Holds, NONE, Rank};
use super::score::Bar;
use crate::halt::{Halt, Halted, MOST_HALTS, Want};
use crate::observe::Observer;
use crate::program::{Act, Op, Program};

/// What became of a part.
pub(super) struct Ending {
    /// The end of each rank or helper,
    ends: Vec<(u32, Time)>,
    /// or why there is none.
    halts: Vec<Halt>,
    is_over: bool,
}

/// The end of time.
const NEVER: Time = Time::from_picos(u64::MAX);

impl<O: Observer> Part<'_, O> {
    pub(super) fn ending(&self) -> Ending {
        let seats = || (0..self.ranks.len() as u32).zip(self.ranks.iter());
        let halts = seats().filter(|(_, rank)| rank.next != NONE || rank.waits != NONE);
        Ending {
            ends: seats().map(|(seat, rank)| (self.code(seat), rank.clock)).collect(),
            halts: halts.map(|(seat, rank)| self.halt(seat, rank)).collect(),
            is_over: self.latest == NEVER || self.ranks.iter().any(|rank| rank.clock == NEVER),
        }
    }

    fn halt(&self, seat: u32, rank: &Rank<'_, Bar>) -> Halt {
        Halt { rank: self.code(seat), calls: rank.calls.into(), want: self.want(rank) }
    }

    fn want(&self, rank: &Rank<'_, Bar>) -> Want {
        if rank.waits != NONE {
            let held = self.slots[(rank.slots + rank.waits) as usize];
            let channel = self.prepared.name(held.channel);
            return match held.holds() {
                Holds::Send => Want::Receiver { channel },
                Holds::Receive | Holds::Nothing => Want::Message { channel },
            };
        }
        match self.reader.find(rank.ops, rank.next).map(Op::act) {
            Some(Act::StartPick { pick, .. } | Act::ProbePick { pick }) => Want::Pick { pick },
            Some(Act::Receive { channel } | Act::Probe { channel }) => {
                Want::Message { channel: self.prepared.name(channel) }
            }
            _ => Want::Message { channel: NONE },
        }
    }
}

/// Puts parts together.
pub(super) fn join(prepared: &Prepared<'_>, endings: Vec<Ending>) -> Result<Vec<Time>, Halted> {
    let program: &Program = prepared.program();
    if endings.iter().any(|ending| ending.is_over) {
        return Err(Halted::EndOfTime);
    }
    let mut halts: Vec<Halt> = endings.iter().flat_map(|ending| &ending.halts).copied().collect();
    if halts.is_empty() {
        let mut ends = vec![Time::ZERO; program.codes.len()];
        for (code, end) in endings.into_iter().flat_map(|ending| ending.ends) {
            ends[code as usize] = end;
        }
        return Ok(ends);
    }
    let ranks = halts.len();
    halts.sort_by_key(|halt| halt.rank);
    halts.truncate(MOST_HALTS);
    Err(Halted::Stuck { ranks, halts })
}
