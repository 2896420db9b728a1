//! `panto quickstart`

mod check;
mod heat;
mod launch;
mod page;
mod place;
mod predict;
mod tour;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use self::tour::{STEPS, Tour};
use crate::failure::{Failure, INTERRUPTED};
use crate::{files, mpi, out};

/// Measure this machine, model it, predict a program on others, and write a report, in about a minute
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Quickstart {
    /// The report
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,

    /// Time for the measurements
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Duration,

    /// Keep all that is made on the way in this directory: results, model, traces, timelines
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
It measures how threads of this machine pass messages, makes a model of the machine from that, takes the trace of a small program (heat on
a plate), predicts it for more processors of this machine and of two others, and passes the program's messages for real to see how
far the prediction is off. Where an `mpirun` is found, a real MPI program is traced and predicted as well.

Examples:
  panto quickstart
  panto quickstart --output mine.html --time-budget 20s
  panto quickstart --keep quickstart       then: panto simulate quickstart/program-16.panto -m cm5";

impl Quickstart {
    pub fn run(self) -> Result<ExitCode, Failure> {
        files::check_output(&self.output)?;
        if mpi::launched().is_some() {
            out::note(
                "panto: a launcher started this, but quickstart measures threads; for its MPI: `mpirun ... panto bench comet`",
            );
        }
        let start = Instant::now();
        let mut tour = Tour::new(self.time_budget, self.keep.as_deref())?;
        tour.all()?;
        tour::say(STEPS, "Writing the report, with the timelines inside");
        let page = page::page(&tour.found)?.to_html();
        std::fs::write(&self.output, &page).map_err(|error| Failure::write(&self.output, &error))?;
        self.close(&tour, start.elapsed());
        Ok(if tour.is_over() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
    }

    fn close(&self, tour: &Tour, time: Duration) {
        if tour.is_over() {
            out::line("Stopped before everything was done; what was measured is in the report.");
        }
        let time = panto_units::time(time.as_secs_f64());
        out::text(format_args!(
            "\nThe whole story is in {} ({time}): open it in a browser.\n",
            self.output.display()
        ));
        if let Some(directory) = &self.keep {
            out::line(format_args!("Results, model, traces and timelines are in {}.", directory.display()));
        }
        out::text(format_args!("\n{NEXT}"));
    }
}

const NEXT: &str = "Next:
  panto bench comet -o run.jsonl                 measure longer and keep all samples
  panto report run.jsonl                         a page about them; with two results, what changed
  panto trace -- mpirun -n 16 ./app              record a program of your own
  panto simulate app.panto -m infiniband         predict it on another machine
  panto view app.ptl                             look at a timeline (panto simulate --timeline app.ptl)
  panto bench --list                             what else can be measured
";
