//! What only the suite `cm5` is asked.

use clap::Args;
use panto_bench::cm5::Options;
use panto_bench::{Kernel, parse_counts};
use panto_transport::Choice;

use crate::failure::Failure;

#[derive(Args)]
pub struct Cm5Args {
    /// Into how many segments cm5/broadcast divides a message, such as 2,4,8 [default: 2 to 32]
    #[arg(long, value_name = "N,...")]
    segments: Option<String>,

    /// The algorithms that compete in cm5/exchange and cm5/broadcast, such as pex,rex,library [default: lex, pex, rex and
    /// library; lib, reb, reb in segments and library]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = super::parse_choice)]
    rivals: Vec<Choice>,
}

impl Cm5Args {
    /// The message sets come by `--set`, which machines have as well: `sets` are those of its values that change no model.
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
                "--set \"{set}\" is a message set, and those are for cm5/message-set; name that kernel, or leave it out"
            )));
        }
        Ok(Options { sets, segments: self.segments()?, rivals: self.rivals.clone() })
    }

    fn segments(&self) -> Result<Vec<usize>, Failure> {
        let Some(text) = &self.segments else { return Ok(Vec::new()) };
        let numbers = parse_counts(text)?;
        if numbers.first().is_some_and(|&least| least < 2) {
            return Err(Failure::Usage(format!(
                "--segments {text}: one segment is the whole message, which is measured anyway; use 2 or more"
            )));
        }
        Ok(numbers.into_iter().map(|number| number as usize).collect())
    }
}
