//! `panto scale`: how a program scales on a machine, from traces of a few ranks.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_container::TemporaryFolder;
use panto_extrapolate::{MOST_RANKS, Program};
use panto_predict::scaling::{Change, Point, Problem, Setting, TraceOrigin, problem};
use panto_predict::{CaseOptions, Speeds};
use panto_report::present::{ScalingReport, limit};
use panto_trace::Trace;
use panto_transport::threads::cores;
use panto_units::one_line;

use super::extrapolate;
use super::simulate::{ReadingArgs, load};
use crate::failure::Failure;
use crate::format::{Format, TABLE_JSON_OR_CSV};
use crate::progress::Progress;
use crate::{files, interrupt, print};

/// Predict how a program scales, from traces of a few ranks.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Scale {
    /// Traces of one program with different numbers of ranks: two, better three or more.
    #[arg(required = true)]
    traces: Vec<PathBuf>,

    /// Machine: a built-in name or a model file.
    #[arg(short, long, value_name = "MACHINE")]
    machine: String,

    /// Numbers of ranks: a list such as 64,256, or a range such as 16..4096, which is doubled from
    /// one to the next [default: up to 64 times those of the largest trace].
    #[arg(short, long, value_name = "LIST")]
    ranks: Option<Ranks>,

    /// Override a model parameter, such as link.latency=2us. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Speed of processors relative to the traced computer. By default as the machine says: as
    /// fast, or by the times of a DAXPY on both.
    #[arg(long, value_name = "FACTOR")]
    speed: Option<f64>,

    /// Whether all runs solve the same problem (strong scaling), or one that grows with the ranks
    /// (weak scaling) [default: by the computation of the traces].
    #[arg(long, value_enum, value_name = "KIND")]
    scaling: Option<Scaling>,

    #[command(flatten)]
    reading: ReadingArgs,

    /// Plot the speed-up against the number of ranks, as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_JSON_OR_CSV))]
    format: Format,
}

const AFTER_HELP: &str = "\
Traces are extrapolated to each number of ranks (see `panto extrapolate`) and predicted on the machine. With --lenient, calls that are not simulated are skipped, and numbers without a rule are taken from laws that come near.

Examples:
  panto scale app.4.panto app.8.panto app.16.panto -m infiniband
  panto scale app.*.panto -m my.toml --ranks 16..4096 --plot scale.svg
  panto scale app.*.panto -m ethernet10g --ranks 64,256,1024 --format json

docs/scaling.md describes what the figures mean.";

/// The argument of `--scaling`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scaling {
    /// The same problem on more ranks.
    Strong,
    /// A problem that grows with the ranks.
    Weak,
}

/// Numbers of ranks from the command line.
#[derive(Debug, Clone)]
struct Ranks(Vec<u32>);

impl std::str::FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| {
            let number = text.trim().parse().ok().filter(|ranks| (2..=MOST_RANKS).contains(ranks));
            number.ok_or_else(|| format!("`{text}` is not a number of ranks (2 to {MOST_RANKS})"))
        };
        if let Some((first, last)) = text.split_once("..") {
            let (first, last): (u32, u32) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!(
                    "the range `{text}` is empty: write the smaller number first, {last}..{first}"
                ));
            }
            let doubled = std::iter::successors(Some(first), |ranks| ranks.checked_mul(2));
            return Ok(Self(doubled.take_while(|ranks| *ranks <= last).collect()));
        }
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

/// The default range ends at this multiple of the largest trace.
const DEFAULT_REACH: u32 = 64;

impl Scale {
    pub fn run(self) -> Result<ExitCode, Failure> {
        interrupt::end_without_leftovers()?;
        if let Some(plot) = &self.plot {
            for trace in &self.traces {
                files::refuse_overwrite(trace, plot)?;
            }
        }
        let program = extrapolate::learn(&self.traces, self.reading.lenient)?;
        let setting = self.setting()?;
        let folder = TemporaryFolder::create().map_err(|error| Failure::Run(error.to_string()))?;
        let runs = self.runs(&program, &folder)?;
        if let Some(note) = runs.first().map(|(trace, _)| setting.old_speed(trace)).transpose()?.flatten() {
            print::note(format_args!("panto: {note}"));
        }
        let points = points(&program, &setting, &runs)?;
        let problem = match self.scaling {
            Some(Scaling::Strong) => Problem::Same,
            Some(Scaling::Weak) => Problem::Growing,
            None => problem(&points),
        };
        let at_limit = &runs[limit(&points, problem)].0;
        let changes = Change::ALL.map(|change| Ok((change, setting.changed(at_limit, change)?)));
        let changes = changes.into_iter().collect::<Result<Vec<_>, Failure>>()?;
        let name = self.name(&runs);
        let report = ScalingReport {
            program: &name,
            machine: &setting.model.machine().name,
            origin: &program.origin(),
            error: program.computation_error(),
            problem,
            points: &points,
            changes: &changes,
        };
        self.print(&report)?;
        program.approximate.iter().for_each(|place| print::note(format_args!("panto: approximate: {place}")));
        Ok(ExitCode::SUCCESS)
    }

    fn print(&self, report: &ScalingReport<'_>) -> Result<(), Failure> {
        match self.format {
            Format::Json => print::line(report.json()),
            Format::Csv => print::text(report.csv()),
            _ => print::text(report.text()),
        }
        if let Some(path) = &self.plot {
            files::replace(path, report.chart().to_svg())?;
            print::note(format_args!("wrote {}", path.display()));
        }
        Ok(())
    }

    fn speeds(&self) -> Result<Speeds, Failure> {
        let given = self.speed.map(|speed| Speeds::parse(&speed.to_string())).transpose()?;
        Ok(given.unwrap_or_default())
    }

    fn setting(&self) -> Result<Setting, Failure> {
        Ok(Setting {
            model: load(&self.machine, &self.set)?,
            options: CaseOptions { speeds: self.speeds()?, ..CaseOptions::default() },
            reading: self.reading.options(),
            threads: cores().len(),
        })
    }

    /// Returns the name of the program.
    fn name(&self, runs: &[(Trace, bool)]) -> String {
        if let Some(name) = runs.iter().find_map(|(trace, _)| trace.program()) {
            return one_line(name);
        }
        let path = self.traces[0].as_path();
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// Returns the traces by number of ranks, and whether each is of a real run.
    fn runs(&self, program: &Program, folder: &TemporaryFolder) -> Result<Vec<(Trace, bool)>, Failure> {
        let mut runs = Vec::new();
        for path in &self.traces {
            runs.push((Trace::open(path)?, true));
        }
        let largest = program.from().last().copied().unwrap_or(2);
        let reach = largest.saturating_mul(DEFAULT_REACH).min(MOST_RANKS);
        let doubled = || std::iter::successors(Some(2 * largest), |ranks| ranks.checked_mul(2));
        let wanted = match &self.ranks {
            Some(ranks) => ranks.0.clone(),
            None => doubled().take_while(|ranks| *ranks <= reach).collect(),
        };
        let progress = Progress::new();
        progress.begin("traces", wanted.len());
        for ranks in wanted {
            if !runs.iter().any(|(trace, _)| trace.size() == ranks) {
                let target = folder.path().join(format!("{ranks}.panto"));
                program.write(ranks, &target)?;
                runs.push((Trace::open(&target)?, false));
            }
            progress.step(&format!("{ranks} ranks"));
        }
        progress.clear();
        runs.sort_by_key(|(trace, _)| trace.size());
        Ok(runs)
    }
}

/// Predicts all runs.
fn points(program: &Program, setting: &Setting, runs: &[(Trace, bool)]) -> Result<Vec<Point>, Failure> {
    let progress = Progress::new();
    progress.begin("predictions", runs.len());
    let error = program.computation_error();
    let points = runs.iter().map(|(trace, is_traced)| {
        let origin = if *is_traced { TraceOrigin::Traced } else { TraceOrigin::Extrapolated { error } };
        let point = setting.point(trace, origin)?;
        progress.step(&format!("{} ranks", point.ranks));
        Ok(point)
    });
    let points = points.collect::<Result<Vec<Point>, Failure>>();
    progress.clear();
    points
}
