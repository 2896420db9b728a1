//! What the trait's operations mean on the modelled machine.

use panto_machine::{Machine, Protocol};
use panto_schedule::Collective;
use panto_sim::{SendProtocol, costs};
use panto_units::Time;

use crate::message::SendMode;
use crate::transport::{StandardSend, Work};

/// Returns the time of local work.
pub(super) fn work_time(machine: &Machine, work: Work) -> Time {
    let processor = &machine.processor;
    let times = |time: Time, count: usize| Time::from_picos(time.as_picos().saturating_mul(count as u64));
    match work {
        Work::Copy(bytes) => processor.copy.of(bytes as u64),
        Work::Strided(elements) => times(processor.strided, elements),
        Work::Reduce(bytes) => processor.reduce.of(bytes as u64),
        Work::Daxpy(elements) => times(processor.daxpy, elements),
        Work::File(bytes) => machine.storage.of(bytes as u64),
    }
}

/// Returns the protocol of a send.
#[inline]
pub(super) fn protocol(
    machine: &Machine,
    operation: Option<Collective>,
    mode: SendMode,
    bytes: u64,
) -> SendProtocol {
    costs::send_protocol(machine, operation, mode, bytes)
}

/// Returns what a standard send guarantees.
pub(super) fn standard_send(machine: &Machine) -> StandardSend {
    match machine.protocol {
        Protocol::Buffered | Protocol::Handshake { .. } => StandardSend::Buffered,
        Protocol::Eager { limit } => StandardSend::Eager(usize::try_from(limit).unwrap_or(usize::MAX)),
        Protocol::Synchronous => StandardSend::Synchronous,
    }
}
