//! What messages cost the processors at their ends.

use panto_machine::Machine;
use panto_schedule::Collective;
use panto_units::Time;

use super::routes::number;
use super::walk::Walk;
use crate::costs;
use crate::observe::Observer;
use crate::program::Lane;

/// What a message of some size costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Price {
    sending: Time,
    started: Time,
    receiving: Time,
    unexpected: Time,
}

impl Price {
    fn new(machine: &Machine, operation: Option<Collective>, bytes: u64) -> Self {
        Self {
            sending: costs::sending(machine, operation, bytes, false),
            started: costs::sending(machine, operation, bytes, true),
            receiving: costs::receiving(machine, operation, bytes, false),
            unexpected: costs::receiving(machine, operation, bytes, true),
        }
    }

    /// Before it can leave; `started` if it is waited for later.
    #[inline]
    pub(super) fn sending(&self, started: bool) -> Time {
        if started { self.started } else { self.sending }
    }

    /// After it has come.
    #[inline]
    pub(super) fn receiving(&self, unexpected: bool) -> Time {
        if unexpected { self.unexpected } else { self.receiving }
    }
}

impl<O: Observer> Walk<'_, '_, O> {
    /// The price of a message.
    #[inline]
    pub(super) fn price(&mut self, lane: Lane, bytes: u64) -> Price {
        let machine = self.setting.machine;
        self.prices.get((bytes, number(lane)), || Price::new(machine, lane.operation(), bytes))
    }
}
