//! `panto mbs`: the command line of CRESTA's microbenchmark suite (S8).

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser};
use panto_results::kernel;
use panto_results::scenario::CollectiveCall;

use super::bench::Bench;
use crate::failure::Failure;
use crate::{mpi, print, threads};

/// Measure a collective with the command line and output of CRESTA's microbenchmark suite.
#[derive(Args)]
#[command(override_usage = USAGE, after_help = AFTER_HELP)]
pub struct Mbs {
    /// Collective: barrier, broadcast, gather, allGather, allReduce, or any other collective of
    /// `panto bench scenario`.
    collective: String,

    /// Smallest number of participants, doubled up to all ranks.
    #[arg(value_name = "P_min")]
    least: usize,

    /// Repetitions of each measurement.
    #[arg(value_name = "nreps")]
    repetitions: usize,

    /// Smallest message in bytes.
    #[arg(value_name = "m_min", value_parser = panto_units::parse_bytes)]
    smallest: u64,

    /// Largest message in bytes; sizes double.
    #[arg(value_name = "m_max", value_parser = panto_units::parse_bytes)]
    largest: u64,

    /// Delay of the late participant in microseconds; 0 skips this scenario.
    #[arg(value_name = "delay", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=MAX_DELAY))]
    delay: u64,

    /// The late participant, counted from 1.
    #[arg(value_name = "delay_P", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    late: u64,

    /// Where to run, as in `panto bench` [default: mpi under an MPI launcher, else threads].
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// Number of ranks, CRESTA's `P_max` [default: as in `panto bench`].
    #[arg(short = 'n', long, value_name = "N")]
    ranks: Option<usize>,

    /// Write all records and samples to this file (JSON Lines).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Maximum delay, in microseconds: one day.
const MAX_DELAY: u64 = 24 * 60 * 60 * 1_000_000;

const USAGE: &str = "panto mbs [OPTIONS] COLLECTIVE P_min nreps m_min m_max [delay [delay_P]]";

const AFTER_HELP: &str = "\
Short form of `panto bench scenario/only scenario/delay ... --format mbs`, which is printed first. The table has CRESTA's columns: size, participants, and the mean, minimum and maximum time to completion with the standard deviation.

Examples:
  mpirun -n 256 panto mbs broadcast 2 1000 512 512 > out.log
  panto mbs allReduce 2 100 8 64K 50 1 --ranks 4      participant 1 50 us late
  panto mbs barrier 2 1000 0 0 --ranks 8 --on cm5";

/// The command line of `panto bench`.
#[derive(Parser)]
#[command(name = "panto bench")]
struct Translated {
    #[command(flatten)]
    bench: Bench,
}

impl Mbs {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let words = self.bench_arguments()?;
        print::note(format_args!("panto: running `panto {}`", words.join(" ")));
        // Arguments that `panto bench` rejects are a bug of this module; its message names them.
        let translated =
            Translated::try_parse_from(words).map_err(|error| Failure::Usage(error.to_string()))?;
        translated.bench.run()
    }

    /// Returns whether all processes of an MPI job take part.
    pub fn is_collective(&self) -> bool {
        self.on.as_deref().is_none_or(|on| on == mpi::NAME)
    }

    /// Returns the equivalent arguments of `panto bench`.
    fn bench_arguments(&self) -> Result<Vec<String>, Failure> {
        let call: CollectiveCall = self.collective.to_lowercase().parse()?;
        if self.smallest > self.largest {
            return Err(Failure::Usage(format!(
                "m_min ({}) is larger than m_max ({})",
                self.smallest, self.largest
            )));
        }
        if self.repetitions == 0 {
            return Err(Failure::Usage("nreps must be at least 1".into()));
        }
        if let Some(ranks) = self.most_ranks().filter(|ranks| self.late > *ranks as u64) {
            return Err(Failure::Usage(format!(
                "delay_P is {}, but there are {ranks} participants; use 1 to {ranks}",
                self.late
            )));
        }
        let mut words: Vec<String> = ["bench", kernel::scenario::ONLY].map(String::from).to_vec();
        if self.delay > 0 {
            words.push(kernel::scenario::DELAY.into());
        }
        let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
        add("--collective", call.to_string());
        add("--from", self.least.to_string());
        add("--samples", self.repetitions.to_string());
        add("--time-budget", "24h".into());
        if call.has_data() {
            add("--sizes", self.sizes());
        }
        if self.delay > 0 {
            add("--delays", format!("{}us", self.delay));
            add("--late", self.late());
        }
        let given = [
            ("--on", self.on.clone()),
            ("--ranks", self.ranks.map(|ranks| ranks.to_string())),
            ("--output", self.output.as_ref().map(|path| path.display().to_string())),
        ];
        given
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .for_each(|(name, value)| add(name, value));
        add("--format", "mbs".into());
        Ok(words)
    }

    fn sizes(&self) -> String {
        if self.smallest == self.largest {
            return self.smallest.to_string();
        }
        format!("{}..{}", self.smallest, self.largest)
    }

    /// Returns the argument of `--late`. CRESTA counts from 1 and means the first or last of any
    /// number of participants; `--late` counts from 0.
    fn late(&self) -> String {
        match (self.late, self.most_ranks()) {
            (1, _) => "first".into(),
            (late, Some(ranks)) if late == ranks as u64 => "last".into(),
            (late, _) => (late - 1).to_string(),
        }
    }

    /// Returns CRESTA's `P_max`, if it is known before the run.
    fn most_ranks(&self) -> Option<usize> {
        let launched = mpi::launched();
        let default = match self.on.as_deref() {
            Some(threads::NAME) => Some(threads::default_ranks()),
            None if launched.is_none() => Some(threads::default_ranks()),
            None | Some(mpi::NAME) => launched.and_then(|launch| launch.size),
            Some(_) => None,
        };
        self.ranks.or(default)
    }
}
