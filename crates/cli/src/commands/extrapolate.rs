//! `panto extrapolate`: from traces of a few ranks to traces of many.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_extrapolate::Program;
use panto_launch::refuse_to_replace;
use panto_trace::Trace;
use panto_units::grouped;

use crate::failure::Failure;
use crate::{interrupt, print};

/// Extrapolate traces of a few ranks to traces of many.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Extrapolate {
    /// Traces of one program with different numbers of ranks, two or more.
    #[arg(required = true)]
    traces: Vec<PathBuf>,

    /// Numbers of ranks to extrapolate to.
    #[arg(short, long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..))]
    ranks: Vec<u32>,

    /// Output file; % stands for the number of ranks.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where a number follows no rule, take a law that comes near, and say where.
    #[arg(long)]
    lenient: bool,

    /// Replace existing traces.
    #[arg(long)]
    force: bool,
}

const AFTER_HELP: &str = "\
Examples:
  panto extrapolate app.4.panto app.8.panto app.16.panto
  panto extrapolate app.*.panto --ranks 256,1024 -o app.%.panto

docs/scaling.md describes what is recognised.";

impl Extrapolate {
    pub fn run(self) -> Result<ExitCode, Failure> {
        interrupt::end_without_leftovers()?;
        let program = learn(&self.traces, self.lenient)?;
        print::text(show(&program));
        for ranks in &self.ranks {
            let Some(output) = &self.output else { break };
            let target = numbered(output, *ranks);
            refuse_to_replace(&target, self.force)?;
            let written = program.write(*ranks, &target)?;
            print::line(format_args!(
                "wrote {}: {} ranks, {} calls, {} messages",
                target.display(),
                grouped((*ranks).into()),
                grouped(written.calls),
                grouped(written.messages)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Opens traces and recovers the program.
pub fn learn(paths: &[PathBuf], lenient: bool) -> Result<Program, Failure> {
    let traces: Vec<Trace> = paths.iter().map(|path| Trace::open(path)).collect::<Result<_, _>>()?;
    Ok(Program::learn(&traces, lenient)?)
}

/// Returns the name of the file for a number of ranks.
fn numbered(output: &Path, ranks: u32) -> PathBuf {
    output.to_string_lossy().replace('%', &ranks.to_string()).into()
}

fn show(program: &Program) -> String {
    program
        .outline()
        .iter()
        .map(|line| {
            format!(
                "{}{:24} {:18} {:20} {:14} {}\n",
                "  ".repeat(line.depth),
                line.call,
                line.partner,
                line.bytes,
                line.who,
                line.computation
            )
        })
        .collect()
}

impl From<panto_extrapolate::Error> for Failure {
    fn from(error: panto_extrapolate::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
