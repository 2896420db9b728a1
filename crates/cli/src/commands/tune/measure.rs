//! Measures the algorithms of the library of an MPI job.

use std::process::ExitCode;
use std::time::Duration;

use panto_bench::scenario::operation::Implementation;
use panto_bench::{Effort, Kernel, Settings, decide, fits, runnable, scenario};
use panto_mpi::Algorithms;
use panto_results::Record;
use panto_results::quality::run_quality;
use panto_results::scenario::CollectiveCall;
use panto_schedule::Collective;
use panto_transport::World;
use panto_transport::mpi::Mpi;
use panto_tune::{OwnChoice, Summary, Tuning, median_of};

use super::directory::Directory;
use super::library_files::LibraryFiles;
use super::{DEFAULT, LIBRARY_PREFIX, Tune, text};
use crate::failure::Failure;
use crate::format::Format;
use crate::session::Session;
use crate::{mpi, print};

/// Part of the time for the cost of choosing.
const COST_SHARE: u32 = 12;

impl Tune {
    pub(super) fn measure_in_job(&self, world: &Mpi) -> Result<ExitCode, Failure> {
        let ranks = world.max_ranks();
        if ranks < 2 {
            return Err(Failure::Usage("one rank has no collectives to tune; start 2 or more".into()));
        }
        let algorithms = world.algorithms().map_err(|error| Failure::Usage(error.to_string()))?;
        let settings = mpi::settings(world, self.job_settings(ranks, algorithms)?)?;
        settings.check()?;
        fits(world, &settings)?;
        decide(world, || runnable(Kernel::ScenarioOnly, &settings))?;
        let manifest = mpi::manifest(world, &settings)?;
        let mut directory = None;
        decide(world, || {
            directory = Some(Directory::create(&self.output, self.force)?);
            Ok(())
        })?;
        let cost_ns = self.cost_of_choosing(world, algorithms)?;
        let writer = directory.as_ref().map(|directory| directory.samples(&manifest)).transpose()?;
        // Tables of all points would hide the result.
        let mut session = Session::new(Format::Json, writer, manifest);
        let end = session.measure(world, &[Kernel::ScenarioOnly], &settings)?;
        if let Some(directory) = directory {
            let default = OwnChoice { name: &format!("{LIBRARY_PREFIX}{DEFAULT}"), cost_ns };
            self.conclude(world, &directory, session.records(), default)?;
            if !end.complete {
                print::note(format_args!(
                    "panto: {} of {} points were measured; raise the time with -t 5min",
                    end.measured, end.planned
                ));
            }
        }
        Ok(session.code())
    }

    /// Chooses, writes the files and prints the result. For the first process.
    fn conclude(
        &self,
        world: &Mpi,
        directory: &Directory,
        records: &[Record],
        default: OwnChoice<'_>,
    ) -> Result<(), Failure> {
        let mut tuning = Tuning::of(records, world.max_ranks(), default);
        tuning.strip_prefix(LIBRARY_PREFIX);
        let library = world.library()?;
        let nodes = world.placements()?.iter().map(|place| place.node).max().map_or(1, |node| node + 1);
        let files = LibraryFiles::of(&tuning, library, world.algorithms()?, nodes)?;
        let environment = directory.environment(&files);
        let summary = Summary { library: library.name(), is_simulated: false, nodes, environment, tuning };
        directory.write(&summary, &files)?;
        if self.format == Format::Table
            && let Some(quality) = run_quality(records)
        {
            print::toned(quality.grade.into(), format_args!("Quality {}.", quality.verdict()));
        }
        text::print(&summary, directory, self.format);
        Ok(())
    }

    /// Returns what it costs MPICH to search its selection trees, in nanoseconds, on the first
    /// process. A selected algorithm is called without a search, and with a file after one. A
    /// broadcast of 8 B shows the cost: it is binomial in either case.
    fn cost_of_choosing(&self, world: &Mpi, algorithms: &Algorithms) -> Result<f64, Failure> {
        const SAME: &str = "binomial";
        let is_known = algorithms.choices(Collective::Broadcast).iter().any(|choice| choice.name == SAME);
        if algorithms.is_per_communicator() || !is_known {
            return Ok(0.0);
        }
        let named = |name: &str| Implementation::LibraryAlgorithm(name.to_owned());
        let options = scenario::Options {
            calls: Some(vec![CollectiveCall::Plain(Collective::Broadcast)]),
            implementations: Some(vec![named(DEFAULT), named(SAME)]),
            from: Some(world.max_ranks()),
            ..scenario::Options::default()
        };
        let settings = self.settings(world.max_ranks(), named(DEFAULT), |_| Vec::new())?;
        let budget = settings.effort.budget / COST_SHARE;
        let effort = Effort { budget, quiet_wait: Duration::ZERO, ..settings.effort.clone() };
        let settings = Settings { sizes: Some(vec![8]), effort, ..settings }.with_options(options);
        let settings = mpi::settings(world, settings)?;
        let mut session = Session::new(Format::Json, None, mpi::manifest(world, &settings)?);
        session.measure(world, &[Kernel::ScenarioOnly], &settings)?;
        let median = |name: &str| {
            let name = format!("{LIBRARY_PREFIX}{name}");
            session
                .records()
                .iter()
                .find(|record| record.algorithm.as_deref() == Some(&name))
                .and_then(median_of)
        };
        Ok(median(DEFAULT).zip(median(SAME)).map_or(0.0, |(default, same)| (default - same).max(0.0)))
    }

    fn job_settings(&self, ranks: usize, algorithms: &Algorithms) -> Result<Settings, Failure> {
        for collective in self.collectives()? {
            if algorithms.choices(collective).is_empty() {
                print::note(format_args!("panto: this MPI has one algorithm of {collective} only"));
            }
        }
        self.settings(ranks, Implementation::LibraryAlgorithm(DEFAULT.into()), |collective| {
            let named = algorithms.choices(collective).iter().map(|choice| choice.name.clone());
            named.map(Implementation::LibraryAlgorithm).collect()
        })
    }
}
