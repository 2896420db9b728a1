//! One program on many machines at once.
//!
//! Where ranks run ahead, what they do next never depends on *when* something happens, only on *whether* it has: messages meet their receives
//! in an order that the program fixes. So who waits for whom is found once and kept as a [`Tape`]: a list of steps that move clocks, in an order in
//! which everything that a step needs is there. To run a setting is to go through the list, with no matching, no queues and no
//! decisions; and as all settings go through the same list, several of them do so side by side, in *lanes*.
//!
//! The tape holds for one way to send: with another eager limit other messages wait for their receives. It is as long as what is done, loops
//! unrolled, so a long program has none and is run by [`ahead`](crate::ahead), which gives the same.

mod lanes;
mod message;
mod price;
mod recorder;
mod step;

use panto_machine::{CollectiveSend, Machine, Protocol, Rules};
use panto_units::Time;

use crate::halt::Halted;
use crate::program::Program;
use crate::setting::Setting;
use recorder::Recorder;
use step::{Chore, Parcel, Step};

/// So many settings go through a tape side by side: their clocks fill a line of the cache.
pub const LANES: usize = 8;

/// The most steps of a tape: half a gigabyte.
const MOST_STEPS: usize = 1 << 25;

/// What decides which messages wait for their receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    protocol: Protocol,
    collectives: CollectiveSend,
    is_puppet: bool,
}

impl Manners {
    /// Those of a machine.
    pub fn of(machine: &Machine) -> Self {
        let collectives = &machine.collectives;
        let is_puppet = collectives.rules == Rules::Puppet;
        Self { protocol: machine.protocol, collectives: collectives.send, is_puppet }
    }
}

/// What all ranks do, in an order in which it can be done.
#[derive(Debug)]
pub struct Tape<'p> {
    program: &'p Program,
    manners: Manners,
    steps: Vec<Step>,
    parcels: Vec<Parcel>,
    chores: Vec<Chore>,
    /// The most messages at once.
    messages: usize,
}

/// What came of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// When each rank ends, then each helper.
    pub ends: Vec<Time>,
    /// How long ranks computed, in picoseconds, all together and without helpers.
    pub computed: u128,
    /// How long they waited.
    pub waited: u128,
}

impl<'p> Tape<'p> {
    /// Records a program for machines with the same [`Manners`] as this one. `None` if it is too long, has wild cards or does not come to its
    /// end: [`run`](crate::run()) says why.
    pub fn record(program: &'p Program, machine: &Machine) -> Option<Self> {
        Recorder::new(program, machine).record(MOST_STEPS)
    }

    /// Can it be run in this setting? Noise depends on when a computation begins, and is left to others; so is whatever needs the order of time.
    pub fn suits(&self, setting: &Setting<'_>) -> bool {
        setting.noise.is_none()
            && Manners::of(setting.machine) == self.manners
            && crate::chooses(self.program, setting) == crate::Means::Ahead
    }

    /// Runs settings that it [suits](Self::suits), [`LANES`] at a time.
    ///
    /// # Panics
    /// If it does not suit one of them.
    pub fn play(&self, settings: &[Setting<'_>]) -> Vec<Result<Played, Halted>> {
        assert!(settings.iter().all(|setting| self.suits(setting)), "a tape of other machines");
        settings.chunks(LANES).flat_map(|some| lanes::play(self, some)).collect()
    }
}
