//! Runs a program on the engine that fits it.
//!
//! The [run-ahead engine](crate::ahead) is faster and parallel; the
//! [time-ordered engine](crate::ordered) can simulate everything. Where messages share nothing and
//! both apply, both give the same times to the picosecond. The
//! [interrupt-driven engine](crate::interrupts) has another model of processors, for machines that
//! ask for it.

use panto_machine::Sharing;
use panto_units::Time;

use crate::config::RunConfig;
use crate::engine::{share_interfaces, share_processors};
use crate::error::RunError;
use crate::observe::{NoObserver, Observer};
use crate::program::Program;
use crate::{ahead, interrupts, ordered};

/// The engine that runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    /// The run-ahead engine.
    RunAhead,
    /// The time-ordered engine, for this reason.
    TimeOrdered(OrderReason),
    /// The interrupt-driven engine.
    InterruptDriven,
}

/// Why a run depends on the order of events in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderReason {
    /// Messages share links.
    Contention,
    /// Wildcard receives match the message that arrives first.
    Wildcards,
    /// Several ranks run on one processor.
    SharedProcessors,
    /// Several ranks share the network interface of a node.
    SharedInterfaces,
    /// Buffers are finite: whether a message has room depends on what was received before.
    FiniteBuffers,
}

/// Returns the engine that runs a program in this configuration.
pub fn choose_engine(program: &Program, config: &RunConfig<'_>) -> EngineChoice {
    if config.sharing == Sharing::Links {
        EngineChoice::TimeOrdered(OrderReason::Contention)
    } else if program.has_wildcards() {
        EngineChoice::TimeOrdered(OrderReason::Wildcards)
    } else if share_processors(config.machine, program.ranks as usize) {
        EngineChoice::TimeOrdered(OrderReason::SharedProcessors)
    } else if config.machine.buffer.is_some() {
        EngineChoice::TimeOrdered(OrderReason::FiniteBuffers)
    } else if config.sharing == Sharing::Endpoints && config.machine.processor.interrupts {
        EngineChoice::InterruptDriven
    } else if config.sharing == Sharing::Endpoints && share_interfaces(config.machine, program.ranks as usize)
    {
        EngineChoice::TimeOrdered(OrderReason::SharedInterfaces)
    } else {
        EngineChoice::RunAhead
    }
}

/// Runs a program on one thread. Returns when each rank ends, followed by each helper.
pub fn run<O: Observer>(
    program: &Program,
    config: &RunConfig<'_>,
    observer: &mut O,
) -> Result<Vec<Time>, RunError> {
    match choose_engine(program, config) {
        EngineChoice::RunAhead => ahead::run(program, config, observer),
        EngineChoice::TimeOrdered(_) => ordered::run(program, config, observer),
        EngineChoice::InterruptDriven => interrupts::run(program, config, observer),
    }
}

/// Runs a program on `observers.len()` threads if the run-ahead engine applies, else on one.
/// Returns when each rank ends, followed by each helper.
///
/// Each observer sees the ranks of one thread; on the other engines the first sees all.
pub fn run_on<O: Observer + Send>(
    program: &Program,
    config: &RunConfig<'_>,
    observers: &mut [O],
) -> Result<Vec<Time>, RunError> {
    match (choose_engine(program, config), observers) {
        (_, []) => run(program, config, &mut NoObserver),
        (_, [one]) => run(program, config, one),
        (EngineChoice::TimeOrdered(_), [first, ..]) => ordered::run(program, config, first),
        (EngineChoice::InterruptDriven, [first, ..]) => interrupts::run(program, config, first),
        (EngineChoice::RunAhead, all) => ahead::run_on(program, config, all),
    }
}
