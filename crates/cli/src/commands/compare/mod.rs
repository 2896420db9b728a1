//! `panto compare`

pub mod percent;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_compare::{Comparison, Counts, Run, Settings, compare};
use panto_report::present;

use crate::failure::Failure;
use crate::files;
use crate::plot::Target;

/// Something is slower, or whatever else `--fail-on` names.
pub const CHANGED: u8 = 3;

/// Say what became slower or faster from one run to another, with confidence
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Compare {
    /// What was measured before: a file of `panto bench -o` or output of the OSU or Intel MPI benchmarks; several files with commas between them, or a directory of them, are launches
    old: PathBuf,

    /// What was measured after, of any of these kinds
    new: PathBuf,

    /// Changes up to this are of no practical weight
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent::parse, allow_hyphen_values = true)]
    threshold: f64,

    /// Confidence of the intervals; what is left to 100% is how often the whole comparison may raise a false alarm
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = percent::parse, allow_hyphen_values = true)]
    confidence: f64,

    /// Compare only these kernels or suites, such as comet/echo,classic
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    kernel: Vec<String>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Show every point, and not only the most important ones
    #[arg(long)]
    all: bool,

    /// Draw the ratios against the size: one SVG per kernel into a directory, or for a paper into a file (.svg, .png, or .dat with a script
    /// for gnuplot)
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// End with exit code 3 where there is a point of this kind
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',', default_value = "slower")]
    fail_on: Vec<FailOn>,

    /// Take as much of damaged files as is sound
    #[arg(long)]
    salvage: bool,
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What follows in sentences, and a table of the points
    Table,
    /// One JSON object
    Json,
    /// One row per point
    Csv,
}

/// What makes a CI job fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A point became slower
    Slower,
    /// A point became faster: what was expected to stay did not
    Faster,
    /// A point cannot be told: too few samples, or too noisy
    CannotTell,
    /// A point of the old run is not in the new one
    Missing,
    /// Nothing: the exit code is 0 whatever is found
    Never,
}

const AFTER_HELP: &str = "\
Points are matched by kernel, ranks, parameters, algorithm and simulated machine. Of each, the ratio of the
medians (new over old) has a bootstrap interval, over launches where there are several; Mann and Whitney's test
with Holm's correction says whether there is a difference at all. Slower means: the test is significant, the
interval lies above 1, and the ratio is beyond the threshold. Same means: the whole interval is within the
threshold. Everything else cannot be told. Benchmarks that print one number a point allow no test: then the
threshold decides alone, and that is said.

Exit codes: 0 nothing of what --fail-on names; 3 something of it; 2 the command or a file is wrong, or there is
no common point.

Examples:
  panto bench comet/echo --ranks 2 --append -o before.jsonl     repeat this: each launch is one more witness
  panto compare before.jsonl after.jsonl
  panto compare before.jsonl after.jsonl --threshold 10% --fail-on slower,missing     in CI
  panto compare before.jsonl after.jsonl --plot changes.svg --format json
  panto compare osu-old.txt osu-new1.txt,osu-new2.txt           what osu_latency and IMB-MPI1 printed
  panto compare imb.txt run.jsonl                               any mix";

impl Compare {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(plot) = &self.plot {
            [&self.old, &self.new].into_iter().try_for_each(|file| files::keep(file, plot))?;
        }
        let (mut old, mut new) = Run::open_both(&self.old, &self.new, self.salvage)?;
        if !self.kernel.is_empty() {
            old.keep(&self.kernel)?;
            new.keep(&self.kernel)?;
        }
        let settings = Settings { threshold: self.threshold, confidence: self.confidence };
        let comparison = compare(old, new, settings)?;
        show::print(&comparison, self.format, self.all);
        if let Some(path) = &self.plot {
            Target::new(path).write_together(present::comparison_figures(&comparison))?;
        }
        Ok(if self.is_failure(&comparison) { ExitCode::from(CHANGED) } else { ExitCode::SUCCESS })
    }

    fn is_failure(&self, comparison: &Comparison) -> bool {
        let Counts { slower, faster, cannot_tell, only_old, .. } = comparison.counts;
        self.fail_on.iter().any(|kind| match kind {
            FailOn::Slower => slower > 0,
            FailOn::Faster => faster > 0,
            FailOn::CannotTell => cannot_tell > 0,
            FailOn::Missing => only_old > 0,
            FailOn::Never => false,
        })
    }
}
