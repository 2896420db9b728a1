//! The time of a message without contention.

use panto_units::Time;

use super::{PathTimes, SIZES};
use crate::cost::Cost;
use crate::machine::Protocol;
use crate::network::Network;

/// The time from the start of a send whose receive is posted to the end of the receive: the
/// overheads of both processors, the network, and with a rendezvous the request and clear to send.
pub fn one_way(network: &Network, protocol: Protocol, bytes: u64, distance: u32) -> Time {
    let overheads = &network.overheads;
    let is_rendezvous = match protocol {
        Protocol::Buffered | Protocol::Synchronous => false,
        Protocol::Handshake { above: most } | Protocol::Eager { limit: most } => bytes > most,
    };
    let control = overheads.control.saturating_add(over(network, 0, distance));
    let handshake = if is_rendezvous { control.saturating_add(control) } else { Time::ZERO };
    let (sending, receiving) = (network.send_overhead(bytes), network.receive_overhead(bytes));
    let parts = [sending, handshake, over(network, bytes, distance), receiving];
    parts.into_iter().fold(Time::ZERO, Time::saturating_add)
}

/// The time over the links, and through the interfaces of the nodes at both ends.
fn over(network: &Network, bytes: u64, distance: u32) -> Time {
    let links = network.time(bytes, distance);
    match &network.nodes {
        Some(nodes) if distance > 0 => {
            let interface = nodes.interface.of(bytes);
            links.saturating_add(interface).saturating_add(interface)
        }
        _ => links,
    }
}

pub(super) fn reach(network: &Network, protocol: Protocol, distance: u32) -> PathTimes {
    let time = |bytes| one_way(network, protocol, bytes, distance);
    let bandwidth = rate(time);
    PathTimes {
        distance,
        times: SIZES.iter().map(|bytes| (*bytes, time(*bytes))).collect(),
        bandwidth,
        half_size: bandwidth.and_then(|rate| half_size(time, rate, granularity(network))),
    }
}

/// Two sizes from which the asymptotic bandwidth is computed; powers of two, so that they are whole
/// packets and words.
const LARGE: (u64, u64) = (1 << 32, 1 << 33);

/// The asymptotic bandwidth in bytes per second. `None` if bytes take no time, or the time
/// overflows.
pub(super) fn rate(time: impl Fn(u64) -> Time) -> Option<f64> {
    let (less, more) = (time(LARGE.0), time(LARGE.1));
    let countable = less < more && more < Time::from_picos(u64::MAX);
    countable.then(|| (LARGE.1 - LARGE.0) as f64 / (more.as_secs() - less.as_secs()))
}

/// The smallest multiple of `unit` bytes with half the bandwidth, by bisection: where times are not
/// monotonic, smaller ones may exist.
fn half_size(time: impl Fn(u64) -> Time, rate: f64, unit: u64) -> Option<u64> {
    let reached = |units: u64| (units * unit) as f64 >= 0.5 * rate * time(units * unit).as_secs();
    let mut enough = 1;
    while !reached(enough) {
        enough *= 2;
        if enough * unit > LARGE.1 {
            return None;
        }
    }
    let mut short = enough / 2;
    while short + 1 < enough {
        let middle = short.midpoint(enough);
        if reached(middle) {
            enough = middle;
        } else {
            short = middle;
        }
    }
    Some(enough * unit)
}

/// The granularity of sizes: all multiples of it are in one residue class of every cost.
fn granularity(network: &Network) -> u64 {
    let costs: [&Cost; 3] = [&network.link, &network.overheads.send, &network.overheads.receive];
    let moduli = costs.into_iter().flat_map(Cost::pieces).filter_map(|piece| piece.residue);
    moduli.map(|residue| residue.modulus).filter(|modulus| *modulus <= 4096).max().unwrap_or(1)
}
