//! The world whose ranks run on a simulated machine.

use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use panto_bench::{Effort, Settings, SharedLink, Storage};
use panto_machine::{Machine, Model, Protocol, builtin, looks_like_a_path};
use panto_results::{Manifest, SimulatedMachine};
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};
use panto_transport::threads::cores;
use panto_units::suggest::hint;

use crate::failure::Failure;
use crate::print;
use crate::{model, mpi, threads};

/// Options of simulated machines.
#[derive(Args)]
pub struct MachineArgs {
    /// What messages share [default: links].
    #[arg(long, value_name = "LEVEL", alias = "network", value_parser = sharing_parser())]
    sharing: Option<Sharing>,

    /// Source of computation times [default: declared].
    #[arg(long, value_enum)]
    computation: Option<Computation>,

    /// Override a model parameter, such as link.latency=2us, or add a set of messages to `bench
    /// cm5/message-set`, such as "(0,1),(2,3)". Repeatable.
    #[arg(long, value_name = "KEY=VALUE|SET")]
    set: Vec<String>,

    /// Processors of ranks 0, 1, 2 ..., such as 0,1,3,2.
    #[arg(long, value_name = "N,...")]
    map: Option<String>,

    /// Add noise to the virtual clock, such as 2%; one reading in a hundred is an outlier.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    clock_noise: Option<f64>,
}

/// The source of computation times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Computation {
    /// Kernels declare their operations, and the model gives their cost.
    Declared,
    /// CPU time on the host, scaled by the model's processor.speed.
    Measured,
}

/// Returns the parser of `--sharing`. `fast` and `traffic` are the former names of `none` and
/// `links`.
pub fn sharing_parser() -> impl TypedValueParser<Value = Sharing> {
    let levels = [
        PossibleValue::new("none").help("Messages do not delay each other, as in PUPPET").alias("fast"),
        PossibleValue::new("endpoints").help("The messages of a rank share its ports"),
        PossibleValue::new("links").help("Messages share every link of their route").alias("traffic"),
    ];
    PossibleValuesParser::new(levels).try_map(|name| name.parse::<Sharing>())
}

/// Maximum number of ranks with a stack each. With more, collectives run as schedules without
/// stacks: the same predictions in a hundredth of the time.
const MAX_WITH_STACKS: usize = 16_384;
/// Maximum default number of ranks.
const MAX_DEFAULT_RANKS: usize = 64;

impl MachineArgs {
    /// Fails if one of these options is given although ranks are not simulated.
    pub fn refuse(&self, on: &str) -> Result<(), Failure> {
        let given = [
            ("--sharing", self.sharing.is_some()),
            ("--computation", self.computation.is_some()),
            ("--set", self.changes().next().is_some()),
            ("--map", self.map.is_some()),
            ("--clock-noise", self.clock_noise.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::Usage(format!(
                "{option} applies to simulated machines only, not to `--on {on}`; choose a machine, such as --on {}",
                model::builtin_names().first().unwrap_or(&"FILE")
            ))),
        }
    }

    /// Loads the model with the overrides of the command line.
    pub fn load(&self, on: &str) -> Result<Model, Failure> {
        let is_there = builtin::find(on).is_some() || std::fs::symlink_metadata(on).is_ok();
        if !is_there && !looks_like_a_path(on) {
            return Err(unknown_world(on));
        }
        Model::load(on, &self.overrides()?).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// Returns the values of `--set` that override model parameters.
    fn changes(&self) -> impl Iterator<Item = &String> {
        self.set.iter().filter(|text| text.contains('='))
    }

    /// Returns the values of `--set` that are sets of messages.
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

    /// Returns the world; `seed` is that of the clock's noise.
    pub fn world(&self, machine: Machine, seed: u64) -> Simulated {
        let world = Simulated::new(Arc::new(machine), self.sharing());
        let world = if self.is_measured() { world.measured() } else { world };
        match self.clock_noise {
            Some(relative) => world.with_timing_noise(seed, relative, OUTLIER_SHARE),
            None => world,
        }
    }

    /// Returns what messages share.
    pub fn sharing(&self) -> Sharing {
        self.sharing.unwrap_or(Sharing::Links)
    }

    /// Returns whether every time is exactly that of the model.
    pub fn is_exact(&self) -> bool {
        self.clock_noise.is_none() && !self.is_measured()
    }

    fn is_measured(&self) -> bool {
        self.computation == Some(Computation::Measured)
    }

    /// Returns the manifest of a run on this machine.
    pub fn manifest(&self, world: &Simulated, settings: &Settings) -> Manifest {
        let machine = world.machine();
        let network = self.sharing().name().to_owned();
        let topology = machine.network.topology.to_string();
        let computation = if self.is_measured() { ", computation measured on the host" } else { "" };
        let text = format!(
            "simulated {}: {topology}, sharing {network}, {}{computation}",
            machine.name,
            protocol(machine)
        );
        let described = SimulatedMachine {
            name: machine.name.clone(),
            topology,
            network,
            overrides: self.overrides().unwrap_or_default(),
        };
        let manifest = Manifest::simulated(described, text, cores().len(), settings.for_manifest());
        match self.clock_noise {
            Some(relative) => Manifest { clock: noisy(relative), ..manifest },
            None => manifest,
        }
    }
}

/// The share of outliers among the readings of a noisy clock.
const OUTLIER_SHARE: f64 = 0.01;
/// Maximum noise of the clock, in percent.
const MAX_NOISE: f64 = 25.0;

fn noisy(relative: f64) -> String {
    format!(
        "virtual clock of the simulated machine, with {} noise and outliers",
        panto_units::percent(relative * 100.0)
    )
}

/// Parses `2%` or `2` as 0.02.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let wrong = || format!("`{text}` is not between 0% and {MAX_NOISE}%");
    let percent: f64 = number.parse().map_err(|_| wrong())?;
    if (0.0..=MAX_NOISE).contains(&percent) { Ok(percent / 100.0) } else { Err(wrong()) }
}

fn parse_list(text: &str) -> Result<Vec<u32>, Failure> {
    let number = |word: &str| {
        let wrong = || Failure::Usage(format!("--map {text}: `{word}` is not a processor number"));
        word.trim().parse().map_err(|_| wrong())
    };
    text.split(',').map(number).collect()
}

/// Returns a machine for this many ranks. Built-in ones grow if they are too small, with a note.
pub fn machine(model: Model, ranks: usize) -> Result<Machine, Failure> {
    let (machine, grown) = model.for_ranks(ranks).map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(note) = grown {
        print::note(format_args!("panto: {note}"));
    }
    Ok(machine)
}

/// Returns the default number of ranks: one per processor, up to a limit.
pub fn default_ranks(machine: &Machine) -> usize {
    machine.processors().min(MAX_DEFAULT_RANKS)
}

/// Adds the properties of the machine to the settings, because kernels plan before they have a
/// transport.
pub fn settings(world: &Simulated, settings: Settings, effort: Effort) -> Settings {
    Settings {
        shape: settings.shape.or_else(|| Some(world.shape(settings.world()))),
        storage: Storage::of(world.machine()),
        shared_link: shared_link(world, settings.world()),
        machine: Some(world.machine().name.clone()),
        stackless_above: MAX_WITH_STACKS,
        most_programs: world.max_ranks(),
        effort,
        ..settings
    }
}

/// Returns which messages contend, for the kernel that loads a link beside an echo.
fn shared_link(world: &Simulated, ranks: usize) -> SharedLink {
    let (machine, sharing) = (&world.machine().name, world.sharing());
    if sharing != Sharing::Links {
        return SharedLink::Nowhere(format!(
            "messages share no links with `--sharing {sharing}`; leave that out"
        ));
    }
    match world.contending_messages(ranks) {
        Some(found) => SharedLink::Between { load: found.long, echo: found.short },
        None => SharedLink::Nowhere(format!(
            "no two messages between four of the {ranks} ranks share a link of {machine} that carries one at a time; use \
             more ranks, another machine, or cm5/message-set for several messages at once"
        )),
    }
}

fn protocol(machine: &Machine) -> String {
    let bytes = panto_units::bytes;
    match machine.protocol {
        Protocol::Buffered => "sends are buffered".into(),
        Protocol::Handshake { above } => format!("sends above {} request a buffer first", bytes(above)),
        Protocol::Synchronous => "synchronous sends".into(),
        Protocol::Eager { limit } => format!("eager up to {}, then rendezvous", bytes(limit)),
    }
}

/// Returns the failure of a name that is neither a world nor a machine.
fn unknown_world(on: &str) -> Failure {
    let machines = model::builtin_names();
    let hint = hint(on, [threads::NAME, mpi::NAME].into_iter().chain(machines.iter().copied()));
    let remedy = if hint.is_empty() { "; use" } else { " Use" };
    Failure::Usage(format!(
        "`--on {on}`: unknown world{hint}{remedy} `{}`, `{}`, a built-in machine ({}) or a model file",
        threads::NAME,
        mpi::NAME,
        machines.join(", ")
    ))
}
