//! What is measured, and in which order.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use panto_bench::results::{Manifest, Record, Writer};
use panto_bench::{Effort, Kernel, Settings, decide, runnable};
use panto_fit::{Curve, Fitted, Request, fit};
use panto_transport::World;

use super::collectives;
use crate::failure::Failure;
use crate::out;
use crate::session::Session;
use crate::show::Format;

/// A calibration on its way.
pub struct Course {
    session: Session,
    request: Request,
    /// Is the clock exact, so that a break can be found to the byte?
    exact: bool,
    /// Are collectives measured, too?
    with_collectives: bool,
    started: Instant,
}

/// Between two sizes that differ by less than this share, a break is not looked for any more: it would be
/// looked for in the noise.
const NARROW: f64 = 0.05;
/// Halvings of the largest distance between two sizes.
const MOST_ROUNDS: usize = 24;
/// What one more look at the breaks may take, as a part of the time for everything,
const SHARE: u32 = 20;
/// and what all of them may take.
const ALL_SHARE: u32 = 4;

impl Course {
    pub fn new(manifest: Manifest, writer: Option<Writer>, request: Request, exact: bool) -> Self {
        // The tables of all kernels would bury what was found; they are there by `panto info`.
        let session = Session::new(Format::Json, writer, manifest);
        Self { session, request, exact, with_collectives: false, started: Instant::now() }
    }

    /// The same with collectives, or without.
    pub fn with_collectives(self, with_collectives: bool) -> Self {
        Self { with_collectives, ..self }
    }

    /// Measures everything, then more sizes where the curves break, and then collectives if somebody wants them.
    pub fn measure<W: World>(&mut self, world: &W, settings: &Settings) -> Result<(), Failure> {
        let apart = collectives::settings(settings);
        let kernels = decide(world, || {
            // What cannot run is said before anything is measured.
            let checked = if self.with_collectives { runnable(Kernel::ScenarioOnly, &apart) } else { Ok(()) };
            checked.and_then(|()| self.kernels(settings))
        })?;
        self.session.measure(world, &kernels, settings)?;
        self.look_closer(world, settings)?;
        if decide(world, || Ok(self.with_collectives && !self.session.is_interrupted()))? {
            self.session.measure(world, &[Kernel::ScenarioOnly], &apart)?;
        }
        Ok(())
    }

    /// Measures between the sizes around each break of a curve, until it is known where that is.
    fn look_closer<W: World>(&mut self, world: &W, settings: &Settings) -> Result<(), Failure> {
        let (all, each) = (settings.effort.budget / ALL_SHARE, settings.effort.budget / SHARE);
        let deadline = Instant::now() + all;
        for _ in 0..MOST_ROUNDS {
            let over = Instant::now() >= deadline;
            let sizes = decide(world, || Ok(if over { vec![] } else { self.sizes_at_breaks() }))?;
            if sizes.is_empty() {
                break;
            }
            let effort = Effort { budget: each, ..settings.effort.clone() };
            let closer = Settings { sizes: Some(sizes), effort, ..settings.clone() };
            self.session.measure(world, &[Kernel::Echo, Kernel::Overhead], &closer)?;
        }
        Ok(())
    }

    /// All that can run here. Where ranks share cores, pairs that talk at once would share those too, and not only the network.
    fn kernels(&self, settings: &Settings) -> panto_bench::Result<Vec<Kernel>> {
        let manifest = self.session.manifest();
        let crowded = manifest.machine.is_none() && on_first_host(settings) > manifest.cores.max(1);
        if crowded {
            out::note(
                "panto: left out: calibrate/pairs, because ranks share cores; start as many as there are cores",
            );
        }
        let mut kernels = vec![Kernel::Echo];
        kernels.extend(
            Kernel::named("calibrate")?.into_iter().filter(|&kernel| !crowded || kernel != Kernel::Pairs),
        );
        kernels.into_iter().map(|kernel| runnable(kernel, settings).map(|()| kernel)).collect()
    }

    /// Sizes in the middle of where a curve breaks: only the first process has measured.
    fn sizes_at_breaks(&self) -> Vec<u64> {
        if self.session.is_interrupted() {
            return Vec::new();
        }
        let Ok(fitted) = self.fit() else { return Vec::new() };
        let middles = fitted.curves.iter().flat_map(|curve| middles(curve, self.exact));
        middles.collect::<BTreeSet<u64>>().into_iter().collect()
    }

    /// The machine that what was measured so far speaks of.
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

/// Ranks that share the cores of the manifest.
fn on_first_host(settings: &Settings) -> usize {
    let Some(first) = settings.places.first() else { return settings.world() };
    settings.places_of(settings.world()).iter().filter(|place| place.node == first.node).count()
}

/// For each break of a curve the size in the middle between the measured ones around it, if they are still far apart.
fn middles(curve: &Curve, exact: bool) -> Vec<u64> {
    let sizes: Vec<u64> = curve.points.iter().map(|point| point.bytes).collect();
    let middle = |&at: &u64| {
        let next = sizes.partition_point(|&bytes| bytes <= at);
        let (last, first) = (*sizes.get(next.checked_sub(1)?)?, *sizes.get(next)?);
        let apart = first - last;
        let close = if exact { 1 } else { ((first as f64 * NARROW) as u64).max(8) };
        (apart > close).then_some(last + apart / 2)
    };
    curve.breaks.iter().filter_map(middle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_fit::Observed;

    fn curve(sizes: &[u64], breaks: &[u64]) -> Curve {
        let point = |&bytes: &u64| Observed { bytes, measured: 1.0, fitted: 1.0 };
        Curve { label: "a".into(), points: sizes.iter().map(point).collect(), breaks: breaks.to_vec() }
    }

    #[test]
    fn breaks_are_looked_for_between_their_neighbours() {
        let sizes = [0, 64, 128, 1024];
        assert_eq!(middles(&curve(&sizes, &[64]), true), [96]);
        assert_eq!(middles(&curve(&sizes, &[100]), true), [96]);
        assert_eq!(middles(&curve(&sizes, &[200]), false), [576]);
        assert_eq!(middles(&curve(&[0, 100, 101], &[100]), true), [0; 0]);
        assert_eq!(middles(&curve(&[0, 1000, 1040], &[1000]), true), [1020]);
        assert_eq!(middles(&curve(&[0, 1000, 1040], &[1000]), false), [0; 0]);
        assert_eq!(middles(&curve(&sizes, &[2000]), true), [0; 0], "nothing was measured behind it");
    }
}
