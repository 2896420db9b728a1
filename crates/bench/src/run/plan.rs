//! The plan of a run: which kernels can run, and how many points they have.

use panto_results::{KernelInfo, Point};
use panto_transport::World;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::memory::fits_memory;
use crate::settings::Settings;

/// The plan of a run, made by the first process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The kernels, each after those that it needs.
    pub(super) kernels: Vec<Kernel>,
    /// Number of points of the kernels that need no others.
    pub(super) points: usize,
}

impl Plan {
    /// Returns the plan, or an error if a kernel cannot run.
    pub(super) fn new<W: World>(world: &W, kernels: &[Kernel], settings: &Settings) -> Result<Self> {
        settings.check()?;
        fits(world, settings)?;
        let kernels = with_needs(kernels)?;
        kernels.iter().try_for_each(|&kernel| runnable(kernel, settings))?;
        let points = points(&kernels, settings)?;
        Ok(Self { kernels, points })
    }
}

fn points(kernels: &[Kernel], settings: &Settings) -> Result<usize> {
    let independent = kernels.iter().filter(|kernel| kernel.info().needs.is_none());
    let points = |kernel: &Kernel| {
        kernel.points(&settings.with_least_ranks(kernel.info().min_ranks), &[]).map(|points| points.len())
    };
    independent.map(points).sum()
}

/// Inserts the kernel that another needs before it.
fn with_needs(kernels: &[Kernel]) -> Result<Vec<Kernel>> {
    let mut all: Vec<Kernel> = Vec::new();
    for &kernel in kernels {
        if let Some(needed) = kernel.info().needs {
            let needed: Kernel = needed.parse()?;
            if !all.contains(&needed) {
                all.push(needed);
            }
        }
        if !all.contains(&kernel) {
            all.push(kernel);
        }
    }
    Ok(all)
}

/// Returns an error if the world cannot run the number of ranks in the settings.
pub fn fits<W: World>(world: &W, settings: &Settings) -> Result<()> {
    let (ranks, most) = (settings.world(), world.max_ranks());
    // Without stacks, `runnable` checks each kernel.
    if ranks <= most || settings.is_stackless() {
        return Ok(());
    }
    Err(Error::usage(format!("{ranks} ranks are too many here; use --ranks {most} or fewer")))
}

/// Returns an error if this kernel cannot run with these settings. Measures nothing. The result
/// depends on the memory and files of this host, so where ranks are processes only the first may
/// call it (see [`decide`](crate::decide)).
pub fn runnable(kernel: Kernel, settings: &Settings) -> Result<()> {
    let &KernelInfo { min_ranks: least, needs, .. } = kernel.info();
    enough_ranks(kernel, least, settings)?;
    kernel.available(settings)?;
    if let Some(needed) = needs {
        return runnable(needed.parse()?, settings);
    }
    let points = kernel.points(&settings.with_least_ranks(least), &[])?;
    if is_schedule(kernel, &points, settings) { Ok(()) } else { needs_stacks(kernel, &points, settings) }
}

fn enough_ranks(kernel: Kernel, least: usize, settings: &Settings) -> Result<()> {
    if settings.with_least_ranks(least).world() >= least {
        return Ok(());
    }
    Err(Error::usage(match settings.most_ranks {
        Some(most) if most < least => format!(
            "{kernel} needs at least {least} ranks, and this job has {most}; start it with more, such as `mpirun -n \
             {least} panto ...`"
        ),
        _ => format!("{kernel} needs at least {least} ranks; use --ranks {least}"),
    }))
}

/// Returns whether all points are collectives that run as schedules because of the number of ranks.
pub(super) fn is_schedule(kernel: Kernel, points: &[Point], settings: &Settings) -> bool {
    settings.is_stackless() && points.iter().all(|point| kernel.collective(point).is_some())
}

/// Returns an error if the points do not fit ranks with stacks, which hold real bytes.
pub(super) fn needs_stacks(kernel: Kernel, points: &[Point], settings: &Settings) -> Result<()> {
    if settings.world() > settings.most_programs {
        return Err(Error::usage(format!(
            "{kernel} is more than a schedule, and on a simulated machine such a kernel runs on at most {} ranks; \
             use fewer, or take broadcast, reduction and barrier",
            settings.most_programs
        )));
    }
    fits_memory(points, settings)
}
