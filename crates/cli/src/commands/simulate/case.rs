//! The machine and the way in which a program runs on it: options of all commands that simulate.

use clap::{Args, ValueEnum};
use panto_machine::{Model, builtin};
use panto_predict::{Case, Mapping, Speeds, Wish};
use panto_sim::replay;

use crate::failure::Failure;
use crate::simulated::Network;

/// On which machine, and how.
#[derive(Args)]
pub struct CaseArgs {
    /// Change the model, such as link.latency=2us; may be given again and again
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Run on so many processors; more ranks share them in turns [default: one for each rank]
    #[arg(short, long, value_name = "N")]
    pub processors: Option<usize>,

    /// Where ranks run: wrap, block, a list of processors such as 0,1,3,2, or a file with one for each rank
    #[arg(long, value_name = "MAP")]
    pub map: Option<String>,

    /// How many times faster processors compute than where the program was traced: a number, an interval such as 1.8..2.2 from which
    /// --samples draws, a list or a file with one for each processor
    #[arg(long, value_name = "FACTOR")]
    pub speed: Option<String>,

    /// What messages do that meet [default: as the machine says, which is `fast` for most]
    #[arg(long, value_enum)]
    pub network: Option<Network>,

    /// What chooses the algorithms of collectives: mpich, openmpi, puppet, or a file [default: as the machine says]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How a trace is understood.
#[derive(Args, Clone, Copy)]
pub struct ReadingArgs {
    /// Who a receive with wild cards gets its message from
    #[arg(long, value_enum, default_value_t = Wildcards::Recorded)]
    pub wildcards: Wildcards,

    /// Leave out what cannot be simulated, and count it, instead of refusing the trace
    #[arg(long)]
    pub lenient: bool,
}

/// Who a receive with wild cards gets its message from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wildcards {
    /// From whom it got it when it was traced
    Recorded,
    /// From whoever comes first on the simulated machine
    Rematch,
}

impl ReadingArgs {
    pub fn options(self) -> replay::Options {
        let wildcards = match self.wildcards {
            Wildcards::Recorded => replay::Wildcards::Recorded,
            Wildcards::Rematch => replay::Wildcards::Rematch,
        };
        replay::Options { wildcards, lenient: self.lenient }
    }
}

impl CaseArgs {
    /// The model of this name, or in this file, with what the user changed.
    pub fn model(&self, name: &str) -> Result<Model, Failure> {
        load(name, &self.overrides())
    }

    fn overrides(&self) -> Vec<String> {
        let rules = self.rules.iter().map(|rules| format!("collectives.rules={rules}"));
        self.set.iter().cloned().chain(rules).collect()
    }

    /// The machine, made ready for so many ranks.
    pub fn case(&self, name: &str, ranks: usize) -> Result<Case, Failure> {
        self.case_with(name, &[], self.speeds()?, ranks)
    }

    /// The same with more changes to the model, and other speeds.
    pub fn case_with(
        &self,
        name: &str,
        sets: &[String],
        speeds: Speeds,
        ranks: usize,
    ) -> Result<Case, Failure> {
        let model = load(name, &[self.overrides(), sets.to_vec()].concat())?;
        Ok(Case::new(model, ranks, &self.wish_with(speeds)?)?)
    }

    /// How fast processors compute.
    pub fn speeds(&self) -> Result<Speeds, Failure> {
        Ok(self.speed.as_deref().map(Speeds::parse).transpose()?.unwrap_or_default())
    }

    /// What the user wants, for those who draw nothing.
    pub fn wish(&self) -> Result<Wish, Failure> {
        self.wish_with(self.speeds()?.certain()?)
    }

    fn wish_with(&self, speeds: Speeds) -> Result<Wish, Failure> {
        Ok(Wish {
            processors: self.processors,
            mapping: self.map.as_deref().map(Mapping::parse).transpose()?.unwrap_or_default(),
            speeds,
            network: self.network.map(Network::model),
        })
    }
}

/// A built-in machine or a model file.
pub fn load(name: &str, overrides: &[String]) -> Result<Model, Failure> {
    if builtin::find(name).is_none() && std::fs::symlink_metadata(name).is_err() {
        let names: Vec<&str> = builtin::all().iter().map(|known| known.name).collect();
        return Err(Failure::Usage(format!(
            "there is no machine `{name}`; use one of these ({}) or a model file (docs/machines.md)",
            names.join(", ")
        )));
    }
    Ok(Model::load(name, overrides)?)
}
