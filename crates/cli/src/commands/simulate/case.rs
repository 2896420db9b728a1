//! Options of the machine and of how a program runs on it, for all commands that simulate.

use clap::{Args, ValueEnum};
use panto_machine::{Model, Sharing};
use panto_predict::{Case, CaseOptions, Mapping, Speeds, Traced};
use panto_sim::replay;

use crate::failure::Failure;
use crate::print;
use crate::simulated::sharing_parser;

/// How a program runs on a machine.
#[derive(Args, Clone)]
pub struct CaseArgs {
    /// Override a model parameter, such as link.latency=2us. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Number of processors, shared round robin if there are more ranks [default: one per rank].
    #[arg(short, long, value_name = "N")]
    pub processors: Option<usize>,

    /// Mapping of ranks: wrap, block, a list of processors such as 0,1,3,2, or a file with one per
    /// rank.
    #[arg(long, value_name = "MAP")]
    pub map: Option<String>,

    /// Speed of processors relative to the traced computer: a number, or a list or file with one
    /// per processor [default: as the machine says: as fast, or by the times of a DAXPY on both].
    #[arg(long, value_name = "FACTOR")]
    pub speed: Option<String>,

    /// What messages share [default: as the machine says, endpoints for most].
    #[arg(long, value_name = "LEVEL", alias = "network", value_parser = sharing_parser())]
    pub sharing: Option<Sharing>,

    /// Rules that choose algorithms of collectives: mpich, openmpi, puppet, or a file [default:
    /// those of the machine].
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How a trace is replayed.
#[derive(Args, Clone, Copy)]
pub struct ReadingArgs {
    /// Matching of receives with wildcards (`MPI_ANY_SOURCE`, `MPI_ANY_TAG`).
    #[arg(long, value_enum, default_value_t = Wildcards::Recorded)]
    pub wildcards: Wildcards,

    /// Skip and count unsupported calls instead of failing.
    #[arg(long)]
    pub lenient: bool,
}

/// The matching of receives with wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wildcards {
    /// With the message of the traced run.
    Recorded,
    /// With the first matching message that arrives.
    Rematch,
}

impl ReadingArgs {
    /// Returns the options of the replay.
    pub fn options(self) -> replay::Options {
        self.options_of(false)
    }

    /// As [`ReadingArgs::options`]; for a timeline, functions are told apart by their call sites.
    pub fn options_of(self, is_for_timeline: bool) -> replay::Options {
        let wildcards = match self.wildcards {
            Wildcards::Recorded => replay::Wildcards::Recorded,
            Wildcards::Rematch => replay::Wildcards::Rematch,
        };
        replay::Options { wildcards, lenient: self.lenient, call_sites: is_for_timeline }
    }
}

impl CaseArgs {
    /// Loads the model with the overrides of the command line.
    pub fn model(&self, name: &str) -> Result<Model, Failure> {
        load(name, &self.overrides())
    }

    fn overrides(&self) -> Vec<String> {
        let rules = self.rules.iter().map(|rules| format!("collectives.rules={rules}"));
        self.set.iter().cloned().chain(rules).collect()
    }

    /// Returns the machine, made ready for a program.
    pub fn case(&self, name: &str, traced: impl Into<Traced>) -> Result<Case, Failure> {
        self.case_with(name, &[], self.speeds()?, traced)
    }

    /// Returns the machine with further overrides and other speeds.
    pub fn case_with(
        &self,
        name: &str,
        sets: &[String],
        speeds: Speeds,
        traced: impl Into<Traced>,
    ) -> Result<Case, Failure> {
        let model = load(name, &[self.overrides(), sets.to_vec()].concat())?;
        Ok(Case::new(model, traced, &self.options_with(speeds)?)?)
    }

    /// Returns the speeds of processors.
    pub fn speeds(&self) -> Result<Speeds, Failure> {
        Ok(self.speed.as_deref().map(Speeds::parse).transpose()?.unwrap_or_default())
    }

    /// Returns the options of a case; fails if a speed is an interval.
    pub fn options(&self) -> Result<CaseOptions, Failure> {
        self.options_with(self.speeds()?.certain()?)
    }

    fn options_with(&self, speeds: Speeds) -> Result<CaseOptions, Failure> {
        Ok(CaseOptions {
            processors: self.processors,
            mapping: self.map.as_deref().map(Mapping::parse).transpose()?.unwrap_or_default(),
            speeds,
            sharing: self.sharing,
        })
    }
}

/// Loads a built-in machine or a model file.
pub fn load(name: &str, overrides: &[String]) -> Result<Model, Failure> {
    let model = Model::load(name, overrides)?;
    model.machine().doubt().iter().for_each(|doubt| print::note_once(format_args!("panto: {doubt}")));
    Ok(model)
}
