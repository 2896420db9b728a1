//! Collectives by direct messages: those with blocks of different lengths, neighbourhood
//! collectives, and intercommunicators. Schedules cover none of these.

use panto_schedule::Collective;
use panto_trace::{CollectiveKind, Peer, Ranks};

use super::agreement::InstanceKind;
use super::channels::CallSite;
use super::code_builder::Body;
use super::collective_call::CollectiveCall;
use super::context::Context;
use super::participants::Participants;
use crate::program::{Op, SendMode};

const LISTS: &str = "its lists of lengths do not have one entry for each rank; trace the program again";
const MEMBERS: &str = "a partner is outside the communicator; trace the program again";
const INTERCOMM: &str = "MPI does not define this collective for intercommunicators; trace the program again";

/// Returns whether a collective is carried out by direct messages.
pub fn applies(call: &CollectiveCall) -> bool {
    call.comm.others.is_some() && call.instance.kind != InstanceKind::CommCreation
        || match call.instance.kind {
            InstanceKind::Vector(_) => true,
            InstanceKind::Collective(kind) => kind.is_among_neighbors(),
            InstanceKind::CommCreation | InstanceKind::WindowSync => false,
        }
}

/// Returns the operations of this rank.
pub fn body(
    context: &mut Context<'_>,
    participants: Participants<'_>,
    call: &CollectiveCall,
    now: CallSite,
) -> Result<Body, &'static str> {
    let (InstanceKind::Collective(kind) | InstanceKind::Vector(kind)) = call.instance.kind else {
        return Err(INTERCOMM);
    };
    let own = participants.member(participants.own()).ok_or(MEMBERS)?;
    let direct =
        Direct { context, participants, own, collective: kind.collective(), now, body: Body::default() };
    if call.comm.others.is_some() {
        return direct.between_sides(kind, call);
    }
    match kind {
        CollectiveKind::NeighborAllgather | CollectiveKind::NeighborAlltoall => direct.neighbours(call),
        CollectiveKind::Group(Collective::Gather) => direct.gather(call),
        CollectiveKind::Group(Collective::Scatter) => direct.scatter(call),
        CollectiveKind::Group(Collective::Allgather) => direct.gather_all(call),
        CollectiveKind::Group(_) => direct.exchange(call),
    }
}

type BodyResult = Result<Body, &'static str>;

struct Direct<'w, 's, 'k> {
    context: &'w mut Context<'s>,
    participants: Participants<'k>,
    /// The rank in the program.
    own: u32,
    collective: Collective,
    now: CallSite,
    body: Body,
}

impl Direct<'_, '_, '_> {
    fn channel_to(&mut self, to: u32) -> u32 {
        let channel = self.participants.to(self.context, self.own, to, self.collective);
        self.context.channels.counts(channel).sends.add(self.now);
        channel
    }

    fn channel_from(&mut self, from: u32) -> u32 {
        let channel = self.participants.from(self.context, self.own, from, self.collective);
        self.context.channels.counts(channel).receives.add(self.now);
        channel
    }

    fn start_send(&mut self, to: u32, bytes: u64) {
        let channel = self.channel_to(to);
        self.body.start(|slot| Op::StartSend { mode: SendMode::Standard, slot, channel, bytes });
    }

    fn start_receive(&mut self, from: u32) {
        let channel = self.channel_from(from);
        self.body.start(|slot| Op::StartReceive { slot, channel });
    }

    fn send(&mut self, to: u32, bytes: u64) {
        let channel = self.channel_to(to);
        self.body.push(Op::Send { mode: SendMode::Standard, channel, bytes });
    }

    fn receive(&mut self, from: u32) {
        let channel = self.channel_from(from);
        self.body.push(Op::Receive { channel });
    }

    fn member(&self, number: u32) -> Result<u32, &'static str> {
        self.participants.member(number).ok_or(MEMBERS)
    }

    /// All blocks to the root, which waits for them together. Empty blocks are not sent.
    fn gather(mut self, call: &CollectiveCall) -> BodyResult {
        let (own, size) = (self.participants.own(), self.participants.size());
        let root = call.instance.root.unwrap_or(0);
        if own != root {
            if call.send_bytes > 0 {
                self.send(self.member(root)?, call.send_bytes);
            }
            return Ok(self.body);
        }
        check(&call.receive_sizes, size)?;
        for number in (0..size).filter(|number| *number != own && call.receive_sizes[*number as usize] > 0) {
            self.start_receive(self.member(number)?);
        }
        if !call.in_place {
            self.body.copy(call.send_bytes);
        }
        self.body.wait_all();
        Ok(self.body)
    }

    fn scatter(mut self, call: &CollectiveCall) -> BodyResult {
        let (own, size) = (self.participants.own(), self.participants.size());
        let root = call.instance.root.unwrap_or(0);
        if own != root {
            if call.receive_bytes > 0 {
                self.receive(self.member(root)?);
            }
            return Ok(self.body);
        }
        check(&call.send_sizes, size)?;
        for number in (0..size).filter(|number| *number != own && call.send_sizes[*number as usize] > 0) {
            self.start_send(self.member(number)?, call.send_sizes[number as usize]);
        }
        if !call.in_place {
            self.body.copy(call.receive_bytes);
        }
        self.body.wait_all();
        Ok(self.body)
    }

    /// A ring: each rank forwards the block that it received last.
    fn gather_all(mut self, call: &CollectiveCall) -> BodyResult {
        let (own, size) = (self.participants.own(), self.participants.size());
        check(&call.receive_sizes, size)?;
        if !call.in_place {
            self.body.copy(call.receive_sizes[own as usize]);
        }
        let (next, last) = (self.member((own + 1) % size)?, self.member((own + size - 1) % size)?);
        for step in 0..size - 1 {
            self.start_receive(last);
            self.start_send(next, call.receive_sizes[((own + size - step) % size) as usize]);
            self.body.wait_all();
        }
        Ok(self.body)
    }

    /// All pairs, started at once with receives first. Empty blocks are not sent.
    fn exchange(mut self, call: &CollectiveCall) -> BodyResult {
        let (own, size) = (self.participants.own(), self.participants.size());
        let receive_sizes = &call.receive_sizes;
        let send_sizes = if call.in_place { receive_sizes } else { &call.send_sizes };
        check(send_sizes, size)?;
        check(receive_sizes, size)?;
        if !call.in_place {
            self.body.copy(send_sizes[own as usize]);
        }
        for distance in 1..size {
            let from = (own + size - distance) % size;
            if receive_sizes[from as usize] > 0 {
                self.start_receive(self.member(from)?);
            }
        }
        for distance in 1..size {
            let to = (own + distance) % size;
            if send_sizes[to as usize] > 0 {
                self.start_send(self.member(to)?, send_sizes[to as usize]);
            }
        }
        self.body.wait_all();
        Ok(self.body)
    }

    fn neighbours(mut self, call: &CollectiveCall) -> BodyResult {
        let comm = &call.comm;
        for source in comm.sources.iter().filter(|source| *source != Ranks::OUTSIDE && *source != comm.rank) {
            self.start_receive(self.member(source)?);
        }
        for (index, to) in comm.destinations.iter().enumerate().filter(|(_, to)| *to != Ranks::OUTSIDE) {
            let bytes = call.send_sizes.get(index).copied().unwrap_or(call.send_bytes);
            if to == comm.rank {
                self.body.copy(bytes);
            } else {
                self.start_send(self.member(to)?, bytes);
            }
        }
        self.body.wait_all();
        Ok(self.body)
    }

    /// Each side of an intercommunicator receives what the other sends.
    fn between_sides(mut self, kind: CollectiveKind, call: &CollectiveCall) -> BodyResult {
        let CollectiveKind::Group(collective) = kind else { return Err(INTERCOMM) };
        let others = call.comm.partners();
        let root = match call.root {
            Peer::Relative(_) => {
                let number = call.root.rank(call.comm.rank).ok_or(MEMBERS)?;
                Some(others.get(number).ok_or(MEMBERS)?)
            }
            _ => None,
        };
        let is_root = call.root == Peer::Root;
        let block = |index: usize| call.send_sizes.get(index).copied().unwrap_or(call.send_bytes);
        match collective {
            Collective::Scan | Collective::Exscan => return Err(INTERCOMM),
            Collective::Broadcast | Collective::Scatter => {
                if is_root {
                    others.iter().enumerate().for_each(|(index, other)| self.start_send(other, block(index)));
                } else if let Some(root) = root {
                    self.receive(root);
                }
            }
            Collective::Gather | Collective::Reduce => {
                if is_root {
                    others.iter().for_each(|other| self.start_receive(other));
                } else if let Some(root) = root {
                    self.send(root, call.send_bytes);
                }
            }
            Collective::Barrier | Collective::Allgather | Collective::Alltoall => {
                others.iter().for_each(|other| self.start_receive(other));
                others.iter().enumerate().for_each(|(index, other)| self.start_send(other, block(index)));
            }
            Collective::Allreduce | Collective::ReduceScatter => {
                let is_scattered = collective == Collective::ReduceScatter;
                let bytes = if is_scattered { call.block() } else { call.send_bytes };
                others.iter().for_each(|other| self.start_receive(other));
                others.iter().for_each(|other| self.start_send(other, bytes));
            }
        }
        self.body.wait_all();
        let combines = matches!(collective, Collective::Allreduce | Collective::ReduceScatter)
            || collective == Collective::Reduce && is_root;
        if combines {
            let bytes = if collective == Collective::ReduceScatter { call.block() } else { call.send_bytes };
            (1..others.len()).for_each(|_| self.body.reduce(bytes));
        }
        Ok(self.body)
    }
}

impl CollectiveCall {
    /// The bytes that one rank of the other side gets of a reduce-scatter.
    fn block(&self) -> u64 {
        if self.send_sizes.is_empty() {
            self.send_bytes
        } else {
            self.send_bytes / u64::from(self.comm.partners().len().max(1))
        }
    }
}

fn check(list: &[u64], size: u32) -> Result<(), &'static str> {
    if list.len() == size as usize { Ok(()) } else { Err(LISTS) }
}
