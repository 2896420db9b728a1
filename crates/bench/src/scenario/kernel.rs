//! The kernels: CRESTA's three scenarios (S5), and user-supplied ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use panto_results::scenario::figure;
use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::Transport;

use super::Options;
use super::language::Scenario;
use super::operation::{Implementation, Progress};
use super::points::{ALL_SIZES, DefaultSweep, SweepPoints, TIMES, TWO_SIZES, points, values_of};
use super::report::{self, Report};
use super::runner::Runner;
use super::script::Script;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Pattern};
use crate::measure::{Lab, Timing};
use crate::settings::Settings;

/// Scenario 1: a collective alone.
#[derive(Debug, Clone, Copy)]
pub struct Only;

/// Scenario 2: one participant is late.
#[derive(Debug, Clone, Copy)]
pub struct Delay;

/// Scenario 3: all participants compute meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Overlap;

/// Any other scenario, by `--scenario`.
#[derive(Debug, Clone, Copy)]
pub struct Own;

/// Defines a built-in scenario, parsed once.
macro_rules! built_in {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<Scenario> =
            LazyLock::new(|| Scenario::load($file, None).expect("built-in scenarios are right"));
    };
}

built_in!(ONLY, "only");
built_in!(DELAY, "delay");
built_in!(OVERLAP, "overlap");

impl Pattern for Only {
    fn name(&self) -> &'static str {
        kernel::scenario::ONLY
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        all_points(Kernel::ScenarioOnly, settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), &ONLY, point)
    }
}

impl Pattern for Delay {
    fn name(&self) -> &'static str {
        kernel::scenario::DELAY
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        all_points(Kernel::ScenarioDelay, settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), &DELAY, point)
    }
}

impl Pattern for Overlap {
    fn name(&self) -> &'static str {
        kernel::scenario::OVERLAP
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        all_points(Kernel::ScenarioOverlap, settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.info(), &OVERLAP, point)
    }
}

impl Pattern for Own {
    fn name(&self) -> &'static str {
        kernel::scenario::OWN
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        if settings.options.get::<Options>().own.is_empty() {
            return Err(Error::usage(
                "scenario/own needs a scenario; use --scenario my.toml, or a built-in such as --scenario staggered",
            ));
        }
        Ok(())
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        all_points(Kernel::ScenarioOwn, settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let name = point.text(param::SCENARIO);
        let options = lab.settings.options.get::<Options>();
        let scenario = options.own.iter().find(|scenario| scenario.name == name);
        let scenario = scenario.ok_or_else(|| unknown_scenario(name, &options))?;
        measure(lab, self.info(), scenario, point)
    }
}

fn unknown_scenario(name: &str, options: &Options) -> Error {
    let known: Vec<&str> = options.own.iter().map(|scenario| scenario.name.as_str()).collect();
    Error::usage(format!("unknown scenario `{name}`; --scenario names {}", known.join(", ")))
}

/// Defaults of a sweep over sizes and participants.
const SIZES: DefaultSweep = DefaultSweep { sizes: ALL_SIZES, times: TIMES, ranks: true };
/// Defaults of a sweep over times.
const SPANS: DefaultSweep = DefaultSweep { sizes: TWO_SIZES, times: TIMES, ranks: false };

/// Returns the sweeps of a kernel of the suite; empty for other suites.
fn sweeps(kernel: Kernel, settings: &Settings) -> Result<Vec<SweepPoints>> {
    let one = |scenario, usual| points(settings, scenario, usual, false).map(|found| vec![found]);
    match kernel {
        Kernel::ScenarioOnly => one(&ONLY, SIZES),
        Kernel::ScenarioDelay => one(&DELAY, SPANS),
        Kernel::ScenarioOverlap => one(&OVERLAP, SPANS),
        Kernel::ScenarioOwn => {
            let options = settings.options.get::<Options>();
            options.own.iter().map(|scenario| points(settings, scenario, SPANS, true)).collect()
        }
        _ => Ok(Vec::new()),
    }
}

fn all_points(kernel: Kernel, settings: &Settings) -> Result<Vec<Point>> {
    Ok(sweeps(kernel, settings)?.into_iter().flat_map(|found| found.points).collect())
}

/// Returns why a kernel of the suite measures less than was requested: an algorithm that does not
/// support a collective, a participant that does not exist with fewer ranks. Each reason once.
pub fn left_out(kernel: Kernel, settings: &Settings) -> Vec<String> {
    let settings = settings.with_least_ranks(kernel.info().min_ranks);
    let sweeps = sweeps(kernel, &settings).unwrap_or_default();
    let reasons = sweeps.iter().flat_map(|found| &found.left_out).map(ToString::to_string);
    reasons.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Measures one point: the time to completion of one run of the scenario (S7), repeatedly.
/// Back-to-back runs would be another scenario.
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    scenario: &Scenario,
    point: &Point,
) -> Result<Option<Record>> {
    let settings = lab.settings;
    let script = Script::new(scenario, values_of(point, settings.seed)?)?;
    let who: Implementation = point.text(param::IMPLEMENTATION).parse()?;
    let progress = Some(point.text(param::PROGRESS)).filter(|text| !text.is_empty());
    let progress: Progress = progress.map_or(Ok(Progress::None), str::parse)?;
    let options = settings.options.get::<Options>();
    let mut runner = Runner::new(lab.transport, &script, &who, progress, &options)?;
    if matches!(who, Implementation::LibraryAlgorithm(_))
        && let Err(why) = runner.trial()
    {
        let algorithm = Some(who.to_string());
        let absent = || Record { algorithm, ..Record::absent(info.name, point, why.to_string()) };
        return Ok(lab.is_root().then(absent));
    }
    let samples = lab.measure(Timing::single(Metric::first_to_last()), &mut runner)?;
    let reports = report::gather(lab.transport, runner.report())?;
    Ok(samples.map(|samples| {
        let wrong = report::wrong(&reports);
        let data = script.operations.iter().any(|operation| operation.call.has_data());
        Record {
            moved: point.number(param::BYTES).filter(|_| script.operations.len() == 1),
            algorithm: Some(who.to_string()),
            verified: data && wrong.is_none(),
            figures: figures(scenario, &reports),
            ranks_ns: reports.iter().map(|report| (report.nanos * 1e3).round() / 1e3).collect(),
            wrong,
            ..Record::new(info.name, point, samples)
        }
    }))
}

/// Returns the figures beside the times.
fn figures(scenario: &Scenario, reports: &[Report]) -> BTreeMap<String, f64> {
    let operations = Some(scenario.issues() as f64).filter(|issues| *issues > 1.0);
    let named = [
        (figure::OPERATIONS, operations),
        (figure::COMP_ERROR, report::worst(reports, |report| report.comp_error)),
        (figure::COMP_CPU_ERROR, report::worst(reports, |report| report.comp_cpu_error)),
    ];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
