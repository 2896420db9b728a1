//! Which of the two ways a program is run.

use panto_units::Time;

use crate::engine::{Model, share_processors};
use crate::halt::Halted;
use crate::observe::{Observer, Unseen};
use crate::program::Program;
use crate::setting::Setting;
use crate::{ahead, ordered};

/// How a program is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Ranks run ahead of each other.
    Ahead,
    /// In the order of time, because of this.
    Ordered(Why),
}

/// What needs the order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Messages share links.
    Traffic,
    /// Receives take what comes first.
    Picks,
    /// Ranks share processors.
    Sharing,
}

/// How a program is run in this setting. Both ways give the same wherever both are possible.
pub fn chooses(program: &Program, setting: &Setting<'_>) -> Means {
    if setting.model == Model::Traffic {
        Means::Ordered(Why::Traffic)
    } else if program.has_picks() {
        Means::Ordered(Why::Picks)
    } else if share_processors(setting.machine, program.ranks as usize) {
        Means::Ordered(Why::Sharing)
    } else {
        Means::Ahead
    }
}

/// Runs a program; answers when each rank ends, then each helper.
pub fn run<O: Observer>(
    program: &Program,
    setting: &Setting<'_>,
    observer: &mut O,
) -> Result<Vec<Time>, Halted> {
    match chooses(program, setting) {
        Means::Ahead => ahead::run(program, setting, observer),
        Means::Ordered(_) => ordered::run(program, setting, observer),
    }
}

/// The same on as many threads as there are observers, each of which sees some of the ranks. What is run in the order of time is run on one
/// thread, and the first observer sees all.
pub fn run_on<O: Observer + Send>(
    program: &Program,
    setting: &Setting<'_>,
    observers: &mut [O],
) -> Result<Vec<Time>, Halted> {
    match (chooses(program, setting), observers) {
        (_, []) => run(program, setting, &mut Unseen),
        (_, [one]) => run(program, setting, one),
        (Means::Ordered(_), [first, ..]) => ordered::run(program, setting, first),
        (Means::Ahead, all) => ahead::run_on(program, setting, all),
    }
}
