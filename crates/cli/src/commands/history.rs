//! `panto history`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_compare::{History as Past, Settings, Verdict};
use panto_report::present;

use super::compare::{CHANGED, percent};
use crate::failure::Failure;
use crate::plot::Target;
use crate::{files, out};

/// Show how measurements changed from version to version, and flag what is certain
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct History {
    /// Result files: one that `panto bench --append -o FILE --label VERSION` has added to again and again; several with commas between them, or a directory of them
    file: PathBuf,

    /// Only these kernels or suites, such as scenario/only
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    kernel: Vec<String>,

    /// Changes up to this are of no practical weight
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent::parse, allow_hyphen_values = true)]
    threshold: f64,

    /// Confidence of the intervals; what is left to 100% is how often one version may raise a false alarm
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = percent::parse, allow_hyphen_values = true)]
    confidence: f64,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Show every point, and not only those with the largest changes
    #[arg(long)]
    all: bool,

    /// Draw the times over the versions: one SVG per kernel into a directory, or for a paper into a file (.svg, .png, or .dat with a script
    /// for gnuplot)
    #[arg(long, value_name = "DIR|OUT.svg|OUT.png|OUT.dat")]
    plot: Option<PathBuf>,

    /// End with exit code 3 if the newest version is slower at some point
    #[arg(long)]
    fail_on_slower: bool,

    /// Take as much of damaged files as is sound
    #[arg(long)]
    salvage: bool,
}

/// How a history is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table of the points, and what follows in sentences
    Table,
    /// One JSON object
    Json,
    /// One row per point and version
    Csv,
}

/// Points that are shown unless all are asked for.
const MOST_POINTS: usize = 30;

const AFTER_HELP: &str = "\
A version is all launches with one --label; a launch without one is a version of its own. Each version is compared with
the last one before it that measured the same point, as `panto compare` does it: the ratio of the medians with its
interval, Mann and Whitney's test with Holm's correction over the points of that version. The last line compares the newest
with the first, because many steps within the threshold may lead beyond it.

Examples:
  panto bench scenario --impl ./libmine.so:bcast --collective bcast --append -o history.jsonl --label v1
  panto history history.jsonl
  panto history history.jsonl --plot history.svg --fail-on-slower     in CI";

impl History {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(plot) = &self.plot {
            files::keep(&self.file, plot)?;
        }
        let settings = Settings { threshold: self.threshold, confidence: self.confidence };
        let history = Past::open(&self.file, &self.kernel, settings, self.salvage)?;
        self.print(&history);
        if let Some(path) = &self.plot {
            Target::new(path).write_together(present::history_figures(&history))?;
        }
        let slower = history.latest().any(|(_, change)| change.verdict == Verdict::Slower);
        Ok(if slower && self.fail_on_slower { ExitCode::from(CHANGED) } else { ExitCode::SUCCESS })
    }

    fn print(&self, history: &Past) {
        match self.format {
            Format::Json => return out::line(present::history_json(history)),
            Format::Csv => return out::text(present::history_csv(history)),
            Format::Table => {}
        }
        let most = if self.all { history.series.len() } else { MOST_POINTS };
        out::line(present::history_table(history, most));
        for note in &history.notes {
            out::line(format_args!("note: {note}"));
        }
        for line in present::history_in_words(history) {
            out::line(line);
        }
    }
}
