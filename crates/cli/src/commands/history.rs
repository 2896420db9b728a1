//! `panto history`: compares results from version to version.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use panto_compare::{History as RunHistory, Settings, Verdict};
use panto_report::present;

use super::compare::{CHANGED, percent};
use crate::failure::Failure;
use crate::format::{Format, TABLE_JSON_OR_CSV};
use crate::plot::Target;
use crate::{files, print};

/// Compare results from version to version, and flag significant changes.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct History {
    /// Results of repeated `panto bench --append -o FILE --label VERSION`: a file, comma-separated
    /// files, or a directory.
    file: PathBuf,

    /// Show only these kernels or suites, such as scenario/only.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    kernel: Vec<String>,

    /// Ignore changes up to this percentage.
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent::parse, allow_hyphen_values = true)]
    threshold: f64,

    /// Confidence level of the intervals; one minus this is the family-wise error rate of the tests
    /// of a version.
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = percent::parse, allow_hyphen_values = true)]
    confidence: f64,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_JSON_OR_CSV))]
    format: Format,

    /// Print every point, not only the 30 with the largest changes.
    #[arg(long)]
    all: bool,

    /// Plot times against versions: one SVG per kernel into a directory, or one file (.svg, .png,
    /// or .dat with a gnuplot script).
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// Exit with code 3 if any point of the newest version is slower.
    #[arg(long)]
    fail_on_slower: bool,

    /// Read damaged files up to the damage.
    #[arg(long)]
    salvage: bool,
}

/// Maximum number of points printed without `--all`.
const MAX_POINTS: usize = 30;

const AFTER_HELP: &str = "\
A version is all launches with the same --label; a launch without a label is a version of its own. Each version is compared with the last one before it that measured the same point, as by `panto compare`: the ratio of the medians with its interval, and a Mann-Whitney test with Holm's correction over the points of that version. The last line compares the newest version with the first, because many small changes may add up to more than the threshold.

Examples:
  panto bench comet --append -o history.jsonl --label v1      once per version
  panto history history.jsonl
  panto history history.jsonl --plot history.svg --fail-on-slower        in CI";

impl History {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(plot) = &self.plot {
            files::refuse_overwrite(&self.file, plot)?;
        }
        let settings = Settings { threshold: self.threshold, confidence: self.confidence };
        let history = RunHistory::open(&self.file, &self.kernel, settings, self.salvage)?;
        self.print(&history);
        if let Some(path) = &self.plot {
            Target::new(path).write_together(present::history_figures(&history))?;
        }
        let slower = history.latest().any(|(_, change)| change.verdict == Verdict::Slower);
        Ok(if slower && self.fail_on_slower { ExitCode::from(CHANGED) } else { ExitCode::SUCCESS })
    }

    fn print(&self, history: &RunHistory) {
        match self.format {
            Format::Json => return print::line(present::history_json(history)),
            Format::Csv => return print::text(present::history_csv(history)),
            _ => {}
        }
        let most = if self.all { history.series.len() } else { MAX_POINTS };
        print::line(present::history_table(history, most));
        for note in &history.notes {
            print::line(format_args!("note: {note}"));
        }
        for line in present::history_summary(history) {
            print::line(line);
        }
    }
}
