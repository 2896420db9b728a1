//! What a transport's words mean on the modelled machine.

use panto_machine::{Machine, Protocol};
use panto_schedule::Collective;
use panto_sim::program::Sending;
use panto_sim::{Manner, costs};
use panto_units::Time;

use crate::message::Mode;
use crate::transport::{StandardSend, Work};

/// What a kernel did between messages.
pub(super) fn work(machine: &Machine, work: Work) -> Time {
    let processor = &machine.processor;
    let times = |time: Time, count: usize| Time::from_picos(time.as_picos().saturating_mul(count as u64));
    match work {
        Work::Copy(bytes) => processor.copy.of(bytes as u64),
        Work::Strided(elements) => times(processor.strided, elements),
        Work::Reduce(bytes) => processor.reduce.of(bytes as u64),
        Work::Daxpy(elements) => times(processor.daxpy, elements),
    }
}

/// How a send behaves on this machine.
#[inline]
pub(super) fn manner(machine: &Machine, operation: Option<Collective>, mode: Mode, bytes: u64) -> Manner {
    let sending = match mode {
        Mode::Standard => Sending::Standard,
        Mode::Buffered => Sending::Buffered,
        Mode::Synchronous => Sending::Synchronous,
        Mode::Ready => Sending::Ready,
    };
    costs::manner(machine, operation, sending, bytes)
}

/// What a standard send promises.
pub(super) fn promise(machine: &Machine) -> StandardSend {
    match machine.protocol {
        Protocol::Buffered | Protocol::Handshake { .. } => StandardSend::Buffered,
        Protocol::Eager { limit } => StandardSend::Eager(usize::try_from(limit).unwrap_or(usize::MAX)),
        Protocol::Synchronous => StandardSend::Synchronous,
    }
}
