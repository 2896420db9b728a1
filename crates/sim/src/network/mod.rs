//! What carries messages: `fast`, where nobody is in anybody's way, and `traffic`, where links are shared.

use panto_machine::Network;
use panto_units::Time;

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
    /// Others may yet get in its way: `advance` will tell.
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

/// Nobody is in anybody's way.
pub fn passage(network: &Network, start: Time, load: Load) -> Passage {
    let arrived = start.saturating_add(network.between(load.from, load.to, load.bytes));
    Passage { left: arrived, arrived }
}
