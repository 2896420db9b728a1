//! What messages are sent from.

use panto_sim::program::{Act, Op};

/// No more memory than this for a rank unless one message needs more: what a program sends in an hour would not fit.
const MOST: usize = 16 << 20;
/// And no more than this for all ranks, which may be threads of one process.
const MOST_OF_ALL: usize = 256 << 20;
/// Messages begin at lines of the cache, as most of a program's do.
const LINE: usize = 64;

/// Memory in which each message has a place of its own, as far as that goes; then the first places come again.
#[derive(Debug)]
pub(super) struct Outgoing {
    memory: Vec<u8>,
    next: usize,
    /// What was written last.
    value: u8,
}

impl Outgoing {
    /// For one of so many ranks, which does this.
    pub(super) fn new(ops: &[Op], ranks: usize) -> Self {
        let longest = ops.iter().filter_map(sent).max().unwrap_or(0);
        let room = total(ops, 0).min(MOST).min(MOST_OF_ALL / ranks.max(1)).max(longest);
        Self { memory: vec![0x5a; room], next: 0, value: 0x5a }
    }

    /// Writes to all of it, and begins with the first place again.
    pub(super) fn write(&mut self) {
        self.value = self.value.wrapping_add(1);
        self.memory.fill(self.value);
        self.next = 0;
    }

    /// The place of the next message.
    pub(super) fn take(&mut self, bytes: usize) -> &[u8] {
        if self.next + bytes > self.memory.len() {
            self.next = 0;
        }
        let start = self.next;
        self.next = (start + bytes).next_multiple_of(LINE);
        &self.memory[start..start + bytes]
    }
}

/// The length of the message that is sent, if one is.
fn sent(op: &Op) -> Option<usize> {
    match op.act() {
        Act::Send { bytes, .. } | Act::StartSend { bytes, .. } => usize::try_from(bytes).ok(),
        _ => None,
    }
}

/// Room for all messages from one place on to the end of that part, loops included.
fn total(ops: &[Op], from: usize) -> usize {
    let mut room: usize = 0;
    for op in &ops[from..] {
        let more = match op.act() {
            Act::End => break,
            Act::Repeat { at, times } => {
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
    use panto_sim::program::Sending;

    use super::*;

    fn send(bytes: u64) -> Op {
        Act::Send { sending: Sending::Standard, channel: 0, bytes }.into()
    }

    #[test]
    fn each_message_has_a_place_and_loops_count() {
        let repeat = Act::Repeat { at: 3, times: 2 }.into();
        let ops = [send(10), repeat, Act::End.into(), send(100), Act::End.into()];
        assert_eq!(total(&ops, 0), 64 + 2 * 128);
        let mut outgoing = Outgoing::new(&ops, 2);
        let places: Vec<usize> =
            [10, 100, 100].into_iter().map(|bytes| outgoing.take(bytes).as_ptr().addr()).collect();
        assert_eq!([places[1] - places[0], places[2] - places[1]], [64, 128]);
        assert_eq!(outgoing.take(300).as_ptr().addr(), places[0]);
    }

    #[test]
    fn memory_is_bounded_unless_a_message_is_longer() {
        let repeat = |times| Act::Repeat { at: 2, times }.into();
        let ops = |bytes, times| [repeat(times), Act::End.into(), send(bytes), Act::End.into()];
        assert_eq!(Outgoing::new(&ops(1000, 1 << 40), 2).memory.len(), MOST);
        assert_eq!(Outgoing::new(&ops(1000, 1 << 40), 1024).memory.len(), MOST_OF_ALL / 1024);
        assert_eq!(Outgoing::new(&ops(20 << 20, 5), 1024).memory.len(), 20 << 20);
    }

    #[test]
    fn all_of_it_is_written() {
        let mut outgoing = Outgoing::new(&[send(100), Act::End.into()], 2);
        let before = outgoing.take(100)[99];
        outgoing.write();
        assert_ne!(outgoing.take(100)[99], before);
    }
}
