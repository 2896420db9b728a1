//! `panto compare`: tests which points differ between two runs.

pub mod percent;
mod text;
mod timelines;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_compare::{Comparison, Counts, Run, Settings, compare};
use panto_report::present;

use crate::failure::Failure;
use crate::files;
use crate::format::{Format, TABLE_JSON_OR_CSV};
use crate::plot::Target;

/// The exit code if a point is slower, or of another kind that `--fail-on` names.
pub const CHANGED: u8 = 3;

/// Compare two runs: test which points became slower or faster, or where the time of two timelines
/// differs.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Compare {
    /// Old run: results of `panto bench -o`, or output of the OSU or Intel MPI benchmarks; several
    /// launches as comma-separated files or a directory. Or a timeline, or a trace with stamps.
    old: PathBuf,

    /// New run, in any of the same formats.
    new: PathBuf,

    /// Ignore changes up to this percentage.
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent::parse, allow_hyphen_values = true)]
    threshold: f64,

    /// Confidence level of the intervals; one minus this is the family-wise error rate of the
    /// tests.
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = percent::parse, allow_hyphen_values = true)]
    confidence: f64,

    /// Compare only these kernels or suites, such as comet/echo,classic.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    kernel: Vec<String>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_JSON_OR_CSV))]
    format: Format,

    /// Print every point, not only the 30 most important.
    #[arg(long)]
    all: bool,

    /// Plot the ratios against the size: one SVG per kernel into a directory, or one file (.svg,
    /// .png, or .dat with a gnuplot script).
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Exit with code 3 if there is a point of one of these kinds.
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',', default_value = "slower")]
    fail_on: Vec<FailOn>,

    /// Read damaged files up to the damage.
    #[arg(long)]
    salvage: bool,
}

/// The argument of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A point became slower.
    Slower,
    /// A point became faster.
    Faster,
    /// A point is inconclusive: too few samples, or too much noise.
    #[value(alias = "cannot-tell")]
    Inconclusive,
    /// A point of the old run is missing in the new one.
    Missing,
    /// Never exit with code 3.
    Never,
}

const AFTER_HELP: &str = "\
Points are matched by kernel, ranks, parameters, algorithm and simulated machine. For each point, the ratio of the medians (new over old) gets a bootstrap interval, over launches if there are several, and a Mann-Whitney test with Holm's correction decides whether there is a difference. A point is slower if the test is significant, the interval lies above 1 and the ratio exceeds the threshold. It is the same if the whole interval lies within the threshold. Otherwise it is inconclusive. Benchmarks that print one number per point allow no test; in that case the threshold alone decides, and the output says so.

Of two timelines (`panto simulate --timeline`) or traces with stamps (`panto trace --stamps`), the times in each function are compared, over all ranks.

Exit codes: 0 no point of a kind that --fail-on names; 3 at least one; 2 the command line or a file is invalid, or there is no common point.

Examples:
  panto bench comet/echo --append -o before.jsonl       repeat: several launches
  panto compare before.jsonl after.jsonl
  panto compare old.jsonl new.jsonl --threshold 10% --fail-on slower,missing
  panto compare before.jsonl after.jsonl --plot changes.svg --format json
  panto compare osu-old.txt osu-new1.txt,osu-new2.txt   OSU or IMB output
  panto compare imb.txt run.jsonl                       different formats
  panto compare app.panto app.ptl                       measured and predicted";

impl Compare {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if timelines::is_run(&self.old) && timelines::is_run(&self.new) {
            if self.plot.is_some() || !self.kernel.is_empty() {
                return Err(Failure::Usage("--plot and --kernel do not apply to timelines".into()));
            }
            timelines::compare(&self.old, &self.new, self.format, self.all)?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(plot) = &self.plot {
            [&self.old, &self.new].into_iter().try_for_each(|file| files::refuse_overwrite(file, plot))?;
        }
        let (mut old, mut new) = Run::open_both(&self.old, &self.new, self.salvage)?;
        if !self.kernel.is_empty() {
            old.keep(&self.kernel)?;
            new.keep(&self.kernel)?;
        }
        let settings = Settings { threshold: self.threshold, confidence: self.confidence };
        let comparison = compare(old, new, settings)?;
        text::print(&comparison, self.format, self.all);
        if let Some(path) = &self.plot {
            Target::new(path).write_together(present::comparison_figures(&comparison))?;
        }
        Ok(if self.is_failure(&comparison) { ExitCode::from(CHANGED) } else { ExitCode::SUCCESS })
    }

    fn is_failure(&self, comparison: &Comparison) -> bool {
        let Counts { slower, faster, inconclusive, only_old, .. } = comparison.counts;
        self.fail_on.iter().any(|kind| match kind {
            FailOn::Slower => slower > 0,
            FailOn::Faster => faster > 0,
            FailOn::Inconclusive => inconclusive > 0,
            FailOn::Missing => only_old > 0,
            FailOn::Never => false,
        })
    }
}
