//! How much a program relies on buffers that never fill up.

use std::collections::{HashMap, HashSet};
use std::fmt;

use panto_machine::{Machine, Protocol};
use panto_sim::program::{Code, Op, Program};
use panto_sim::{SendProtocol, costs};
use panto_units::rounded_bytes;

/// The least bytes that are worth a note: MPI libraries have room for some hundred kilobytes of
/// eager messages of a sender before they delay it.
const NOTEWORTHY_BYTES: u64 = 1 << 20;

/// Messages that a rank sends without receiving anything meanwhile, where the model's buffers are
/// unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnlimitedBuffering {
    /// The rank that sends the most.
    pub rank: u32,
    /// The bytes of its messages that need not be received first.
    pub bytes: u64,
}

impl UnlimitedBuffering {
    /// Returns the rank that sends the most in a row without waiting for any process; `None` if the
    /// model limits buffers, or if no rank sends enough for limits to matter.
    pub fn find(program: &Program, machine: &Machine) -> Option<Self> {
        if machine.buffer.is_some() || machine.protocol == Protocol::Synchronous {
            return None;
        }
        let longest = |code: &Code| Block { program, machine, code }.stretch(0, &mut HashMap::new());
        let all = (0..program.ranks).zip(&program.codes);
        let most = all.map(|(rank, code)| Self { rank, bytes: longest(code).longest });
        most.max_by_key(|found| (found.bytes, u32::MAX - found.rank))
            .filter(|found| found.bytes >= NOTEWORTHY_BYTES)
    }
}

impl fmt::Display for UnlimitedBuffering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, bytes } = self;
        write!(
            f,
            "buffers are unlimited: rank {rank} sends {} that no rank need have received, without waiting \
             for any message meanwhile (send.buffer of a model limits that)",
            rounded_bytes(*bytes)
        )
    }
}

/// Bytes that are sent in a row by some operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stretch {
    /// Before the first message that is waited for, or in all if there is none.
    first: u64,
    /// After the last such message, or in all if there is none.
    last: u64,
    /// The most.
    longest: u64,
    /// Whether any message is waited for.
    waits: bool,
}

impl Stretch {
    const WAIT: Self = Self { first: 0, last: 0, longest: 0, waits: true };

    fn sent(bytes: u64) -> Self {
        Self { first: bytes, last: bytes, longest: bytes, waits: false }
    }

    /// The operations of `self`, then those of `next`.
    fn then(self, next: Self) -> Self {
        let across = self.last.saturating_add(next.first);
        Self {
            first: if self.waits { self.first } else { across },
            last: if next.waits { next.last } else { across },
            longest: self.longest.max(next.longest).max(across),
            waits: self.waits || next.waits,
        }
    }

    fn repeated(self, times: u64) -> Self {
        if self.waits {
            return if times > 1 { self.then(self) } else { self };
        }
        Self::sent(self.first.saturating_mul(times))
    }
}

/// The operations of a rank, block by block.
struct Block<'a> {
    program: &'a Program,
    machine: &'a Machine,
    code: &'a Code,
}

impl Block<'_> {
    /// The stretch of the block that begins at an index. Bodies of loops are looked at once.
    fn stretch(&self, at: u32, known: &mut HashMap<u32, Stretch>) -> Stretch {
        if let Some(&stretch) = known.get(&at) {
            return stretch;
        }
        let (mut all, mut sending) = (Stretch::default(), HashSet::new());
        for op in self.code.ops.get(at as usize..).unwrap_or_default() {
            let next = match op.unpack() {
                Op::End => break,
                Op::Repeat { at, times } => self.stretch(at, known).repeated(times),
                Op::Send { channel, bytes, .. } => self.sent(channel, bytes),
                Op::StartSend { slot, channel, bytes, .. } => {
                    sending.insert(slot);
                    self.sent(channel, bytes)
                }
                Op::StartReceive { slot, .. } | Op::StartWildcard { slot, .. } => {
                    sending.remove(&slot);
                    continue;
                }
                Op::Wait { slot } if sending.remove(&slot) => continue,
                Op::Receive { .. } | Op::Wait { .. } | Op::Probe { .. } | Op::ProbeWildcard { .. } => {
                    Stretch::WAIT
                }
                _ => continue,
            };
            all = all.then(next);
        }
        known.insert(at, all);
        all
    }

    /// A standard message: a wait if its send waits for the receiver, else its bytes.
    fn sent(&self, channel: u32, bytes: u64) -> Stretch {
        let kind = self.program.channels[channel as usize].kind;
        match costs::standard_protocol(self.machine, kind.operation(), bytes) {
            SendProtocol::Rendezvous | SendProtocol::Synchronous => Stretch::WAIT,
            _ => Stretch::sent(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use panto_machine::{BufferSide, SendBuffer};
    use panto_sim::program::{Channel, ChannelKind, SendMode};

    use super::*;

    const KIB: u64 = 1 << 10;

    /// Rank 1 sends 100 messages of 64 KiB. If they are answered, it receives one after each.
    fn program(answered: bool) -> Program {
        let send = Op::Send { mode: SendMode::Standard, channel: 0, bytes: 64 * KIB };
        let body = if answered { vec![send, Op::Receive { channel: 1 }] } else { vec![send] };
        let ops = [Op::Repeat { at: 2, times: 100 }, Op::End].into_iter().chain(body).chain([Op::End]);
        let code = Code { ops: ops.map(Into::into).collect(), ..Code::default() };
        let channel = |from, to| Channel { from, to, match_key: 0, kind: ChannelKind::PointToPoint };
        let silent = Code { ops: vec![Op::End.into()], ..Code::default() };
        Program {
            codes: vec![silent, code],
            ranks: 2,
            channels: vec![channel(1, 0), channel(0, 1)],
            ..Program::default()
        }
    }

    fn machine(protocol: Protocol) -> Machine {
        let mut machine = Machine::load("infiniband", &[]).unwrap();
        (machine.protocol, machine.buffer) = (protocol, None);
        machine
    }

    #[test]
    fn only_floods_are_worth_a_note() {
        let eager = machine(Protocol::Buffered);
        let found = UnlimitedBuffering::find(&program(false), &eager).unwrap();
        assert_eq!(found, UnlimitedBuffering { rank: 1, bytes: 6400 * KIB });
        let text = found.to_string();
        assert!(text.starts_with("buffers are unlimited: rank 1 sends 6.25MiB that no rank"), "{text}");
        assert_eq!(UnlimitedBuffering::find(&program(true), &eager), None);
    }

    #[test]
    fn a_send_that_waits_is_no_flood() {
        let find = |machine: &Machine| UnlimitedBuffering::find(&program(false), machine);
        assert_eq!(find(&machine(Protocol::Eager { limit: 8 * KIB })), None);
        assert_eq!(find(&machine(Protocol::Synchronous)), None);
        let buffer = SendBuffer { side: BufferSide::Sender, space: KIB, unit: 1 };
        assert_eq!(find(&Machine { buffer: Some(buffer), ..machine(Protocol::Buffered) }), None);
    }
}
