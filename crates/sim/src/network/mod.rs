//! What carries messages: `fast`, where nobody is in anybody's way, and `traffic`, where links are shared (P21).
//!
//! Each policy of `traffic` gives a message that meets nobody exactly the time of `fast`, which is the thesis's formula for its
//! switching (P9). What happens inside a network at a moment comes before the messages that are put on it at that moment,
//! and among equals the message that was put on it first comes first; so results depend on nothing but the input.

mod bus;
mod channels;
mod flow;
mod frames;
mod interfaces;
mod queue;
mod reserve;
mod traffic;

use panto_machine::{Network, Transit};
use panto_units::Time;

pub use traffic::Traffic;

/// Names a message to the network; the engine chooses it.
pub type Ticket = u32;

/// A message to carry between two processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// The sender's processor.
    pub from: u32,
    /// The receiver's processor.
    pub to: u32,
    /// Bytes.
    pub bytes: u64,
}

/// What became of a message that was put on the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried {
    /// It is known already when it arrives.
    At(Passage),
    /// It is known when it has left its sender, but others may yet get in its way: `advance` will tell when it arrives.
    Left(Time),
    /// Others may yet get in its way: `advance` will tell when it has left and arrives, at the moment when it has left.
    Later,
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
    /// Of a message that sets off at `start`.
    #[inline]
    pub(crate) fn after(start: Time, transit: Transit) -> Self {
        Self { left: start.saturating_add(transit.leaves), arrived: start.saturating_add(transit.arrives) }
    }

    /// The sender is free when the last byte arrives, at this time in picoseconds.
    fn together(time: u64) -> Self {
        let time = Time::from_picos(time);
        Self { left: time, arrived: time }
    }
}

/// Nobody is in anybody's way.
#[inline]
pub fn passage(network: &Network, start: Time, load: Load) -> Passage {
    Passage::after(start, network.transit(load.from, load.to, load.bytes))
}

/// For how many picoseconds a flow keeps a link from others: as the model says, or for its bytes.
#[inline]
fn occupied(network: &Network, bytes: u64) -> u64 {
    let time = match &network.occupancy {
        Some(occupancy) => occupancy.of(bytes),
        None => network.link.piece(bytes).per_byte.of(bytes),
    };
    time.as_picos()
}
