//! `panto extrapolate`: from traces of a few ranks to traces of many.

mod check;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_extrapolate::{MOST_RANKS, Program, Written};
use panto_launch::refuse_to_replace;
use panto_report::present::{program_json, program_text};
use panto_trace::Trace;
use panto_units::grouped;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::{files, interrupt, print};

/// Extrapolate traces of a few ranks to traces of many.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Extrapolate {
    /// Traces of one program with different numbers of ranks: two, better three or more.
    #[arg(required = true)]
    traces: Vec<PathBuf>,

    /// Numbers of ranks to extrapolate to.
    #[arg(short, long, value_name = "N,...", value_delimiter = ',', requires = "output", value_parser = clap::value_parser!(u32).range(2..=i64::from(MOST_RANKS)))]
    ranks: Vec<u32>,

    /// Output file; % stands for the number of ranks.
    #[arg(short, long, value_name = "FILE", requires = "ranks")]
    output: Option<PathBuf>,

    /// A trace of a real run, to compare with: extrapolate to its number of ranks.
    #[arg(long, value_name = "TRACE")]
    check: Option<PathBuf>,

    /// Machine on which the two traces of --check are predicted.
    #[arg(short, long, value_name = "MACHINE", default_value = "infiniband")]
    machine: String,

    /// Where bytes, tags or repetitions follow no rule, take a law that comes near, and say where.
    #[arg(long)]
    lenient: bool,

    /// Replace existing traces.
    #[arg(long)]
    force: bool,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,
}

const AFTER_HELP: &str = "\
The program is recovered from the traces: for each call, who makes it, with which partner, how often, with how many bytes, and how the computation before it grows. What follows no rule is an error that names the call. Sends and receives of an extrapolated trace match, always.

Examples:
  panto extrapolate app.4.panto app.8.panto app.16.panto
                                              show what is recognised
  panto extrapolate app.*.panto --ranks 256,1024 -o big.%.panto
  panto extrapolate app.4.panto app.8.panto app.16.panto --check app.64.panto
                                              how well it would have done

docs/scaling.md describes what is recognised.";

impl Extrapolate {
    pub fn run(self) -> Result<ExitCode, Failure> {
        interrupt::end_without_leftovers()?;
        let targets = self.targets()?;
        let program = learn(&self.traces, self.lenient)?;
        let checked =
            self.check.as_ref().map(|real| check::check(&program, real, &self.machine)).transpose()?;
        if self.format == Format::Table {
            print::text(program_text(&program));
            if let Some(checked) = &checked {
                print::text(format_args!("\n{}", checked.text));
            }
        }
        let mut written = Vec::new();
        for (ranks, target) in &targets {
            let made = program.write(*ranks, target)?;
            written.push(
                json!({ "file": target, "ranks": ranks, "calls": made.calls, "messages": made.messages }),
            );
            if self.format == Format::Table {
                print_written(&program, target, *ranks, made);
            }
        }
        if self.format == Format::Json {
            let mut json = program_json(&program);
            json["check"] = checked.map_or(Value::Null, |checked| checked.json);
            json["written"] = written.into();
            print::line(json);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the files to write.
    fn targets(&self) -> Result<Vec<(u32, PathBuf)>, Failure> {
        let Some(output) = &self.output else { return Ok(Vec::new()) };
        let has_number = output.to_string_lossy().contains('%');
        if self.ranks.len() > 1 && !has_number {
            return Err(Failure::Usage(format!(
                "-o {}: several numbers of ranks need several files; write % where the number belongs",
                output.display()
            )));
        }
        let targets: Vec<(u32, PathBuf)> =
            self.ranks.iter().map(|ranks| (*ranks, numbered(output, *ranks))).collect();
        for (_, target) in &targets {
            for trace in &self.traces {
                files::refuse_overwrite(trace, target)?;
            }
            refuse_to_replace(target, self.force)?;
        }
        Ok(targets)
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

fn print_written(program: &Program, target: &Path, ranks: u32, written: Written) {
    print::line(format_args!(
        "wrote {}: {} ranks ({}), {} calls, {} messages",
        target.display(),
        grouped(ranks.into()),
        program.arrangement(ranks).unwrap_or_default(),
        grouped(written.calls),
        grouped(written.messages)
    ));
}

impl From<panto_extrapolate::Error> for Failure {
    fn from(error: panto_extrapolate::Error) -> Self {
        Self::Usage(error.to_string())
    }
}
