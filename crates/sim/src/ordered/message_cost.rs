//! The overheads of messages, cached by size.

use panto_machine::Machine;
use panto_schedule::Collective;
use panto_units::Time;

use super::channel_table::number;
use super::rank_run::RankRun;
use crate::costs;
use crate::observe::Observer;
use crate::program::{ChannelKind, PackedOp};

/// The overheads of a message of some size.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageCost {
    send: Time,
    start_send: Time,
    receive: Time,
    receive_unexpected: Time,
}

impl MessageCost {
    fn new(machine: &Machine, collective: Option<Collective>, bytes: u64) -> Self {
        Self {
            send: costs::send_overhead(machine, collective, bytes, false),
            start_send: costs::send_overhead(machine, collective, bytes, true),
            receive: costs::receive_overhead(machine, collective, bytes, false),
            receive_unexpected: costs::receive_overhead(machine, collective, bytes, true),
        }
    }

    /// The sender's overhead; `started` for a send that is waited for later.
    #[inline]
    pub(super) fn send(&self, started: bool) -> Time {
        if started { self.start_send } else { self.send }
    }

    /// The receiver's overhead.
    #[inline]
    pub(super) fn receive(&self, unexpected: bool) -> Time {
        if unexpected { self.receive_unexpected } else { self.receive }
    }
}

impl<C: AsRef<[PackedOp]>, O: Observer> RankRun<'_, C, O> {
    /// The overheads of a message.
    #[inline]
    pub(super) fn message_cost(&mut self, kind: ChannelKind, bytes: u64) -> MessageCost {
        let machine = self.config.machine;
        self.costs.get((bytes, number(kind)), || MessageCost::new(machine, kind.operation(), bytes))
    }
}
