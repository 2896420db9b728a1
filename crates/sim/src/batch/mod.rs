//! Batches: one program on several machines in one pass.
//!
//! # The idea
//!
//! In the run-ahead engine, what a rank does next never depends on *when* something happens, only
//! on *whether* it has: messages match their receives in an order that the program fixes. So which
//! rank waits for which is the same on all machines. It is found once and recorded as a
//! [`Recording`]: a list of steps that move clocks, in an order in which everything that a step
//! needs has been computed before. To simulate a machine is to go through the list, without
//! matching, queues or decisions. And as all machines go through the same list, several do so side
//! by side, each in a *lane*: every clock is an array with an element for each machine, and the
//! compiler turns arithmetic on it into SIMD instructions.
//!
//! # Limits
//!
//! A recording holds for one choice of send protocols: with another eager limit, other messages
//! wait for their receives ([`ProtocolRules`]). It has a step for each executed operation, loops
//! unrolled, so long programs are not recorded but run by [`ahead`](crate::ahead), with the same
//! results.

mod cost;
mod lanes;
mod message;
mod recorder;
mod step;

use panto_machine::{CollectiveSend, Machine, Protocol, Rules, Sharing};
use panto_units::Time;

use crate::config::RunConfig;
use crate::error::RunError;
use crate::program::Program;
use recorder::Recorder;
use step::{LocalOp, MessageSpec, Step};

/// Number of machines simulated in one pass: their clocks, of 8 bytes each, fill a cache line.
pub const LANES: usize = 8;

/// Largest number of steps of a recording: half a gigabyte.
const MAX_STEPS: usize = 1 << 25;

/// What decides which messages wait for their receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolRules {
    protocol: Protocol,
    collectives: CollectiveSend,
    is_puppet: bool,
}

impl ProtocolRules {
    /// Returns the rules of a machine.
    pub fn of(machine: &Machine) -> Self {
        let collectives = &machine.collectives;
        let is_puppet = collectives.rules == Rules::Puppet;
        Self { protocol: machine.protocol, collectives: collectives.send, is_puppet }
    }
}

/// The steps of all ranks, in an order in which they can be executed.
#[derive(Debug)]
pub struct Recording<'p> {
    program: &'p Program,
    protocol_rules: ProtocolRules,
    steps: Vec<Step>,
    specs: Vec<MessageSpec>,
    local_ops: Vec<LocalOp>,
    /// The largest number of messages in flight at once.
    messages: usize,
}

/// The result of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneResult {
    /// When each rank ends, followed by each helper.
    pub ends: Vec<Time>,
    /// How long ranks computed, in picoseconds, summed over ranks without helpers.
    pub computed: u128,
    /// How long ranks waited, in picoseconds, summed over ranks without helpers.
    pub waited: u128,
}

impl<'p> Recording<'p> {
    /// Records a program for machines with the same [`ProtocolRules`] as this one. Returns `None`
    /// if it is too long, has wildcards or does not run to its end; [`run`](crate::run()) returns
    /// the reason.
    pub fn record(program: &'p Program, machine: &Machine) -> Option<Self> {
        Recorder::new(program, machine).record(MAX_STEPS)
    }

    /// Returns whether the recording holds for a configuration. Noise depends on when a computation
    /// begins, and is not supported; nor are shared ports, where the order of messages depends on
    /// the machine, and what needs the order of time.
    pub fn supports(&self, config: &RunConfig<'_>) -> bool {
        config.noise.is_none()
            && config.sharing == Sharing::None
            && ProtocolRules::of(config.machine) == self.protocol_rules
            && crate::choose_engine(self.program, config) == crate::EngineChoice::RunAhead
    }

    /// Runs configurations that the recording [supports](Self::supports), [`LANES`] at a time.
    ///
    /// # Panics
    /// Panics if it does not support one of them.
    pub fn run(&self, configs: &[RunConfig<'_>]) -> Vec<Result<LaneResult, RunError>> {
        assert!(configs.iter().all(|config| self.supports(config)), "a recording of other machines");
        configs.chunks(LANES).flat_map(|some| lanes::run(self, some)).collect()
    }
}
