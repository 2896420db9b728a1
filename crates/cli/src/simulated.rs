//! Machines that do not exist, or no longer.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use panto_bench::results::{Manifest, Simulated as Described};
use panto_bench::{Effort, Settings};
use panto_machine::{Machine, Model, Protocol, builtin};
use panto_transport::World;
use panto_transport::simulated::{Model as Traffic, Simulated};
use panto_transport::threads::cores;

use crate::failure::Failure;
use crate::out;
use crate::{mpi, threads};

/// How a machine is simulated.
#[derive(Args)]
pub struct MachineArgs {
    /// What messages do that meet [default: traffic]
    #[arg(long, value_enum)]
    network: Option<Network>,

    /// Where the time of computation between messages comes from [default: declared]
    #[arg(long, value_enum)]
    computation: Option<Computation>,

    /// Change the model, such as link.latency=2us; may be given again and again
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// The processors on which ranks 0, 1, 2 ... run, such as 0,1,3,2
    #[arg(long, value_name = "N,...")]
    map: Option<String>,
}

/// What messages do that meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Network {
    /// Nothing: nobody is in anybody's way
    Fast,
    /// They share links
    Traffic,
}

/// Where the time of computation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Computation {
    /// Kernels say what they did, and the model knows what that takes
    Declared,
    /// The host's processor time, scaled by the model's processor.speed
    Measured,
}

impl Network {
    /// Contention shows unless somebody asks for a machine without it.
    pub fn or_default(chosen: Option<Self>) -> Self {
        chosen.unwrap_or(Self::Traffic)
    }

    pub fn model(self) -> Traffic {
        match self {
            Self::Fast => Traffic::Fast,
            Self::Traffic => Traffic::Traffic,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Traffic => "traffic",
        }
    }
}

/// With more ranks, collectives run as schedules: the same times in a hundredth of the time.
const MOST_WITH_STACKS: usize = 16_384;
/// More ranks than this are for those who ask for them.
const MOST_DEFAULT_RANKS: usize = 64;

impl MachineArgs {
    /// Ranks run for real: none of these options means anything there.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        let given = [
            ("--network", self.network.is_some()),
            ("--computation", self.computation.is_some()),
            ("--set", !self.set.is_empty()),
            ("--map", self.map.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::Usage(format!(
                "{option} is for simulated machines, and ranks run on `{on}`; leave it out, or name a machine: --on {}",
                names().first().unwrap_or(&"FILE")
            ))),
        }
    }

    /// The model of this name, or in this file, with what the user changed.
    pub fn load(&self, on: &str) -> Result<Model, Failure> {
        let is_there = builtin::find(on).is_some() || std::fs::symlink_metadata(on).is_ok();
        if !is_there {
            return Err(Failure::Usage(format!(
                "`--on {on}`: there is no such world; use `{}`, `{}`, a machine ({}) or a model file",
                threads::NAME,
                mpi::NAME,
                names().join(", ")
            )));
        }
        Model::load(on, &self.overrides()?).map_err(|error| Failure::Usage(error.to_string()))
    }

    fn overrides(&self) -> Result<Vec<String>, Failure> {
        let mut overrides = self.set.clone();
        if let Some(map) = &self.map {
            overrides.push(format!("network.map={:?}", parse_list(map)?));
        }
        Ok(overrides)
    }

    pub fn world(&self, machine: Machine) -> Simulated {
        let world = Simulated::new(Arc::new(machine), Network::or_default(self.network).model());
        if self.is_measured() { world.measured() } else { world }
    }

    fn is_measured(&self) -> bool {
        self.computation == Some(Computation::Measured)
    }

    /// Describes a run on this machine.
    pub fn manifest(&self, world: &Simulated, settings: &Settings) -> Manifest {
        let machine = world.machine();
        let network = Network::or_default(self.network).name().to_owned();
        let topology = machine.network.topology.to_string();
        let computation = if self.is_measured() { ", computation measured on the host" } else { "" };
        let text = format!(
            "simulated {}: {topology}, {network} network, {}{computation}",
            machine.name,
            protocol(machine)
        );
        let described = Described {
            name: machine.name.clone(),
            topology,
            network,
            overrides: self.overrides().unwrap_or_default(),
        };
        Manifest::simulated(described, text, cores().len(), settings)
    }
}

fn parse_list(text: &str) -> Result<Vec<u32>, Failure> {
    let number = |word: &str| {
        let wrong = || Failure::Usage(format!("--map {text}: `{word}` is not the number of a processor"));
        word.trim().parse().map_err(|_| wrong())
    };
    text.split(',').map(number).collect()
}

fn names() -> Vec<&'static str> {
    builtin::all().iter().map(|known| known.name).collect()
}

/// A machine for so many ranks. Built-in ones grow, and say so.
pub fn machine(model: Model, ranks: usize) -> Result<Machine, Failure> {
    let (machine, grown) = model.for_ranks(ranks).map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(note) = grown {
        out::note(format_args!("panto: {note}"));
    }
    Ok(machine)
}

/// A rank a processor.
pub fn default_ranks(machine: &Machine) -> usize {
    machine.processors().min(MOST_DEFAULT_RANKS)
}

/// What the world adds to what the user asked for. Kernels plan before they have a transport to ask for its shape.
pub fn settings(world: &Simulated, settings: Settings, effort: Effort) -> Settings {
    Settings {
        shape: settings.shape.or_else(|| Some(world.shape(settings.world()))),
        machine: Some(world.machine().name.clone()),
        stackless_above: MOST_WITH_STACKS,
        most_programs: world.most_ranks(),
        effort,
        ..settings
    }
}

fn protocol(machine: &Machine) -> String {
    let bytes = panto_units::bytes;
    match machine.protocol {
        Protocol::Buffered => "sends are buffered".into(),
        Protocol::Handshake { above } => format!("sends above {} ask for a buffer first", bytes(above)),
        Protocol::Synchronous => "sends wait for their receive".into(),
        Protocol::Eager { limit } => format!("sends above {} wait for their receive", bytes(limit)),
    }
}
