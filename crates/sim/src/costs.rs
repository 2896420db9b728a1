//! The cost of each collective on a machine, defined once for all engines.
//!
//! These are the terms of the LogGP family (Alexandrov, Ionescu, Schauser and Scheiman 1995):
//! overheads o at both ends, here by message size, and which protocol a send follows.

use panto_machine::{CollectiveSend, Machine, Protocol, Rules};
use panto_schedule::Collective;
use panto_units::Time;

use crate::engine::SendProtocol;
use crate::program::{RemoteAccess, SendMode};

/// The sender's overhead for a message; `started` for a send that is waited for later.
#[inline]
pub fn send_overhead(machine: &Machine, collective: Option<Collective>, bytes: u64, started: bool) -> Time {
    let network = machine.network(collective);
    let time = network.send_overhead(bytes);
    if started { time.saturating_add(network.overheads.immediate) } else { time }
}

/// The overhead of posting a receive that is waited for later.
#[inline]
pub fn post_overhead(machine: &Machine, collective: Option<Collective>) -> Time {
    machine.network(collective).overheads.immediate
}

/// The receiver's overhead for a message. An unexpected one, which arrived before its receive was
/// posted, may have to be copied out of a system buffer.
#[inline]
pub fn receive_overhead(
    machine: &Machine,
    collective: Option<Collective>,
    bytes: u64,
    unexpected: bool,
) -> Time {
    let time = machine.network(collective).receive_overhead(bytes);
    let processor = &machine.processor;
    if unexpected && processor.copies_unexpected {
        time.saturating_add(processor.copy.of(bytes))
    } else {
        time
    }
}

/// The time of unsuccessful polls.
pub fn poll_time(machine: &Machine, times: u64) -> Time {
    Time::from_picos(machine.processor.poll.as_picos().saturating_mul(times))
}

/// The time of one-sided communication between two processors, without the one at the other end.
pub fn remote_time(machine: &Machine, access: RemoteAccess, (from, to): (u32, u32), bytes: u64) -> Time {
    let send = |bytes| send_overhead(machine, None, bytes, false);
    let network = |from, to, bytes| machine.network.between(from, to, bytes);
    match access {
        RemoteAccess::Put => send(bytes).saturating_add(network(from, to, bytes)),
        RemoteAccess::Get => {
            send(0).saturating_add(network(from, to, 0)).saturating_add(network(to, from, bytes))
        }
    }
}

/// The bytes that the network carries for a message.
#[inline]
pub fn network_bytes(machine: &Machine, collective: Option<Collective>, bytes: u64) -> u64 {
    match collective {
        Some(Collective::Barrier) => bytes.max(machine.collectives.barrier_bytes),
        _ => bytes,
    }
}

/// The protocol of a send, which may be part of a collective (P3).
#[inline]
pub fn send_protocol(
    machine: &Machine,
    collective: Option<Collective>,
    mode: SendMode,
    bytes: u64,
) -> SendProtocol {
    match mode {
        SendMode::Standard => standard_protocol(machine, collective, bytes),
        // The sender does not wait, but its system needs a buffer of the receiver all the same.
        SendMode::Buffered => match standard_protocol(machine, collective, bytes) {
            SendProtocol::Handshake => SendProtocol::BufferedHandshake,
            _ => SendProtocol::Buffered,
        },
        // It waits for its receive, so it needs no buffer: where a standard send would ask for one,
        // or for the receive, the request to send waits for the receive.
        SendMode::Synchronous => match standard_protocol(machine, collective, bytes) {
            SendProtocol::Handshake | SendProtocol::Rendezvous => SendProtocol::Rendezvous,
            _ => SendProtocol::Synchronous,
        },
        // PUPPET's ready send is synchronous (P3); elsewhere the receive is known to be posted, so
        // no request to send is needed.
        SendMode::Ready if machine.collectives.rules == Rules::Puppet => SendProtocol::Synchronous,
        SendMode::Ready => match machine.protocol {
            Protocol::Synchronous => SendProtocol::Synchronous,
            _ => where_limited(machine, SendProtocol::Buffered),
        },
    }
}

/// The protocol of a standard send, which may be part of a collective.
#[inline]
pub fn standard_protocol(machine: &Machine, collective: Option<Collective>, bytes: u64) -> SendProtocol {
    match (collective, machine.collectives.send) {
        (None, _) | (_, CollectiveSend::Standard) => {
            where_limited(machine, by_protocol(machine.protocol, bytes))
        }
        (_, CollectiveSend::Buffered) => SendProtocol::Buffered,
        (_, CollectiveSend::Synchronous) => SendProtocol::Synchronous,
        (_, CollectiveSend::NoSpace) => SendProtocol::NoSpace,
    }
}

/// Returns the protocol of a send that need not wait for its receive, where buffers may be finite.
fn where_limited(machine: &Machine, protocol: SendProtocol) -> SendProtocol {
    match protocol {
        SendProtocol::Buffered if machine.buffer.is_some() => SendProtocol::LimitedBuffer,
        protocol => protocol,
    }
}

fn by_protocol(protocol: Protocol, bytes: u64) -> SendProtocol {
    match protocol {
        Protocol::Synchronous => SendProtocol::Synchronous,
        Protocol::Handshake { above } if bytes > above => SendProtocol::Handshake,
        Protocol::Eager { limit } if bytes > limit => SendProtocol::Rendezvous,
        Protocol::Buffered | Protocol::Handshake { .. } | Protocol::Eager { .. } => SendProtocol::Buffered,
    }
}
