//! Tunes for a simulated machine: Panto's algorithms, and what Open MPI would be told.

use std::process::ExitCode;

use panto_bench::scenario::operation::Implementation;
use panto_bench::{Kernel, fits, runnable};
use panto_findings::contest::choices;
use panto_results::scenario::LIBRARY;
use panto_schedule::algorithms;
use panto_schedule::rules::mpich;
use panto_tune::open_mpi::number_of;
use panto_tune::{OwnChoice, Summary, Tuning};

use super::directory::Directory;
use super::library_files::LibraryFiles;
use super::{Tune, text};
use crate::failure::Failure;
use crate::format::Format;
use crate::session::Session;
use crate::{files, simulated};

/// The rules for models.
const RULES: &str = "panto.rules";

/// Bytes of all blocks of an all-to-all. The data are moved for real, in several buffers.
const MAX_BYTES: u64 = 1 << 29;

/// Returns the default sizes, of which an all-to-all of this many ranks fits into memory.
fn default_sizes(ranks: usize) -> Vec<u64> {
    let largest = (MAX_BYTES / (ranks as u64).pow(2).max(1)).max(8);
    std::iter::successors(Some(8), |size| Some(size * 8))
        .take_while(|size| *size <= largest.min(1 << 20))
        .collect()
}

impl Tune {
    pub(super) fn on_machine(&self, machine: &str) -> Result<ExitCode, Failure> {
        self.mpi.refuse(machine)?;
        let model = self.machine.load(machine)?;
        let ranks = self.ranks.unwrap_or_else(|| simulated::default_ranks(model.machine()));
        let mut settings = self.settings(ranks, Implementation::Library, |collective| {
            algorithms(collective).iter().copied().map(Implementation::Algorithm).collect()
        })?;
        settings.sizes.get_or_insert_with(|| default_sizes(ranks));
        let world = self.machine.world(simulated::machine(model, settings.world())?, settings.seed);
        let settings = simulated::settings(&world, settings, self.effort.on_virtual_clock());
        settings.check()?;
        fits(&world, &settings)?;
        runnable(Kernel::ScenarioOnly, &settings)?;
        let manifest = self.machine.manifest(&world, &settings);
        let directory = Directory::create(&self.output, self.force)?;
        let writer = directory.samples(&manifest)?;
        let mut session = Session::new(Format::Json, Some(writer), manifest);
        session.measure(&world, &[Kernel::ScenarioOnly], &settings)?;
        let records = session.records();
        let default = OwnChoice { name: LIBRARY, cost_ns: 0.0 };
        // A library of that machine has defaults of its own, so its rules name every size.
        let is_known = |collective, name: &str| number_of(collective, name).is_some();
        let library =
            LibraryFiles::open_mpi(&Tuning::fastest(records, ranks, default, &is_known), &number_of);
        let summary = Summary {
            library: format!("{machine}, simulated"),
            is_simulated: true,
            nodes: 1,
            environment: directory.environment(&library),
            tuning: Tuning::of(records, ranks, default),
        };
        directory.write(&summary, &library)?;
        files::replace(&directory.file(RULES), choices(records, mpich())?.table.to_string())?;
        text::print(&summary, &directory, self.format);
        Ok(session.code())
    }
}
