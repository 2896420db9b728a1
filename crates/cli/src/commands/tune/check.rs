//! Checks a tuning: jobs with and without its files alternate, and their times are compared.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use panto_compare::{Comparison, Pair, Run, Settings, Verdict, compare};
use panto_report::table::{Column, Table};
use panto_results::{Value, param};
use panto_tune::{SizeChoice, Summary};
use panto_units::{bytes, percent, time};

use super::directory::Directory;
use super::{DEFAULT, LIBRARY_PREFIX, Tune};
use crate::commands::compare::CHANGED;
use crate::failure::Failure;
use crate::format::Format;
use crate::print;

/// Jobs of each kind. The order alternates, so that a machine that slows down hits both. By a rank
/// test, 7 launches with 7 can prove a difference among 80 points.
const LAUNCHES: u32 = 7;

/// Least and most time of one job.
const JOB_TIME: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(20));

impl Tune {
    /// Measures in a job of the launcher, and checks the result.
    pub(super) fn launch(&self) -> Result<ExitCode, Failure> {
        let own = std::env::args_os().skip(1).take_while(|word| word != "--");
        let status = self.job(own).status().map_err(|error| self.cannot_start(&error))?;
        if !status.success() {
            return Ok(passed_on(status));
        }
        let directory = Directory::open(&self.output)?;
        if directory.summary()?.environment.is_empty() || self.format == Format::Json {
            return Ok(ExitCode::SUCCESS);
        }
        self.check(&directory)
    }

    /// Compares times with the files of a directory and without.
    pub(super) fn check(&self, directory: &Directory) -> Result<ExitCode, Failure> {
        let summary = directory.summary()?;
        if summary.is_simulated {
            let text = "was tuned by simulation, which cannot be checked without the machine";
            return Err(Failure::Usage(format!("{} {text}", directory.path().display())));
        }
        if summary.environment.is_empty() {
            print::line(
                "Nothing was chosen instead of the library's own algorithms, so there is nothing to check.",
            );
            return Ok(ExitCode::SUCCESS);
        }
        let files = directory.checks();
        for file in files.iter().filter(|file| file.exists()) {
            std::fs::remove_file(file).map_err(|error| Failure::write(file, &error))?;
        }
        for launch in 0..LAUNCHES {
            print::note(format_args!(
                "panto: check, launch {} of {LAUNCHES} without and with the files",
                launch + 1
            ));
            let mut kinds = [(&files[0], false), (&files[1], true)];
            if launch % 2 == 1 {
                kinds.reverse();
            }
            for (file, is_tuned) in kinds {
                let mut job = self.bench(&summary, file);
                // They may be set in this shell already.
                for name in summary.environment.keys() {
                    job.env_remove(name);
                }
                if is_tuned {
                    job.envs(&summary.environment);
                }
                let status = job.status().map_err(|error| self.cannot_start(&error))?;
                if !status.success() {
                    return Ok(passed_on(status));
                }
            }
        }
        let (old, new) = Run::open_both(&files[0], &files[1], false)?;
        let comparison = compare(old, new, Settings { threshold: 0.0, ..Settings::default() })?;
        Ok(report(&summary, &comparison))
    }

    /// Returns the job that measures the tuned sizes by the library's own choice, which the
    /// environment may change.
    fn bench(&self, summary: &Summary, file: &Path) -> Command {
        let tuned = || summary.tuning.collectives.iter().filter(|tuned| tuned.is_changed());
        let calls: Vec<&str> = tuned().map(|tuned| tuned.name.as_str()).collect();
        let sizes = tuned().flat_map(|tuned| &tuned.sizes).filter(|size| size.chosen.is_some());
        let sizes: BTreeSet<u64> = sizes.map(|size| size.bytes).collect();
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        let budget = (self.effort.effort().budget / (2 * LAUNCHES)).clamp(JOB_TIME.0, JOB_TIME.1);
        let words = format!(
            "bench scenario/only --collective {} --sizes {} --impl {LIBRARY_PREFIX}{DEFAULT} --from {} -t {}ms --append --format \
             json -o",
            calls.join(","),
            sizes.join(","),
            summary.tuning.ranks,
            budget.as_millis(),
        );
        let words = words.split_whitespace().map(OsString::from).chain([file.into()]);
        let mut job = self.job(words);
        job.stdout(Stdio::null());
        job
    }

    /// Returns a job of the launcher that runs this program.
    fn job(&self, arguments: impl Iterator<Item = OsString>) -> Command {
        let mut job = Command::new(&self.words[0]);
        job.args(&self.words[1..]);
        job.arg(std::env::current_exe().unwrap_or_else(|_| "panto".into()));
        job.args(arguments);
        job
    }

    fn cannot_start(&self, error: &std::io::Error) -> Failure {
        Failure::Usage(format!("cannot start {}: {error}", self.words[0].display()))
    }
}

/// Returns the exit code of a job that failed; it has printed why.
fn passed_on(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Prints the comparison of the tuned sizes.
fn report(summary: &Summary, comparison: &Comparison) -> ExitCode {
    let columns = ["collective", "size", "default", "tuned", "time", "95% interval", "verdict"];
    let columns = columns.map(|name| match name {
        "collective" | "verdict" => Column::text(name),
        _ => Column::right(name),
    });
    let caption =
        format!("check: {LAUNCHES} launches without the files and {LAUNCHES} with them, alternating");
    let mut table = Table::new(columns).caption(caption);
    let (mut all, mut faster, mut slower) = (0, 0, 0);
    for pair in tuned_pairs(summary, comparison) {
        all += 1;
        faster += usize::from(pair.verdict == Verdict::Faster);
        slower += usize::from(pair.verdict == Verdict::Slower);
        table.row(row(pair));
    }
    print::text(format_args!("\n{table}"));
    print::line(format_args!(
        "{faster} of {all} tuned sizes are faster with the files, {slower} slower, {} inconclusive.",
        all - faster - slower
    ));
    if slower == 0 {
        return ExitCode::SUCCESS;
    }
    print::line(
        "Sizes that are slower were chosen in a disturbed moment: tune again on a quiet machine with -t 5min --force.",
    );
    ExitCode::from(CHANGED)
}

/// Returns the points of sizes at which another algorithm was chosen, by collective and size.
fn tuned_pairs<'a>(summary: &Summary, comparison: &'a Comparison) -> Vec<&'a Pair> {
    let is_tuned = |pair: &&Pair| {
        let (name, size) = of_pair(pair);
        let is_changed = |other: &SizeChoice| other.chosen.is_some() && other.bytes == size;
        let mut all = summary.tuning.collectives.iter();
        all.any(|tuned| tuned.name == name && tuned.sizes.iter().any(is_changed))
    };
    let mut pairs: Vec<&Pair> = comparison.points.iter().filter(is_tuned).collect();
    pairs.sort_by_key(|pair| of_pair(pair));
    pairs
}

/// Returns the collective and the size of a point.
fn of_pair(pair: &Pair) -> (String, u64) {
    let value = |name: &str| pair.key.params.get(name);
    let size = match value(param::BYTES) {
        Some(Value::Number(size)) => *size,
        _ => 0,
    };
    (value(param::COLLECTIVE).map_or_else(String::new, ToString::to_string), size)
}

fn row(pair: &Pair) -> [String; 7] {
    let (name, size) = of_pair(pair);
    let change = |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| percent(100.0 * (ratio - 1.0)));
    let nanos = |nanos: f64| time(nanos * 1e-9);
    [
        name,
        bytes(size),
        nanos(pair.old.median_ns),
        nanos(pair.new.median_ns),
        change(pair.ratio),
        format!("{} to {}", change(pair.low), change(pair.high)),
        pair.verdict.to_string(),
    ]
}
