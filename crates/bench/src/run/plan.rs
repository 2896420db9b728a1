//! Which kernels can run, and what they would measure.

use panto_transport::World;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::kernel::{About, Kernel};
use crate::memory::fits_memory;
use crate::point::Point;
use crate::settings::Settings;

/// What is to be done, as the first process sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The kernels, those that others need before them.
    pub(super) kernels: Vec<Kernel>,
    /// Points of the kernels that need nothing else to be measured first.
    pub(super) points: usize,
}

impl Plan {
    /// An error where a kernel cannot run.
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
    let independent = kernels.iter().filter(|kernel| kernel.about().needs.is_none());
    let points = |kernel: &Kernel| {
        kernel.points(&settings.with_least_ranks(kernel.about().least_ranks), &[]).map(|points| points.len())
    };
    independent.map(points).sum()
}

/// Puts what a kernel needs before it.
fn with_needs(kernels: &[Kernel]) -> Result<Vec<Kernel>> {
    let mut all: Vec<Kernel> = Vec::new();
    for &kernel in kernels {
        if let Some(needed) = kernel.about().needs {
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

/// Can the world run as many ranks as the settings ask for?
pub fn fits<W: World>(world: &W, settings: &Settings) -> Result<()> {
    let (ranks, most) = (settings.world(), world.most_ranks());
    // Where there are no stacks, each kernel is asked whether it needs one.
    if ranks <= most || settings.is_stackless() {
        return Ok(());
    }
    Err(Error::usage(format!("{ranks} ranks are too many here; use --ranks {most} or fewer")))
}

/// Can this kernel run with these settings? The error names what it lacks. Nothing is measured. The answer depends on the
/// memory and the files of this host, so where ranks are processes it is for the first one to ask
/// (see [`decide`](crate::decide)).
pub fn runnable(kernel: Kernel, settings: &Settings) -> Result<()> {
    let About { least_ranks: least, needs, .. } = kernel.about();
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

/// Are all points collectives, which run as schedules because there are so many ranks?
pub(super) fn is_schedule(kernel: Kernel, points: &[Point], settings: &Settings) -> bool {
    settings.is_stackless() && points.iter().all(|point| kernel.collective(point).is_some())
}

/// Ranks with stacks hold real bytes.
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
