//! `panto quickstart`: measures this machine, fits a model, predicts, and writes a report.

mod mpi_job;
mod predict;
mod steps;
mod verify;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use panto_report::present::quickstart_page;

use self::steps::{STEPS, Steps, announce};
use crate::failure::{Failure, INTERRUPTED};
use crate::{files, mpi, print};

/// Measure and model this machine, predict a program on others, and write a report, in about a
/// minute.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Quickstart {
    /// Report file.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,

    /// Time budget of the measurements.
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Duration,

    /// Wait up to this time for a quiet machine before measuring.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = panto_units::parse_time)]
    quiet_wait: Duration,

    /// Predict with the model of this machine even if it is poor.
    #[arg(long)]
    force: bool,

    /// Keep results, model, traces and timelines in this directory.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Measures how threads of this machine pass messages, fits a model, predicts a small program (the heat equation on a plate) on more processors of this machine and of two others, and runs the program's messages to check a prediction. If an `mpirun` is installed, an MPI job is traced and predicted as well.

Examples:
  panto quickstart
  panto quickstart --output mine.html --time-budget 20s
  panto quickstart --keep quickstart
  panto simulate quickstart/program-16.panto -m cm5       one of the files kept";

impl Quickstart {
    pub fn run(self) -> Result<ExitCode, Failure> {
        files::check_output(&self.output)?;
        if mpi::launched().is_some() {
            print::note(
                "panto: quickstart measures threads although an MPI launcher started it; for the MPI use `mpirun ... panto bench comet`",
            );
        }
        let start = Instant::now();
        let mut steps = Steps::new(self.time_budget, self.quiet_wait, self.force, self.keep.as_deref())?;
        steps.run()?;
        announce(STEPS, "Writing the report");
        let page = quickstart_page(&steps.found)?.to_html();
        std::fs::write(&self.output, &page).map_err(|error| Failure::write(&self.output, &error))?;
        self.print_summary(&steps, start.elapsed());
        Ok(if steps.is_interrupted() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
    }

    fn print_summary(&self, steps: &Steps, time: Duration) {
        if steps.is_interrupted() {
            print::line("Stopped early; the report contains what was measured.");
        }
        let time = panto_units::time(time.as_secs_f64());
        print::text(format_args!(
            "\nThe report is in {} (took {time}); open it in a browser.\n",
            self.output.display()
        ));
        if let Some(directory) = &self.keep {
            print::line(format_args!("Results, model, traces and timelines are in {}.", directory.display()));
        }
        print::text(format_args!("\n{NEXT}"));
    }
}

const NEXT: &str = "Next:
  panto bench comet -o run.jsonl            measure longer, keep all samples
  panto report run.jsonl                    write a page about them
  panto trace -- mpirun -n 16 ./app         record a program of your own
  panto simulate app.panto -m infiniband    predict it on another machine
  panto view app.ptl                        view a timeline of the prediction
  panto bench --list                        list the kernels
";
