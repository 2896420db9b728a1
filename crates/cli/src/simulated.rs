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

    /// Change the model, such as link.latency=2us; or, for cm5/message-set, a set of messages such as "(0,1),(2,3)"; may be
    /// given again and again
    #[arg(long, value_name = "KEY=VALUE|SET")]
    set: Vec<String>,

    /// The processors on which ranks 0, 1, 2 ... run, such as 0,1,3,2
    #[arg(long, value_name = "N,...")]
    map: Option<String>,

    /// Read the virtual clock inexactly, such as by 2%: times are off by so much, and once in a hundred by far more
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    clock_noise: Option<f64>,
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

    pub fn of(model: Traffic) -> Self {
        match model {
            Traffic::Fast => Self::Fast,
            Traffic::Traffic => Self::Traffic,
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
            ("--set", self.changes().next().is_some()),
            ("--map", self.map.is_some()),
            ("--clock-noise", self.clock_noise.is_some()),
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

    /// The values of `--set` that change the model.
    fn changes(&self) -> impl Iterator<Item = &String> {
        self.set.iter().filter(|text| text.contains('='))
    }

    /// Those that do not: sets of messages.
    pub fn message_sets(&self) -> impl Iterator<Item = &str> {
        self.set.iter().filter(|text| !text.contains('=')).map(String::as_str)
    }

    fn overrides(&self) -> Result<Vec<String>, Failure> {
        let mut overrides: Vec<String> = self.changes().cloned().collect();
        if let Some(map) = &self.map {
            overrides.push(format!("network.map={:?}", parse_list(map)?));
        }
        Ok(overrides)
    }

    /// The seed is that of the clock's noise.
    pub fn world(&self, machine: Machine, seed: u64) -> Simulated {
        let world = Simulated::new(Arc::new(machine), self.traffic());
        let world = if self.is_measured() { world.measured() } else { world };
        match self.clock_noise {
            Some(relative) => world.with_timing_noise(seed, relative, OUTLIERS),
            None => world,
        }
    }

    /// What messages do that meet.
    pub fn traffic(&self) -> Traffic {
        Network::or_default(self.network).model()
    }

    /// Is every time that of the model, to the picosecond?
    pub fn is_exact(&self) -> bool {
        self.clock_noise.is_none() && !self.is_measured()
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
        let manifest = Manifest::simulated(described, text, cores().len(), settings);
        match self.clock_noise {
            Some(relative) => Manifest { clock: noisy(relative), ..manifest },
            None => manifest,
        }
    }
}

/// The share of times that are several times too long where the clock has noise.
const OUTLIERS: f64 = 0.01;
/// More noise than this is no measurement.
const MOST_NOISE: f64 = 25.0;

fn noisy(relative: f64) -> String {
    format!(
        "virtual clock of the simulated machine, read with a noise of {} and outliers",
        panto_units::percent(relative * 100.0)
    )
}

/// Reads `2%` or `2` as 0.02.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let wrong = || format!("`{text}` is not from 0% to {MOST_NOISE}%");
    let percent: f64 = number.parse().map_err(|_| wrong())?;
    if (0.0..=MOST_NOISE).contains(&percent) { Ok(percent / 100.0) } else { Err(wrong()) }
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
