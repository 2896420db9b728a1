//! The participants of a collective: ranks, or the helpers beside them.

use panto_schedule::Collective;
use panto_trace::CommInfo;

use super::channels::ChannelKey;
use super::context::Context;
use crate::program::ChannelKind;

/// The members of a communicator that carry out a collective.
#[derive(Clone, Copy)]
pub struct Participants<'k> {
    /// The communicator.
    pub comm: &'k CommInfo,
    /// The index of the helper of each member that takes part; `None` for the ranks themselves.
    pub helper: Option<u32>,
    /// Whether both sides of an intercommunicator take part as one group.
    pub both_sides: bool,
}

impl Participants<'_> {
    /// The number of participants.
    pub fn size(self) -> u32 {
        if self.both_sides { self.comm.both_size() } else { self.comm.members.len() }
    }

    /// The number of this rank among them.
    pub fn own(self) -> u32 {
        if self.both_sides { self.comm.both_rank } else { self.comm.rank }
    }

    /// The rank of the program that has a number among them.
    pub fn member(self, number: u32) -> Option<u32> {
        if self.both_sides { self.comm.both(number) } else { self.comm.members.get(number) }
    }

    /// The channel from `own` to `other`, both ranks of the program.
    pub fn to(self, context: &mut Context<'_>, own: u32, other: u32, collective: Collective) -> u32 {
        let (from, to) = (self.code(context, own), self.code(context, other));
        self.channel(context, from, to, collective)
    }

    /// The channel from `other` to `own`, both ranks of the program.
    pub fn from(self, context: &mut Context<'_>, own: u32, other: u32, collective: Collective) -> u32 {
        let (from, to) = (self.code(context, other), self.code(context, own));
        self.channel(context, from, to, collective)
    }

    fn channel(self, context: &mut Context<'_>, from: u32, to: u32, collective: Collective) -> u32 {
        let kind = ChannelKind::Collective(collective);
        context.channels.number(ChannelKey { from, to, comm: self.comm.id, tag: None, kind })
    }

    fn code(self, context: &mut Context<'_>, rank: u32) -> u32 {
        self.helper.map_or(rank, |helper| context.helpers.number(rank, self.comm.id, helper))
    }
}
