//! A calibration: the measurements that a model needs, in order.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use panto_bench::{Effort, Kernel, Settings, decide, runnable};
use panto_fit::{FitOptions, Fitted, fit};
use panto_results::{Manifest, Record, Writer};
use panto_transport::World;

use super::collectives;
use crate::failure::Failure;
use crate::format::Format;
use crate::print;
use crate::session::Session;

/// A calibration in progress.
pub struct Calibration {
    session: Session,
    request: FitOptions,
    /// Whether times have no noise, so that a break can be located to the byte.
    exact: bool,
    /// Whether collectives are measured as well.
    with_collectives: bool,
    started: Instant,
}

/// Maximum number of rounds of bisection.
const MAX_ROUNDS: usize = 24;
/// One round of bisections gets the time budget divided by this.
const ROUND_SHARE: u32 = 20;
/// All rounds of bisections together get the time budget divided by this.
const ALL_ROUNDS_SHARE: u32 = 4;

impl Calibration {
    pub fn new(manifest: Manifest, writer: Option<Writer>, request: FitOptions, exact: bool) -> Self {
        // The tables of kernels are not printed; `panto info` of the results file prints them.
        let session = Session::new(Format::Json, writer, manifest);
        Self { session, request, exact, with_collectives: false, started: Instant::now() }
    }

    /// Sets whether collectives are measured.
    pub fn with_collectives(self, with_collectives: bool) -> Self {
        Self { with_collectives, ..self }
    }

    /// Measures messages and computation, then more sizes where curves break, then collectives if
    /// requested.
    pub fn measure<W: World>(&mut self, world: &W, settings: &Settings) -> Result<(), Failure> {
        let apart = collectives::settings(settings);
        let kernels = decide(world, || {
            // Fails before anything is measured if collectives cannot run.
            let checked = if self.with_collectives { runnable(Kernel::ScenarioOnly, &apart) } else { Ok(()) };
            checked.and_then(|()| self.kernels(settings))
        })?;
        self.session.measure(world, &kernels, settings)?;
        self.refine(world, settings)?;
        if decide(world, || Ok(self.with_collectives && !self.session.is_interrupted()))? {
            self.session.measure(world, &[Kernel::ScenarioOnly], &apart)?;
        }
        Ok(())
    }

    /// Bisects the intervals in which curves break until the breaks are located.
    fn refine<W: World>(&mut self, world: &W, settings: &Settings) -> Result<(), Failure> {
        let (all, each) = (settings.effort.budget / ALL_ROUNDS_SHARE, settings.effort.budget / ROUND_SHARE);
        let deadline = Instant::now() + all;
        for _ in 0..MAX_ROUNDS {
            let over = Instant::now() >= deadline;
            let sizes = decide(world, || Ok(if over { vec![] } else { self.sizes_to_refine() }))?;
            if sizes.is_empty() {
                break;
            }
            let effort = Effort { budget: each, ..settings.effort.clone() };
            let closer = Settings { sizes: Some(sizes), effort, ..settings.clone() };
            self.session.measure(world, &[Kernel::Echo, Kernel::Overhead], &closer)?;
        }
        Ok(())
    }

    /// Returns the kernels to run. If ranks share cores, simultaneous pairs would measure that and
    /// not the network, so they are skipped.
    fn kernels(&self, settings: &Settings) -> panto_bench::Result<Vec<Kernel>> {
        let manifest = self.session.manifest();
        let share_cores = manifest.machine.is_none() && on_first_host(settings) > manifest.cores.max(1);
        if share_cores {
            print::note(
                "panto: skipped: calibrate/pairs, because ranks share cores; start at most one rank per core",
            );
        }
        let mut kernels = vec![Kernel::Echo];
        kernels.extend(
            Kernel::named("calibrate")?.into_iter().filter(|&kernel| !share_cores || kernel != Kernel::Pairs),
        );
        kernels.into_iter().map(|kernel| runnable(kernel, settings).map(|()| kernel)).collect()
    }

    /// Returns the sizes to measure next; only the first process has records.
    fn sizes_to_refine(&self) -> Vec<u64> {
        if self.session.is_interrupted() {
            return Vec::new();
        }
        self.fit().map_or_else(|_| Vec::new(), |fitted| fitted.sizes_to_refine(self.exact))
    }

    /// Fits a machine to the records so far.
    pub fn fit(&self) -> Result<Fitted, panto_fit::Error> {
        let manifests = [self.session.manifest().clone()];
        fit(self.session.records(), &manifests, &self.request)
    }

    pub fn records(&self) -> &[Record] {
        self.session.records()
    }

    pub fn manifest(&self) -> &Manifest {
        self.session.manifest()
    }

    pub fn is_interrupted(&self) -> bool {
        self.session.is_interrupted()
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn code(&self) -> ExitCode {
        self.session.code()
    }
}

/// Returns the number of ranks on the first host, whose cores the manifest counts.
fn on_first_host(settings: &Settings) -> usize {
    let Some(first) = settings.places.first() else { return settings.world() };
    settings.places_of(settings.world()).iter().filter(|place| place.node == first.node).count()
}
