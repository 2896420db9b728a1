//! Collectives by direct messages: parts of different lengths, neighbours, and the two sides of an intercommunicator.

use panto_schedule::Collective;
use panto_trace::{Pattern, Peer, Ranks};

use super::agreed::What;
use super::channels::Place;
use super::code::Body;
use super::operation::Operation;
use super::scheduled::collective;
use super::shared::Shared;
use super::team::Team;
use crate::program::{Act, Sending};

const LISTS: &str = "its lists have not as many parts as there are ranks; trace the program again";
const MEMBERS: &str = "its partners are outside of the communicator; trace the program again";
const TWO_SIDES: &str = "it has no meaning between two sides; trace the program again";

/// Is it carried out by direct messages?
pub fn serves(operation: &Operation) -> bool {
    operation.comm.others.is_some() && operation.instance.what != What::Creation
        || match operation.instance.what {
            What::Listed(_) => true,
            What::Pattern(pattern) => {
                matches!(pattern, Pattern::NeighbourAllGather | Pattern::NeighbourAllToAll)
            }
            What::Creation | What::Window => false,
        }
}

/// What this rank does.
pub fn body(
    shared: &mut Shared<'_>,
    team: Team<'_>,
    operation: &Operation,
    now: Place,
) -> Result<Body, &'static str> {
    let (What::Pattern(pattern) | What::Listed(pattern)) = operation.instance.what else {
        return Err(TWO_SIDES);
    };
    let own = team.member(team.own()).ok_or(MEMBERS)?;
    let direct = Direct { shared, team, own, kind: collective(pattern), now, body: Body::default() };
    if operation.comm.others.is_some() {
        return direct.between_sides(pattern, operation);
    }
    match pattern {
        Pattern::Gather => direct.gather(operation),
        Pattern::Scatter => direct.scatter(operation),
        Pattern::AllGather => direct.gather_all(operation),
        Pattern::NeighbourAllGather | Pattern::NeighbourAllToAll => direct.neighbours(operation),
        _ => direct.exchange(operation),
    }
}

type Made = Result<Body, &'static str>;

struct Direct<'w, 's, 'k> {
    shared: &'w mut Shared<'s>,
    team: Team<'k>,
    /// This rank of the program.
    own: u32,
    kind: Collective,
    now: Place,
    body: Body,
}

impl Direct<'_, '_, '_> {
    fn channel_to(&mut self, to: u32) -> u32 {
        let channel = self.team.to(self.shared, self.own, to, self.kind);
        self.shared.channels.traffic(channel).sends.add(self.now);
        channel
    }

    fn channel_from(&mut self, from: u32) -> u32 {
        let channel = self.team.from(self.shared, self.own, from, self.kind);
        self.shared.channels.traffic(channel).receives.add(self.now);
        channel
    }

    fn start_send(&mut self, to: u32, bytes: u64) {
        let channel = self.channel_to(to);
        self.body.start(|slot| Act::StartSend { sending: Sending::Standard, slot, channel, bytes });
    }

    fn start_receive(&mut self, from: u32) {
        let channel = self.channel_from(from);
        self.body.start(|slot| Act::StartReceive { slot, channel });
    }

    fn send(&mut self, to: u32, bytes: u64) {
        let channel = self.channel_to(to);
        self.body.push(Act::Send { sending: Sending::Standard, channel, bytes });
    }

    fn receive(&mut self, from: u32) {
        let channel = self.channel_from(from);
        self.body.push(Act::Receive { channel });
    }

    fn member(&self, number: u32) -> Result<u32, &'static str> {
        self.team.member(number).ok_or(MEMBERS)
    }

    /// All parts to the root, which waits for them together. Who has nothing sends nothing.
    fn gather(mut self, operation: &Operation) -> Made {
        let (own, size) = (self.team.own(), self.team.size());
        let root = operation.instance.root.unwrap_or(0);
        if own != root {
            if operation.bytes > 0 {
                self.send(self.member(root)?, operation.bytes);
            }
            return Ok(self.body);
        }
        check(&operation.gets, size)?;
        for number in (0..size).filter(|number| *number != own && operation.gets[*number as usize] > 0) {
            self.start_receive(self.member(number)?);
        }
        if !operation.in_place {
            self.body.copy(operation.bytes);
        }
        self.body.wait_all();
        Ok(self.body)
    }

    fn scatter(mut self, operation: &Operation) -> Made {
        let (own, size) = (self.team.own(), self.team.size());
        let root = operation.instance.root.unwrap_or(0);
        if own != root {
            if operation.room > 0 {
                self.receive(self.member(root)?);
            }
            return Ok(self.body);
        }
        check(&operation.gives, size)?;
        for number in (0..size).filter(|number| *number != own && operation.gives[*number as usize] > 0) {
            self.start_send(self.member(number)?, operation.gives[number as usize]);
        }
        if !operation.in_place {
            self.body.copy(operation.room);
        }
        self.body.wait_all();
        Ok(self.body)
    }

    /// A ring: each passes on the block that it got last.
    fn gather_all(mut self, operation: &Operation) -> Made {
        let (own, size) = (self.team.own(), self.team.size());
        check(&operation.gets, size)?;
        if !operation.in_place {
            self.body.copy(operation.gets[own as usize]);
        }
        let (next, last) = (self.member((own + 1) % size)?, self.member((own + size - 1) % size)?);
        for step in 0..size - 1 {
            self.start_receive(last);
            self.start_send(next, operation.gets[((own + size - step) % size) as usize]);
            self.body.wait_all();
        }
        Ok(self.body)
    }

    /// Everybody with everybody, all started at once, receives first; who has nothing for the other sends nothing.
    fn exchange(mut self, operation: &Operation) -> Made {
        let (own, size) = (self.team.own(), self.team.size());
        let gets = &operation.gets;
        let gives = if operation.in_place { gets } else { &operation.gives };
        check(gives, size)?;
        check(gets, size)?;
        if !operation.in_place {
            self.body.copy(gives[own as usize]);
        }
        for far in 1..size {
            let from = (own + size - far) % size;
            if gets[from as usize] > 0 {
                self.start_receive(self.member(from)?);
            }
        }
        for far in 1..size {
            let to = (own + far) % size;
            if gives[to as usize] > 0 {
                self.start_send(self.member(to)?, gives[to as usize]);
            }
        }
        self.body.wait_all();
        Ok(self.body)
    }

    fn neighbours(mut self, operation: &Operation) -> Made {
        let comm = &operation.comm;
        for source in comm.sources.iter().filter(|source| *source != Ranks::OUTSIDE && *source != comm.rank) {
            self.start_receive(self.member(source)?);
        }
        for (place, to) in comm.destinations.iter().enumerate().filter(|(_, to)| *to != Ranks::OUTSIDE) {
            let bytes = operation.gives.get(place).copied().unwrap_or(operation.bytes);
            if to == comm.rank {
                self.body.copy(bytes);
            } else {
                self.start_send(self.member(to)?, bytes);
            }
        }
        self.body.wait_all();
        Ok(self.body)
    }

    /// Each side gets what the other gives.
    fn between_sides(mut self, pattern: Pattern, operation: &Operation) -> Made {
        let others = operation.comm.partners();
        let root = match operation.root {
            Peer::Relative(_) => {
                let number = operation.root.rank(operation.comm.rank).ok_or(MEMBERS)?;
                Some(others.get(number).ok_or(MEMBERS)?)
            }
            _ => None,
        };
        let is_root = operation.root == Peer::Here;
        let part = |place: usize| operation.gives.get(place).copied().unwrap_or(operation.bytes);
        match pattern {
            Pattern::Scan
            | Pattern::ExclusiveScan
            | Pattern::NeighbourAllGather
            | Pattern::NeighbourAllToAll => return Err(TWO_SIDES),
            Pattern::Broadcast | Pattern::Scatter => {
                if is_root {
                    others.iter().enumerate().for_each(|(place, other)| self.start_send(other, part(place)));
                } else if let Some(root) = root {
                    self.receive(root);
                }
            }
            Pattern::Gather | Pattern::Reduce => {
                if is_root {
                    others.iter().for_each(|other| self.start_receive(other));
                } else if let Some(root) = root {
                    self.send(root, operation.bytes);
                }
            }
            Pattern::Barrier | Pattern::AllGather | Pattern::AllToAll => {
                others.iter().for_each(|other| self.start_receive(other));
                others.iter().enumerate().for_each(|(place, other)| self.start_send(other, part(place)));
            }
            Pattern::AllReduce | Pattern::ReduceScatter => {
                let is_cut = pattern == Pattern::ReduceScatter;
                let bytes = if is_cut { operation.block() } else { operation.bytes };
                others.iter().for_each(|other| self.start_receive(other));
                others.iter().for_each(|other| self.start_send(other, bytes));
            }
        }
        self.body.wait_all();
        let combines = matches!(pattern, Pattern::AllReduce | Pattern::ReduceScatter)
            || pattern == Pattern::Reduce && is_root;
        if combines {
            let bytes = if pattern == Pattern::ReduceScatter { operation.block() } else { operation.bytes };
            (1..others.len()).for_each(|_| self.body.reduce(bytes));
        }
        Ok(self.body)
    }
}

impl Operation {
    /// What one rank of the other side gets of a reduction that is cut into parts.
    fn block(&self) -> u64 {
        if self.gives.is_empty() {
            self.bytes
        } else {
            self.bytes / u64::from(self.comm.partners().len().max(1))
        }
    }
}

fn check(list: &[u64], size: u32) -> Result<(), &'static str> {
    if list.len() == size as usize { Ok(()) } else { Err(LISTS) }
}
