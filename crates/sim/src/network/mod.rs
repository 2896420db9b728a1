//! Networks: what messages share on their way ([`Sharing`](panto_machine::Sharing), P21).
//!
//! If they share nothing, the time of a message follows from its size and distance by the formula
//! of its switching, as in PUPPET's thesis (P9): d t(s) for store and forward, d t0(h) + t(s) for
//! virtual cut-through and circuits, (d - 1 + ceil(s / f)) t(f) for wormhole switching, over d
//! links.
//!
//! [`Traffic`] adds contention: at the endpoints alone, or on all links. How messages share links
//! depends on the switching:
//!
//! | sharing | switching | policy | module |
//! |---|---|---|---|
//! | endpoints | any | each port serves messages in the order of arrival | `ports` |
//! | links | store and forward, cut-through | so does each link | `hop_by_hop` |
//! | links | circuit, wormhole | a message reserves all links of its route | `reservation` |
//! | links | flow | max-min fair shares of all links of the route at once | `flow` |
//! | links | flow with frames | links serve messages round robin, frame by frame | `frames` |
//! | links | flow with random packets | each packet takes a channel of a link by lot | `packets` |
//! | links | any, on a bus | round robin over one link | `bus` |
//!
//! *Invariants.* A message without contention takes the same time whatever is shared. Events inside
//! a network at some time precede injections at that time, and ties are broken by the order of
//! injection; so results depend on the input only.

mod availability;
mod bus;
mod flow;
mod frames;
mod hop_by_hop;
mod nics;
mod packets;
mod ports;
mod reservation;
mod traffic;

use panto_machine::{Network, Transit};
use panto_units::Time;

pub use packets::PacketCounts;
pub(crate) use ports::EjectionPort;
pub use traffic::Traffic;

/// Identifies a message to the network; chosen by the caller.
pub type Ticket = u32;

/// A message between two processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The sender's processor.
    pub from: u32,
    /// The receiver's processor.
    pub to: u32,
    /// The length in bytes.
    pub bytes: u64,
}

/// What is known of a message when it is injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injected {
    /// Its times are final.
    Scheduled(Passage),
    /// When it has left its sender is final; contention may still delay it, and
    /// [`Traffic::advance`] reports its arrival.
    Left(Time),
    /// Contention may still delay it: [`Traffic::advance`] reports both times, when it has left.
    Pending,
}

/// When a message has left its sender, and when it has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// The last byte has left the sender, whose buffer is free.
    pub left: Time,
    /// The last byte has arrived.
    pub arrived: Time,
}

impl Passage {
    /// The passage of a message that enters the network at `start`.
    #[inline]
    pub(crate) fn after(start: Time, transit: Transit) -> Self {
        Self { left: start.saturating_add(transit.leaves), arrived: start.saturating_add(transit.arrives) }
    }

    /// A passage whose last byte leaves and arrives at this time, in picoseconds.
    fn at(time: u64) -> Self {
        let time = Time::from_picos(time);
        Self { left: time, arrived: time }
    }
}

/// Returns the times of a message that enters the network at `start`, without contention.
#[inline]
pub fn uncontended(network: &Network, start: Time, transfer: Transfer) -> Passage {
    Passage::after(start, network.transit(transfer.from, transfer.to, transfer.bytes))
}

/// The time in picoseconds for which a flow occupies a link.
#[inline]
fn occupancy(network: &Network, bytes: u64) -> u64 {
    network.flow_time(bytes).as_picos()
}
