//! `panto quickstart`

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use panto_bench::{Effort, Kernel, Settings, findings, runnable};
use panto_report::present;
use panto_transport::threads::Threads;

use crate::failure::Failure;
use crate::session::Session;
use crate::show::Format;
use crate::threads;
use crate::{mpi, out};

/// Measure this machine in about a minute and write a report
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  panto quickstart\n  panto quickstart --output mine.html --time-budget 20s"
)]
pub struct Quickstart {
    /// The report
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,

    /// Time for the measurements
    #[arg(short = 't', long, value_name = "TIME", default_value = "45s", value_parser = panto_units::parse_time, allow_hyphen_values = true)]
    time_budget: Duration,
}

impl Quickstart {
    pub fn run(self) -> Result<ExitCode, Failure> {
        self.check_output()?;
        let settings = settings(self.time_budget);
        let world = Threads::default();
        let mut session = Session::new(Format::Json, None, threads::manifest(&world, &settings));
        if mpi::launched().is_some() {
            out::note(
                "panto: a launcher started this, but quickstart measures threads; for its MPI: `mpirun ... panto bench comet`",
            );
        }
        out::note("Measuring how this machine passes messages; Ctrl-C stops and reports what is there.");
        let kernels: Vec<Kernel> = Kernel::named("comet")?
            .into_iter()
            .filter(|&kernel| runnable(kernel, &settings).is_ok())
            .collect();
        session.measure(&world, &kernels, &settings)?;
        self.report(&session)
    }

    /// Before a minute of measuring: can the report be written at all? An older one stays until the new one is there.
    fn check_output(&self) -> Result<(), Failure> {
        let is_new = !self.output.exists();
        let opened = std::fs::OpenOptions::new().append(true).create(true).open(&self.output);
        opened.map_err(|error| Failure::write(&self.output, &error))?;
        if is_new {
            std::fs::remove_file(&self.output).map_err(|error| Failure::write(&self.output, &error))?;
        }
        Ok(())
    }

    fn report(&self, session: &Session) -> Result<ExitCode, Failure> {
        let (records, manifest) = (session.records(), session.manifest());
        let found = findings(records);
        for line in present::in_words(manifest, records, &found) {
            out::line(line);
        }
        if let Some(crowded) = present::crowding(records, manifest) {
            out::line(format_args!("Note: {crowded}."));
        }
        let page = present::report(manifest, records, &found).to_html();
        std::fs::write(&self.output, page).map_err(|error| Failure::write(&self.output, &error))?;
        if session.is_interrupted() {
            out::line("Stopped before everything was measured.");
        }
        out::text(format_args!("\nThe plots and tables are in {}. {NEXT}", self.output.display()));
        Ok(session.code())
    }
}

const NEXT: &str = "Next:
  panto bench comet -o run.jsonl     measure longer and keep all samples
  panto bench --list                 what else can be measured
";

/// A minute is shared by all kernels, so the intervals may be a little wider.
fn settings(budget: Duration) -> Settings {
    Settings {
        ranks: vec![threads::default_ranks()],
        dims: Some(vec![16, 64, 128, 256, 512, 768]),
        effort: Effort { budget, precision: 0.02, ..Effort::default() },
        ..Settings::default()
    }
}
