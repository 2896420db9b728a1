//! Who takes part in a collective: ranks, or the helpers beside them.

use panto_schedule::Collective;

use super::channels::Way;
use super::comms::Known;
use super::shared::Shared;
use crate::program::Lane;

/// Those who carry out a collective.
#[derive(Clone, Copy)]
pub struct Team<'k> {
    /// Of this communicator.
    pub comm: &'k Known,
    /// Helpers of this lane; the ranks themselves if there is none.
    pub lane: Option<u32>,
    /// Both sides of an intercommunicator, as one.
    pub is_both: bool,
}

impl Team<'_> {
    /// How many they are.
    pub fn size(self) -> u32 {
        if self.is_both { self.comm.both_size() } else { self.comm.members.len() }
    }

    /// This rank's number among them.
    pub fn own(self) -> u32 {
        if self.is_both { self.comm.both_rank } else { self.comm.rank }
    }

    /// The rank with a number.
    pub fn member(self, number: u32) -> Option<u32> {
        if self.is_both { self.comm.both(number) } else { self.comm.members.get(number) }
    }

    /// The channel from this member to that rank of the program.
    pub fn to(self, shared: &mut Shared<'_>, own: u32, other: u32, collective: Collective) -> u32 {
        let (from, to) = (self.code(shared, own), self.code(shared, other));
        self.channel(shared, from, to, collective)
    }

    /// The channel from that rank of the program to this member.
    pub fn from(self, shared: &mut Shared<'_>, own: u32, other: u32, collective: Collective) -> u32 {
        let (from, to) = (self.code(shared, other), self.code(shared, own));
        self.channel(shared, from, to, collective)
    }

    fn channel(self, shared: &mut Shared<'_>, from: u32, to: u32, collective: Collective) -> u32 {
        let lane = Lane::Collective(collective);
        shared.channels.number(Way { from, to, comm: self.comm.id, tag: None, lane })
    }

    fn code(self, shared: &mut Shared<'_>, rank: u32) -> u32 {
        self.lane.map_or(rank, |lane| shared.helpers.number(rank, self.comm.id, lane))
    }
}
