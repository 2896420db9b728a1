//! What the operations of a rank cost its processor on the modelled machine.

use panto_machine::{CollectiveSend, Machine, Protocol, Rules};
use panto_schedule::Collective;
use panto_units::Time;

use crate::engine::Manner;
use crate::program::{Sending, Way};

/// Before a message of so many bytes can leave; `started` if it is waited for later.
#[inline]
pub fn sending(machine: &Machine, operation: Option<Collective>, bytes: u64, started: bool) -> Time {
    let overheads = &machine.network(operation).overheads;
    let time = overheads.send.of(bytes);
    if started { time.saturating_add(overheads.immediate) } else { time }
}

/// To start a receive that is waited for later.
#[inline]
pub fn posting(machine: &Machine, operation: Option<Collective>) -> Time {
    machine.network(operation).overheads.immediate
}

/// After a message has come. One that came before its receive was posted lies in a buffer of the system.
#[inline]
pub fn receiving(machine: &Machine, operation: Option<Collective>, bytes: u64, unexpected: bool) -> Time {
    let time = machine.network(operation).overheads.receive.of(bytes);
    let processor = &machine.processor;
    if unexpected && processor.copies_unexpected {
        time.saturating_add(processor.copy.of(bytes))
    } else {
        time
    }
}

/// To look so many times whether something is there.
pub fn polling(machine: &Machine, times: u64) -> Time {
    Time::from_picos(machine.processor.poll.as_picos().saturating_mul(times))
}

/// To move bytes between these processors without the one at the other end.
pub fn remote(machine: &Machine, way: Way, (from, to): (u32, u32), bytes: u64) -> Time {
    let passes = |from, to, bytes| machine.network.transit(from, to, bytes).arrives;
    match way {
        Way::There => sending(machine, None, bytes, false) + passes(from, to, bytes),
        Way::Back => sending(machine, None, 0, false) + passes(from, to, 0) + passes(to, from, bytes),
    }
}

/// Bytes that the network carries for a message of an operation.
#[inline]
pub fn carried(machine: &Machine, operation: Option<Collective>, bytes: u64) -> u64 {
    match operation {
        Some(Collective::Barrier) => bytes.max(machine.collectives.barrier_bytes),
        _ => bytes,
    }
}

/// How a send behaves, on behalf of an operation (P3).
#[inline]
pub fn manner(machine: &Machine, operation: Option<Collective>, sending: Sending, bytes: u64) -> Manner {
    match sending {
        Sending::Standard => standard(machine, operation, bytes),
        Sending::Buffered => Manner::Buffered,
        Sending::Synchronous => Manner::Synchronous,
        // PUPPET's ready send is synchronous (P3); elsewhere the receive is known to be posted, so nobody asks.
        Sending::Ready if machine.collectives.rules == Rules::Puppet => Manner::Synchronous,
        Sending::Ready => match machine.protocol {
            Protocol::Synchronous => Manner::Synchronous,
            _ => Manner::Buffered,
        },
    }
}

/// How a standard send behaves, on behalf of an operation.
#[inline]
pub fn standard(machine: &Machine, operation: Option<Collective>, bytes: u64) -> Manner {
    match (operation, machine.collectives.send) {
        (None, _) | (_, CollectiveSend::Standard) => by_protocol(machine.protocol, bytes),
        (_, CollectiveSend::Buffered) => Manner::Buffered,
        (_, CollectiveSend::Synchronous) => Manner::Synchronous,
        (_, CollectiveSend::NoSpace) => Manner::NoSpace,
    }
}

fn by_protocol(protocol: Protocol, bytes: u64) -> Manner {
    match protocol {
        Protocol::Synchronous => Manner::Synchronous,
        Protocol::Handshake { above } if bytes > above => Manner::Handshake,
        Protocol::Eager { limit } if bytes > limit => Manner::Rendezvous,
        Protocol::Buffered | Protocol::Handshake { .. } | Protocol::Eager { .. } => Manner::Buffered,
    }
}
