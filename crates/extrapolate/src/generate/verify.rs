//! Whether all ranks of a generated trace fit together.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::error::{Error, Result};
use crate::program::Program;

/// A communicator: its number, and the first of its members.
pub type CommId = (u32, u32);

/// Messages with the same sender, receiver, communicator and tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Channel {
    comm: CommId,
    from: u32,
    to: u32,
    tag: i64,
}

/// Messages sent minus messages received, and bytes likewise.
#[derive(Debug, Clone, Copy, Default)]
struct Balance {
    messages: i64,
    bytes: i64,
}

/// What one rank sends and receives.
#[derive(Default)]
pub struct RankMatching {
    channels: FxHashMap<Channel, Balance>,
    sent: u64,
    /// The collectives in each communicator, as a hash of their order.
    collectives: FxHashMap<CommId, FxHasher>,
}

impl RankMatching {
    /// Adds a send.
    pub fn send(&mut self, comm: CommId, (from, to): (u32, u32), tag: i64, bytes: i64) {
        self.sent += 1;
        self.add(Channel { comm, from, to, tag }, Balance { messages: 1, bytes });
    }

    /// Adds a receive into a buffer.
    pub fn receive(&mut self, comm: CommId, (from, to): (u32, u32), tag: i64, bytes: i64) {
        self.add(Channel { comm, from, to, tag }, Balance { messages: -1, bytes: -bytes });
    }

    fn add(&mut self, channel: Channel, change: Balance) {
        let balance = self.channels.entry(channel).or_default();
        balance.messages += change.messages;
        balance.bytes = balance.bytes.saturating_add(change.bytes);
    }

    /// Adds a collective.
    pub fn collective(&mut self, comm: CommId, what: impl Hash) {
        what.hash(self.collectives.entry(comm).or_default());
    }

    /// Returns the number of messages that the rank sends.
    pub fn messages(&self) -> u64 {
        self.sent
    }
}

/// What all ranks send and receive.
#[derive(Debug, Default)]
pub struct Matching {
    channels: FxHashMap<Channel, Balance>,
    collectives: FxHashMap<CommId, u64>,
    differing: Option<CommId>,
}

impl Matching {
    /// Adds a rank.
    pub fn add(&mut self, rank: RankMatching) {
        for (channel, change) in rank.channels {
            let balance = self.channels.entry(channel).or_default();
            balance.messages += change.messages;
            balance.bytes = balance.bytes.saturating_add(change.bytes);
            // Complete channels are forgotten, so that memory follows what is open.
            if balance.messages == 0 && balance.bytes == 0 {
                self.channels.remove(&channel);
            }
        }
        for (comm, hash) in rank.collectives {
            let hash = hash.finish();
            if *self.collectives.entry(comm).or_insert(hash) != hash {
                self.differing = Some(comm);
            }
        }
    }

    /// Fails if a message lacks its other end or its space, or if members have different
    /// collectives.
    pub fn check(&self, program: &Program) -> Result<()> {
        let name =
            |comm: CommId| program.comms.get(comm.0 as usize).map_or("?", |comm| comm.made_by.as_str());
        let is_wrong = |balance: &Balance| balance.messages != 0 || balance.bytes > 0;
        let wrong = self.channels.iter().filter(|(_, balance)| is_wrong(balance));
        if let Some((channel, balance)) =
            wrong.min_by_key(|(channel, _)| (channel.from, channel.to, channel.tag))
        {
            let Channel { from, to, tag, comm } = *channel;
            let what = match balance.messages {
                0 => format!("{} bytes too little room for messages", balance.bytes),
                more if more > 0 => format!("{more} messages without receives"),
                less => format!("{} receives without messages", -less),
            };
            let name = name(comm);
            return Err(Error::Unmatched(format!("{what} from rank {from} to rank {to}, tag {tag}, {name}")));
        }
        if let Some(comm) = self.differing {
            let name = name(comm);
            return Err(Error::Unmatched(format!("members of {name} have different collectives")));
        }
        Ok(())
    }
}
