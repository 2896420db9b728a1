//! Options of the suite `cm5`.

use clap::Args;
use panto_bench::cm5::Options;
use panto_bench::{Kernel, parse_counts};
use panto_transport::AlgorithmChoice;

use crate::failure::Failure;

#[derive(Args)]
pub struct Cm5Args {
    /// Numbers of segments of a message in cm5/broadcast, such as 2,4,8 [default: 2 to 32].
    #[arg(long, value_name = "N,...")]
    segments: Option<String>,

    /// Algorithms to compare in cm5/exchange and cm5/broadcast, such as pex,rex,library [default:
    /// lex,pex,rex,library for exchange; lib, reb, segmented reb and library for broadcast].
    #[arg(long, alias = "rivals", value_name = "NAME,...", value_delimiter = ',', value_parser = super::parse_choice)]
    candidates: Vec<AlgorithmChoice>,
}

impl Cm5Args {
    /// Returns the options. `sets` are the values of `--set` that are message sets and not
    /// overrides of a model.
    pub fn options<'a>(
        &self,
        kernels: &[String],
        sets: impl Iterator<Item = &'a str>,
    ) -> Result<Options, Failure> {
        let sets = sets.map(str::parse).collect::<Result<Vec<_>, _>>()?;
        let for_sets =
            |name: &String| Kernel::named(name).is_ok_and(|all| all.contains(&Kernel::MessageSets));
        if let Some(set) = sets.first().filter(|_| !kernels.iter().any(for_sets)) {
            return Err(Failure::Usage(format!(
                "--set \"{set}\" is a message set, which applies to the kernel cm5/message-set only"
            )));
        }
        Ok(Options { sets, segments: self.segments()?, candidates: self.candidates.clone() })
    }

    fn segments(&self) -> Result<Vec<usize>, Failure> {
        let Some(text) = &self.segments else { return Ok(Vec::new()) };
        let numbers = parse_counts(text)?;
        if numbers.first().is_some_and(|&least| least < 2) {
            return Err(Failure::Usage(format!(
                "--segments {text}: use 2 or more; the unsegmented message is always measured"
            )));
        }
        Ok(numbers.into_iter().map(|number| number as usize).collect())
    }
}
