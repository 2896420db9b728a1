//! The memory that messages are sent from.

use panto_sim::program::{Op, PackedOp};

/// Maximum bytes per rank, unless one message needs more: what a program sends in an hour would not
/// fit.
const MAX_BYTES: usize = 16 << 20;
/// Maximum bytes of all ranks, which may be threads of one process.
const MAX_TOTAL_BYTES: usize = 256 << 20;
/// Alignment of messages in bytes: a cache line.
const LINE: usize = 64;

/// Memory in which each message has its own position as long as there is room; then positions are
/// reused.
#[derive(Debug)]
pub(super) struct SendBuffers {
    memory: Vec<u8>,
    next: usize,
    /// The value that was written last.
    value: u8,
}

impl SendBuffers {
    /// Allocates memory for one of `ranks` ranks, which executes these operations.
    pub(super) fn new(ops: &[PackedOp], ranks: usize) -> Self {
        let longest = ops.iter().filter_map(sent).max().unwrap_or(0);
        let room = total(ops, 0).min(MAX_BYTES).min(MAX_TOTAL_BYTES / ranks.max(1)).max(longest);
        Self { memory: vec![0x5a; room], next: 0, value: 0x5a }
    }

    /// Writes to all of the memory, and starts again at its beginning.
    pub(super) fn write(&mut self) {
        self.value = self.value.wrapping_add(1);
        self.memory.fill(self.value);
        self.next = 0;
    }

    /// Returns the memory of the next message.
    pub(super) fn take(&mut self, bytes: usize) -> &[u8] {
        if self.next + bytes > self.memory.len() {
            self.next = 0;
        }
        let start = self.next;
        self.next = (start + bytes).next_multiple_of(LINE);
        &self.memory[start..start + bytes]
    }
}

/// Returns the length of the message that an operation sends, if it does.
fn sent(op: &PackedOp) -> Option<usize> {
    match op.unpack() {
        Op::Send { bytes, .. } | Op::StartSend { bytes, .. } => usize::try_from(bytes).ok(),
        _ => None,
    }
}

/// Returns the bytes of all messages from one operation to the end of its part, including loops.
fn total(ops: &[PackedOp], from: usize) -> usize {
    let mut room: usize = 0;
    for op in &ops[from..] {
        let more = match op.unpack() {
            Op::End => break,
            Op::Repeat { at, times } => {
                total(ops, at as usize).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
            }
            _ => sent(op).unwrap_or(0).next_multiple_of(LINE),
        };
        room = room.saturating_add(more);
    }
    room
}

#[cfg(test)]
mod tests {
    use panto_sim::program::SendMode;

    use super::*;

    fn send(bytes: u64) -> PackedOp {
        Op::Send { mode: SendMode::Standard, channel: 0, bytes }.into()
    }

    #[test]
    fn each_message_has_its_own_position() {
        let repeat = Op::Repeat { at: 3, times: 2 }.into();
        let ops = [send(10), repeat, Op::End.into(), send(100), Op::End.into()];
        assert_eq!(total(&ops, 0), 64 + 2 * 128);
        let mut send_buffers = SendBuffers::new(&ops, 2);
        let places: Vec<usize> =
            [10, 100, 100].into_iter().map(|bytes| send_buffers.take(bytes).as_ptr().addr()).collect();
        assert_eq!([places[1] - places[0], places[2] - places[1]], [64, 128]);
        assert_eq!(send_buffers.take(300).as_ptr().addr(), places[0]);
    }

    #[test]
    fn memory_is_bounded_unless_a_message_is_longer() {
        let repeat = |times| Op::Repeat { at: 2, times }.into();
        let ops = |bytes, times| [repeat(times), Op::End.into(), send(bytes), Op::End.into()];
        assert_eq!(SendBuffers::new(&ops(1000, 1 << 40), 2).memory.len(), MAX_BYTES);
        assert_eq!(SendBuffers::new(&ops(1000, 1 << 40), 1024).memory.len(), MAX_TOTAL_BYTES / 1024);
        assert_eq!(SendBuffers::new(&ops(20 << 20, 5), 1024).memory.len(), 20 << 20);
    }

    #[test]
    fn all_memory_is_written() {
        let mut send_buffers = SendBuffers::new(&[send(100), Op::End.into()], 2);
        let before = send_buffers.take(100)[99];
        send_buffers.write();
        assert_ne!(send_buffers.take(100)[99], before);
    }
}
