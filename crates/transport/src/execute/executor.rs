//! The execution of one rank's operations.

use panto_schedule::Collective;
use panto_sim::program::{Channel, Code, Op, PackedOp};

use super::channel_tags::{ChannelTags, UNUSED_TAG};
use super::local_work::LocalWork;
use super::send_buffers::SendBuffers;
use crate::error::{Error, Result};
use crate::message::{Selector, SendMode};
use crate::transport::Transport;

/// A loop in execution.
#[derive(Debug, Clone, Copy)]
struct LoopFrame {
    /// Remaining iterations, the current one included.
    left: u64,
    /// The index of the loop's first operation.
    at: usize,
    /// The index of the operation after the loop.
    after: usize,
}

/// A started operation, and the memory that it uses.
struct PendingOp<H> {
    handle: H,
    is_send: bool,
    /// The buffer of a receive. Neither moved nor read while the operation is pending.
    buffer: Vec<u8>,
}

/// One rank of a program, with the memory that its execution needs.
pub struct Executor<'a, T: Transport> {
    transport: &'a T,
    channels: &'a [Channel],
    channel_tags: &'a ChannelTags,
    ops: &'a [PackedOp],
    local_work: LocalWork<'a, T>,
    slots: Vec<Option<PendingOp<T::Handle>>>,
    /// Operations that the program does not wait for.
    freed: Vec<PendingOp<T::Handle>>,
    /// The memory that messages are sent from.
    send_buffers: SendBuffers,
    /// The buffer of blocking receives.
    incoming: Vec<u8>,
    /// The buffers of non-blocking receives, by slot, while the slot is unused. All were touched
    /// before the start, like a real program's memory: getting a page from the system takes longer
    /// than filling it.
    memory: Vec<Vec<u8>>,
    loops: Vec<LoopFrame>,
    attributed_to: Option<Collective>,
}

impl<'a, T: Transport> Executor<'a, T> {
    pub(super) fn new(
        transport: &'a T,
        channels: &'a [Channel],
        channel_tags: &'a ChannelTags,
        code: &'a Code,
        local_work: LocalWork<'a, T>,
    ) -> Self {
        Self {
            transport,
            channels,
            channel_tags,
            ops: &code.ops,
            local_work,
            slots: (0..code.slots).map(|_| None).collect(),
            freed: Vec::new(),
            send_buffers: SendBuffers::new(&code.ops, transport.size()),
            incoming: vec![1; channel_tags.max_len],
            memory: memory(code, channel_tags),
            loops: Vec::new(),
            attributed_to: None,
        }
    }

    /// Writes all data that will be sent, as a program does before it sends. Data that was sent
    /// before would still be in the receiver's caches, and transfer in half the time.
    pub fn prepare(&mut self) {
        self.end_all();
        self.send_buffers.write();
    }

    /// Executes the program. It can be called again, with the same memory, when all ranks have
    /// ended: a receive that never matches would otherwise match a message of the next execution.
    pub fn run(&mut self) -> Result<()> {
        self.local_work.begin();
        let mut next = 0;
        while let Some(op) = self.ops.get(next) {
            match op.unpack() {
                Op::Repeat { at, times } => {
                    self.loops.push(LoopFrame { left: times, at: at as usize, after: next + 1 });
                    next = at as usize;
                }
                Op::End => match self.end_of_part() {
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

    /// Returns the index of the next operation at the end of a loop; `None` at the end of the
    /// program.
    fn end_of_part(&mut self) -> Option<usize> {
        let frame = self.loops.last_mut()?;
        frame.left -= 1;
        if frame.left > 0 {
            return Some(frame.at);
        }
        self.loops.pop().map(|frame| frame.after)
    }

    fn act(&mut self, act: Op) -> Result<()> {
        match act {
            Op::Compute(time) | Op::Call { before: time, .. } => self.local_work.compute(time),
            Op::ComputeListed | Op::CallListed { .. } => self.local_work.compute_listed(),
            Op::Send { mode, channel, bytes } => self.send(mode, channel, bytes as usize)?,
            Op::StartSend { mode, slot, channel, bytes } => {
                self.start_send(mode, slot, channel, bytes as usize)?;
            }
            Op::Receive { channel } => self.receive(channel)?,
            Op::StartReceive { slot, channel } => self.start_receive(slot, channel)?,
            Op::Wait { slot } => self.wait(slot)?,
            Op::Free { slot } => self.freed.extend(self.slots[slot as usize].take()),
            Op::Probe { channel } => {
                let (selector, _) = self.selector(channel);
                self.transport.probe(selector)?;
            }
            Op::Poll { times } => {
                for _ in 0..times {
                    self.transport.try_probe(Selector::tag(UNUSED_TAG))?;
                }
            }
            Op::Copy { bytes } => self.local_work.copy(bytes as usize),
            Op::Reduce { bytes } => self.local_work.reduce(bytes as usize),
            Op::StartWildcard { .. }
            | Op::ProbeWildcard { .. }
            | Op::Remote { .. }
            | Op::File { .. }
            | Op::Repeat { .. }
            | Op::End => return Err(Error::Unsupported("operation of a traced program")),
        }
        Ok(())
    }

    /// Attributes what follows to the collective of the channel.
    fn attribute(&mut self, channel: u32) -> Channel {
        let channel = self.channels[channel as usize];
        let operation = channel.kind.operation();
        if operation != self.attributed_to {
            self.transport.set_collective(operation);
            self.attributed_to = operation;
        }
        channel
    }

    /// Returns the selector of a receive on a channel, and its maximum length.
    fn selector(&mut self, channel: u32) -> (Selector, usize) {
        let channel_tag = self.channel_tags.of(channel);
        (Selector::new(self.attribute(channel).from as usize, channel_tag.tag), channel_tag.max_len)
    }

    fn send(&mut self, mode: SendMode, channel: u32, bytes: usize) -> Result<()> {
        let (to, tag) = (self.attribute(channel).to as usize, self.channel_tags.of(channel).tag);
        self.transport.send(executed_mode(mode), self.send_buffers.take(bytes), to, tag)
    }

    fn start_send(&mut self, mode: SendMode, slot: u32, channel: u32, bytes: usize) -> Result<()> {
        let (to, tag) = (self.attribute(channel).to as usize, self.channel_tags.of(channel).tag);
        let data = self.send_buffers.take(bytes).as_ptr();
        // SAFETY: `send_buffers` is neither written nor dropped before `end_all` has ended all
        // operations.
        let handle = unsafe { self.transport.start_send(executed_mode(mode), data, bytes, to, tag)? };
        self.store(slot, PendingOp { handle, is_send: true, buffer: Vec::new() });
        Ok(())
    }

    fn receive(&mut self, channel: u32) -> Result<()> {
        let (selector, most) = self.selector(channel);
        self.transport.receive(&mut self.incoming[..most], selector).map(drop)
    }

    fn start_receive(&mut self, slot: u32, channel: u32) -> Result<()> {
        let (selector, most) = self.selector(channel);
        let mut buffer = std::mem::take(&mut self.memory[slot as usize]);
        // The buffer is in use if the previous operation of this slot is still pending.
        buffer.resize(buffer.len().max(most), 1);
        // SAFETY: the buffer belongs to this operation alone, does not move when the vector is
        // moved, and lives until the operation is complete or `end_all` has ended it.
        let handle = unsafe { self.transport.start_receive(buffer.as_mut_ptr(), most, selector)? };
        self.store(slot, PendingOp { handle, is_send: false, buffer });
        Ok(())
    }

    /// Stores an operation in a slot. A previous one that was not waited for is still pending.
    fn store(&mut self, slot: u32, pending: PendingOp<T::Handle>) {
        self.freed.extend(self.slots[slot as usize].replace(pending));
    }

    fn wait(&mut self, slot: u32) -> Result<()> {
        let Some(pending) = &mut self.slots[slot as usize] else { return Ok(()) };
        self.transport.wait(&mut pending.handle)?;
        if let Some(pending) = self.slots[slot as usize].take().filter(|pending| !pending.is_send) {
            self.memory[slot as usize] = pending.buffer;
        }
        Ok(())
    }

    /// Completes the execution. Sends that the program did not wait for must still arrive.
    fn finish(&mut self) -> Result<()> {
        let sends =
            self.freed.iter_mut().chain(self.slots.iter_mut().flatten()).filter(|pending| pending.is_send);
        for pending in sends {
            self.transport.wait(&mut pending.handle)?;
        }
        self.end_all();
        Ok(())
    }

    /// Ends all pending operations, so that their memory can be freed.
    fn end_all(&mut self) {
        let slots = self.slots.iter_mut().filter_map(Option::take);
        for mut pending in self.freed.drain(..).chain(slots) {
            self.transport.cancel(&mut pending.handle);
        }
        self.transport.set_collective(None);
        self.attributed_to = None;
    }
}

impl<T: Transport> Drop for Executor<'_, T> {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Allocates a buffer for the longest receive of each slot.
fn memory(code: &Code, channel_tags: &ChannelTags) -> Vec<Vec<u8>> {
    let mut most = vec![0; code.slots as usize];
    for op in &code.ops {
        if let Op::StartReceive { slot, channel } = op.unpack() {
            let most: &mut usize = &mut most[slot as usize];
            *most = channel_tags.of(channel).max_len.max(*most);
        }
    }
    most.into_iter().map(|bytes| vec![1; bytes]).collect()
}

/// A ready send is erroneous if its receive is not posted, which may depend on what is not in the
/// trace.
fn executed_mode(mode: SendMode) -> SendMode {
    if mode == SendMode::Ready { SendMode::Standard } else { mode }
}
