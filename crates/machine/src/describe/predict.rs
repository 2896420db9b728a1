//! The time of a message that meets nobody.

use panto_units::Time;

use super::{Reach, SIZES};
use crate::cost::Cost;
use crate::machine::Protocol;
use crate::network::Network;

/// From the begin of a send, whose receive waits already, to the end of the receive: what both processors pay, the network, and
/// where the protocol asks first, the request and the grant.
pub fn one_way(network: &Network, protocol: Protocol, bytes: u64, distance: u32) -> Time {
    let overheads = &network.overheads;
    let asks = match protocol {
        Protocol::Buffered | Protocol::Synchronous => false,
        Protocol::Handshake { above: most } | Protocol::Eager { limit: most } => bytes > most,
    };
    let control = overheads.control.saturating_add(over(network, 0, distance));
    let asked = if asks { control.saturating_add(control) } else { Time::ZERO };
    let parts =
        [overheads.send.of(bytes), asked, over(network, bytes, distance), overheads.receive.of(bytes)];
    parts.into_iter().fold(Time::ZERO, Time::saturating_add)
}

/// Over the links, and through the interfaces of the nodes at both ends.
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

pub(super) fn reach(network: &Network, protocol: Protocol, distance: u32) -> Reach {
    let time = |bytes| one_way(network, protocol, bytes, distance);
    let bandwidth = rate(time);
    Reach {
        distance,
        times: SIZES.iter().map(|bytes| (*bytes, time(*bytes))).collect(),
        bandwidth,
        half_size: bandwidth.and_then(|rate| half_size(time, rate, granularity(network))),
    }
}

/// Two sizes beyond which nothing changes any more; powers of two, so that whole packets and words fill them.
const LARGE: (u64, u64) = (1 << 32, 1 << 33);

/// Bytes a second at the end. `None` if they take no time, or longer than a clock can count.
pub(super) fn rate(time: impl Fn(u64) -> Time) -> Option<f64> {
    let (less, more) = (time(LARGE.0), time(LARGE.1));
    let countable = less < more && more < Time::from_picos(u64::MAX);
    countable.then(|| (LARGE.1 - LARGE.0) as f64 / (more.as_secs() - less.as_secs()))
}

/// The smallest multiple of `unit` bytes with half the bandwidth, found by halving: times that jump may have smaller ones.
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

/// Sizes that are multiples of this are all in one class where costs depend on remainders.
fn granularity(network: &Network) -> u64 {
    let costs: [&Cost; 3] = [&network.link, &network.overheads.send, &network.overheads.receive];
    let moduli = costs.into_iter().flat_map(Cost::pieces).filter_map(|piece| piece.residue);
    moduli.map(|residue| residue.modulus).filter(|modulus| *modulus <= 4096).max().unwrap_or(1)
}
