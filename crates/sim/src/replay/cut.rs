//! The last consistent cut of a trace whose ranks end at different points.
//!
//! Ranks that are killed write their last calls or not, so one may have received what another has
//! not sent. A *consistent cut* (Chandy & Lamport 1985) is a prefix of each rank in which every
//! message that was received has been sent and every collective has been entered by all its
//! members. Consistent cuts are closed under union, so there is a longest one. It is found from the
//! end: a rank is cut before the first call that depends on a call which is left out, which leaves
//! out further calls, until nothing changes.
//!
//! Cost: the trace is read once more, and each call is left out at most once, so time is linear in
//! its length. Memory is 32 bytes for each message and each member of a collective.

use std::fmt;

use rustc_hash::FxHashMap;

use panto_trace::{Ranks, SharedId, Trace, World};
use panto_units::grouped;

/// How much of an incomplete trace is simulated: the longest prefixes of its ranks in which every
/// receive has its send and every collective its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The number of events of each rank that are simulated.
    kept: Vec<u64>,
    /// The number of events of each rank in the trace.
    recorded: Vec<u64>,
    /// The first rank whose trace ends before the rank did.
    incomplete: u32,
}

impl Cut {
    /// Returns how many events of a rank are simulated.
    pub fn kept(&self, rank: u32) -> u64 {
        self.kept.get(rank as usize).copied().unwrap_or(u64::MAX)
    }

    /// Returns the number of events of all ranks that are left out.
    pub fn left_out(&self) -> u64 {
        self.losses().map(|(_, events)| events).sum()
    }

    fn losses(&self) -> impl Iterator<Item = (u32, u64)> {
        (0..).zip(self.recorded.iter().zip(&self.kept).map(|(recorded, kept)| recorded - kept))
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recorded: u64 = self.recorded.iter().sum();
        write!(f, "rank {} ends before MPI_Finalize", self.incomplete)?;
        let Some((rank, most)) =
            self.losses().max_by_key(|(rank, events)| (*events, std::cmp::Reverse(*rank)))
        else {
            return Ok(());
        };
        if most == 0 {
            return write!(f, "; all {} recorded calls are simulated", grouped(recorded));
        }
        let left_out = self.left_out();
        let share = 100.0 * left_out as f64 / recorded as f64;
        write!(
            f,
            "; {} of {} recorded calls ({share:.1} %) are left out at the ends of ranks, {} of rank {rank}, so that \
             every receive has its send and every collective its members",
            grouped(left_out),
            grouped(recorded),
            grouped(most)
        )
    }
}

/// A call that other ranks depend on.
#[derive(Debug, Clone, Copy)]
enum Supply {
    /// The send of a message: its channel, and its number there.
    Message { channel: u32, nth: u32 },
    /// The call of a member: the sequence of collectives, and its number there.
    Collective { sequence: u32, nth: u32 },
}

/// A channel: its receiver, the number of messages sent, and for each message the first call of the
/// receiver that needs it.
#[derive(Debug, Default)]
struct Channel {
    to: u32,
    sent: u32,
    needed: Vec<u64>,
}

/// What identifies a sequence of collectives that all members of a communicator call in the same
/// order: the communicator, and the helper of a persistent one.
type SequenceKey = (u32, Option<u32>);

/// Which calls of ranks depend on which calls of others.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// By channel number.
    channels: Vec<Channel>,
    sequences: FxHashMap<SequenceKey, u32>,
    /// For each sequence its communicator and, by rank, the positions of the calls.
    calls: Vec<(u32, FxHashMap<u32, Vec<u64>>)>,
    /// By rank, in the order of positions.
    supplies: Vec<Vec<(u64, Supply)>>,
}

impl Dependencies {
    /// Adds the send of a message.
    pub fn send(&mut self, rank: u32, position: u64, channel: u32) {
        let nth = self.channel(channel).sent;
        self.channel(channel).sent += 1;
        self.supply(rank, position, Supply::Message { channel, nth });
    }

    /// Adds a call of rank `to` that returned only because the `nth` message of a channel was sent.
    pub fn need(&mut self, to: u32, position: u64, channel: u32, nth: u64) {
        let channel = self.channel(channel);
        channel.to = to;
        let nth = nth as usize;
        if channel.needed.len() <= nth {
            channel.needed.resize(nth + 1, u64::MAX);
        }
        channel.needed[nth] = channel.needed[nth].min(position);
    }

    /// Adds the call of a collective.
    pub fn collective(&mut self, rank: u32, position: u64, comm: u32, helper: Option<u32>) {
        let next = self.calls.len() as u32;
        let sequence = *self.sequences.entry((comm, helper)).or_insert(next);
        if sequence == next {
            self.calls.push((comm, FxHashMap::default()));
        }
        let own = self.calls[sequence as usize].1.entry(rank).or_default();
        let nth = own.len() as u32;
        own.push(position);
        self.supply(rank, position, Supply::Collective { sequence, nth });
    }

    fn channel(&mut self, number: u32) -> &mut Channel {
        let number = number as usize;
        if self.channels.len() <= number {
            self.channels.resize_with(number + 1, Channel::default);
        }
        &mut self.channels[number]
    }

    fn supply(&mut self, rank: u32, position: u64, supply: Supply) {
        let rank = rank as usize;
        if self.supplies.len() <= rank {
            self.supplies.resize_with(rank + 1, Vec::new);
        }
        self.supplies[rank].push((position, supply));
    }

    /// Returns the longest consistent cut of a trace, of which rank `incomplete` is the first that
    /// ends too early.
    pub fn cut(mut self, trace: &Trace, world: &World, incomplete: u32) -> Cut {
        let recorded: Vec<u64> = trace.ranks().iter().map(panto_trace::RankTrace::events_count).collect();
        self.supplies.resize_with(recorded.len(), Vec::new);
        let mut kept = recorded.clone();
        self.cut_unsent(&mut kept);
        self.cut_unjoined(&mut kept, world);
        self.propagate(&mut kept);
        Cut { kept, recorded, incomplete }
    }

    /// Cuts ranks before they need messages that no rank has sent.
    fn cut_unsent(&self, kept: &mut [u64]) {
        for channel in &self.channels {
            let unsent = channel.needed.iter().skip(channel.sent as usize);
            let first = unsent.min().copied().unwrap_or(u64::MAX);
            lower(kept, channel.to, first);
        }
    }

    /// Cuts ranks before collectives that some member has not entered.
    fn cut_unjoined(&self, kept: &mut [u64], world: &World) {
        for (comm, calls) in &self.calls {
            let shared = world.comm(SharedId(*comm));
            let members = shared.members.iter().chain(shared.others.iter().flat_map(Ranks::iter));
            let members = members.filter(|member| *member != Ranks::OUTSIDE);
            let least = members.map(|member| calls.get(&member).map_or(0, Vec::len)).min().unwrap_or(0);
            for (rank, positions) in calls {
                lower(kept, *rank, positions.get(least).copied().unwrap_or(u64::MAX));
            }
        }
    }

    /// Cuts ranks before calls that depend on calls which are left out.
    fn propagate(&mut self, kept: &mut [u64]) {
        let mut changed: Vec<u32> = (0..kept.len() as u32).collect();
        while let Some(rank) = changed.pop() {
            while let Some((position, supply)) = self.supplies[rank as usize].last().copied()
                && position >= kept[rank as usize]
            {
                self.supplies[rank as usize].pop();
                self.cut_dependents(supply, kept, &mut changed);
            }
        }
    }

    fn cut_dependents(&self, supply: Supply, kept: &mut [u64], changed: &mut Vec<u32>) {
        match supply {
            Supply::Message { channel, nth } => {
                let channel = &self.channels[channel as usize];
                let needed = channel.needed.get(nth as usize).copied().unwrap_or(u64::MAX);
                if lower(kept, channel.to, needed) {
                    changed.push(channel.to);
                }
            }
            Supply::Collective { sequence, nth } => {
                for (rank, positions) in &self.calls[sequence as usize].1 {
                    let needed = positions.get(nth as usize).copied().unwrap_or(u64::MAX);
                    if lower(kept, *rank, needed) {
                        changed.push(*rank);
                    }
                }
            }
        }
    }
}

/// Lowers the number of events that are kept of a rank; returns whether it was higher.
fn lower(kept: &mut [u64], rank: u32, position: u64) -> bool {
    let Some(kept) = kept.get_mut(rank as usize) else { return false };
    let is_lower = position < *kept;
    *kept = (*kept).min(position);
    is_lower
}
