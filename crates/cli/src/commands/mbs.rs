//! `panto mbs`: CRESTA's own command line (S8).

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser};
use panto_bench::scenario::operation::Call;

use super::bench::Bench;
use crate::failure::Failure;
use crate::{mpi, out, threads};

/// Measure a collective as CRESTA's microbenchmark suite does: its command line, its table
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Mbs {
    /// barrier, broadcast, gather, allGather, allReduce, or any other collective of `panto bench scenario`
    collective: String,

    /// The fewest participants; they double up to all ranks
    #[arg(value_name = "P_min")]
    least: usize,

    /// Repetitions of each measurement
    #[arg(value_name = "nreps")]
    repetitions: usize,

    /// The smallest message in bytes
    #[arg(value_name = "m_min", value_parser = panto_units::parse_bytes)]
    smallest: u64,

    /// The largest message in bytes; sizes double up to it
    #[arg(value_name = "m_max", value_parser = panto_units::parse_bytes)]
    largest: u64,

    /// By how many microseconds a participant is late; 0 leaves this scenario out
    #[arg(value_name = "delay", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=A_DAY))]
    delay: u64,

    /// Which participant is late, counted from 1
    #[arg(value_name = "delay_P", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    late: u64,

    /// Where to run, as in `panto bench` [default: mpi if a launcher started it, or else threads]
    #[arg(long, value_name = "WORLD")]
    on: Option<String>,

    /// How many ranks there are, the original's `P_max` [default: as in `panto bench`]
    #[arg(short = 'n', long, value_name = "N")]
    ranks: Option<usize>,

    /// Keep everything in this file as well, one JSON object per line
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The longest delay, in microseconds.
const A_DAY: u64 = 24 * 60 * 60 * 1_000_000;

const AFTER_HELP: &str = "\
This is a short form of `panto bench scenario/only scenario/delay ... --format mbs`, which it prints first. The table has the
columns of the original: size, participants, and average, least and largest time to completion with the standard deviation.

Examples:
  mpirun -n 256 panto mbs broadcast 2 1000 512 512 > out.log
  panto mbs allReduce 2 100 8 64K 50 1 --ranks 4      the first participant is late by 50 us
  panto mbs barrier 2 1000 0 0 --ranks 8 --on cm5";

/// `panto bench`, to be read from words.
#[derive(Parser)]
#[command(name = "panto bench")]
struct Translated {
    #[command(flatten)]
    bench: Bench,
}

impl Mbs {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let words = self.words()?;
        out::note(format_args!("panto: this is `panto {}`", words.join(" ")));
        // Words of ours that bench does not take would be a mistake of this file; its own message says which.
        let translated =
            Translated::try_parse_from(words).map_err(|error| Failure::Usage(error.to_string()))?;
        translated.bench.run()
    }

    /// Do all processes of an MPI job take part?
    pub fn is_for_all(&self) -> bool {
        self.on.as_deref().is_none_or(|on| on == mpi::NAME)
    }

    /// The command line of `panto bench`.
    fn words(&self) -> Result<Vec<String>, Failure> {
        let call: Call = self.collective.to_lowercase().parse()?;
        if self.smallest > self.largest {
            return Err(Failure::Usage(format!(
                "m_min is {} and m_max {}; the smaller one comes first",
                self.smallest, self.largest
            )));
        }
        if self.repetitions == 0 {
            return Err(Failure::Usage("nreps is 0, and at least 1 repetition is needed".into()));
        }
        if let Some(ranks) = self.most_ranks().filter(|ranks| self.late > *ranks as u64) {
            return Err(Failure::Usage(format!(
                "delay_P is {}, and there are {ranks} participants, counted from 1; 1 is the first and {ranks} the last",
                self.late
            )));
        }
        let mut words: Vec<String> = ["bench", "scenario/only"].map(String::from).to_vec();
        if self.delay > 0 {
            words.push("scenario/delay".into());
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

    /// The document means the first or the last participant, of however many take part; our numbers begin with 0.
    fn late(&self) -> String {
        match (self.late, self.most_ranks()) {
            (1, _) => "first".into(),
            (late, Some(ranks)) if late == ranks as u64 => "last".into(),
            (late, _) => (late - 1).to_string(),
        }
    }

    /// The original's `P_max`, where it is known before the run.
    fn most_ranks(&self) -> Option<usize> {
        let launched = mpi::launched();
        let usual = match self.on.as_deref() {
            Some(threads::NAME) => Some(threads::default_ranks()),
            None if launched.is_none() => Some(threads::default_ranks()),
            None | Some(mpi::NAME) => launched.and_then(|launch| launch.size),
            Some(_) => None,
        };
        self.ranks.or(usual)
    }
}
