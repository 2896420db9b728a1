//! One rank's operations, one after the other.

use panto_schedule::Collective;
use panto_sim::program::{Act, Channel, Code, Op, Sending};

use super::errand::Clerk;
use super::outgoing::Outgoing;
use super::routes::{NOBODYS, Routes};
use crate::error::{Error, Result};
use crate::message::{Mode, Want};
use crate::transport::Transport;

/// A loop that is under way.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// How often it is still to be done, this time included,
    left: u64,
    /// where it begins,
    at: usize,
    /// and where the rank goes on after it.
    after: usize,
}

/// Something that was started, and the memory that it uses.
struct Held<H> {
    handle: H,
    is_send: bool,
    /// Of a receive. Never moved or read while the operation goes on.
    buffer: Vec<u8>,
}

/// One rank that is ready to carry out what it does.
pub struct Performer<'a, T: Transport> {
    transport: &'a T,
    channels: &'a [Channel],
    routes: &'a Routes,
    ops: &'a [Op],
    clerk: Clerk<'a, T>,
    slots: Vec<Option<Held<T::Handle>>>,
    /// What nobody waits for.
    freed: Vec<Held<T::Handle>>,
    /// What messages are sent from,
    outgoing: Outgoing,
    /// what comes in one call goes here,
    incoming: Vec<u8>,
    /// and what is waited for later there, while its slot is free. All of it was touched before the start, as a program's memory has
    /// been: to get a page from the system takes longer than to fill it.
    memory: Vec<Vec<u8>>,
    rounds: Vec<Round>,
    serves: Option<Collective>,
}

impl<'a, T: Transport> Performer<'a, T> {
    pub(super) fn new(
        transport: &'a T,
        channels: &'a [Channel],
        routes: &'a Routes,
        code: &'a Code,
        clerk: Clerk<'a, T>,
    ) -> Self {
        Self {
            transport,
            channels,
            routes,
            ops: &code.ops,
            clerk,
            slots: (0..code.slots).map(|_| None).collect(),
            freed: Vec::new(),
            outgoing: Outgoing::new(&code.ops, transport.size()),
            incoming: vec![1; routes.most],
            memory: memory(code, routes),
            rounds: Vec::new(),
            serves: None,
        }
    }

    /// Writes all that will be sent, as a program does before it sends. What was sent already would be in the receiver's caches, and
    /// come from there in half the time.
    pub fn prepare(&mut self) {
        self.end_all();
        self.outgoing.write();
    }

    /// Does all there is; again if it is called again, with the memory that it has. All ranks must have ended before one begins
    /// again: a receive that never gets anything would get a message of the next time.
    pub fn perform(&mut self) -> Result<()> {
        self.clerk.begin();
        let mut next = 0;
        while let Some(op) = self.ops.get(next) {
            match op.act() {
                Act::Repeat { at, times } => {
                    self.rounds.push(Round { left: times, at: at as usize, after: next + 1 });
                    next = at as usize;
                }
                Act::End => match self.again() {
                    Some(place) => next = place,
                    None => break,
                },
                act => {
                    self.act(act)?;
                    next += 1;
                }
            }
        }
        self.finish()
    }

    /// Where to go on at the end of a loop; nowhere at that of the main part.
    fn again(&mut self) -> Option<usize> {
        let round = self.rounds.last_mut()?;
        round.left -= 1;
        if round.left > 0 {
            return Some(round.at);
        }
        self.rounds.pop().map(|round| round.after)
    }

    fn act(&mut self, act: Act) -> Result<()> {
        match act {
            Act::Compute(time) | Act::Call { before: time, .. } => self.clerk.compute(time),
            Act::ComputeListed | Act::CallListed { .. } => self.clerk.compute_listed(),
            Act::Send { sending, channel, bytes } => self.send(sending, channel, bytes as usize)?,
            Act::StartSend { sending, slot, channel, bytes } => {
                self.start_send(sending, slot, channel, bytes as usize)?;
            }
            Act::Receive { channel } => self.receive(channel)?,
            Act::StartReceive { slot, channel } => self.start_receive(slot, channel)?,
            Act::Wait { slot } => self.wait(slot)?,
            Act::Free { slot } => self.freed.extend(self.slots[slot as usize].take()),
            Act::Probe { channel } => {
                let (want, _) = self.coming(channel);
                self.transport.probe(want)?;
            }
            Act::Poll { times } => {
                for _ in 0..times {
                    self.transport.try_probe(Want::tag(NOBODYS))?;
                }
            }
            Act::Copy { bytes } => self.clerk.copy(bytes as usize),
            Act::Reduce { bytes } => self.clerk.reduce(bytes as usize),
            Act::StartPick { .. }
            | Act::ProbePick { .. }
            | Act::Remote { .. }
            | Act::File { .. }
            | Act::Repeat { .. }
            | Act::End => return Err(Error::Unsupported("operation of a traced program")),
        }
        Ok(())
    }

    /// What follows is done on behalf of what the channel is for.
    fn serve(&mut self, channel: u32) -> Channel {
        let channel = self.channels[channel as usize];
        let operation = channel.lane.operation();
        if operation != self.serves {
            self.transport.on_behalf_of(operation);
            self.serves = operation;
        }
        channel
    }

    /// What a receive on a channel wants, and how much may come.
    fn coming(&mut self, channel: u32) -> (Want, usize) {
        let route = self.routes.of(channel);
        (Want::new(self.serve(channel).from as usize, route.tag), route.most)
    }

    fn send(&mut self, sending: Sending, channel: u32, bytes: usize) -> Result<()> {
        let (to, tag) = (self.serve(channel).to as usize, self.routes.of(channel).tag);
        self.transport.send(mode(sending), self.outgoing.take(bytes), to, tag)
    }

    fn start_send(&mut self, sending: Sending, slot: u32, channel: u32, bytes: usize) -> Result<()> {
        let (to, tag) = (self.serve(channel).to as usize, self.routes.of(channel).tag);
        let data = self.outgoing.take(bytes).as_ptr();
        // SAFETY: nothing writes to `outgoing` until `end_all` has ended all that was started, nor is it dropped before.
        let handle = unsafe { self.transport.start_send(mode(sending), data, bytes, to, tag)? };
        self.hold(slot, Held { handle, is_send: true, buffer: Vec::new() });
        Ok(())
    }

    fn receive(&mut self, channel: u32) -> Result<()> {
        let (want, most) = self.coming(channel);
        self.transport.receive(&mut self.incoming[..most], want).map(drop)
    }

    fn start_receive(&mut self, slot: u32, channel: u32) -> Result<()> {
        let (want, most) = self.coming(channel);
        let mut buffer = std::mem::take(&mut self.memory[slot as usize]);
        // Where the one before is still under way it has the memory.
        buffer.resize(buffer.len().max(most), 1);
        // SAFETY: the memory of `buffer` belongs to this operation alone, stays where it is when the vector is moved, and lives until
        // the operation is complete or `end_all` has ended it.
        let handle = unsafe { self.transport.start_receive(buffer.as_mut_ptr(), most, want)? };
        self.hold(slot, Held { handle, is_send: false, buffer });
        Ok(())
    }

    /// What was in the slot is still under way if nobody waited for it.
    fn hold(&mut self, slot: u32, held: Held<T::Handle>) {
        self.freed.extend(self.slots[slot as usize].replace(held));
    }

    fn wait(&mut self, slot: u32) -> Result<()> {
        let Some(held) = &mut self.slots[slot as usize] else { return Ok(()) };
        self.transport.wait(&mut held.handle)?;
        if let Some(held) = self.slots[slot as usize].take().filter(|held| !held.is_send) {
            self.memory[slot as usize] = held.buffer;
        }
        Ok(())
    }

    /// Sends that nobody waited for must still arrive.
    fn finish(&mut self) -> Result<()> {
        let sends = self.freed.iter_mut().chain(self.slots.iter_mut().flatten()).filter(|held| held.is_send);
        for held in sends {
            self.transport.wait(&mut held.handle)?;
        }
        self.end_all();
        Ok(())
    }

    /// Memory may go only after what uses it has ended.
    fn end_all(&mut self) {
        let slots = self.slots.iter_mut().filter_map(Option::take);
        for mut held in self.freed.drain(..).chain(slots) {
            self.transport.cancel(&mut held.handle);
        }
        self.transport.on_behalf_of(None);
        self.serves = None;
    }
}

impl<T: Transport> Drop for Performer<'_, T> {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Memory for the longest receive of each slot.
fn memory(code: &Code, routes: &Routes) -> Vec<Vec<u8>> {
    let mut most = vec![0; code.slots as usize];
    for op in &code.ops {
        if let Act::StartReceive { slot, channel } = op.act() {
            let most: &mut usize = &mut most[slot as usize];
            *most = routes.of(channel).most.max(*most);
        }
    }
    most.into_iter().map(|bytes| vec![1; bytes]).collect()
}

/// A ready send would be wrong if its receive is not posted, which was the program's care and may depend on what is not in the trace.
fn mode(sending: Sending) -> Mode {
    match sending {
        Sending::Standard | Sending::Ready => Mode::Standard,
        Sending::Buffered => Mode::Buffered,
        Sending::Synchronous => Mode::Synchronous,
    }
}
