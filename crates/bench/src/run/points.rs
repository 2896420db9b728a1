//! Measuring points that the caller chose.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use panto_results::{Point, Record, RunEnd};
use panto_transport::World;

use super::plan::{is_schedule, needs_stacks};
use super::{Observer, Run};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::settings::Settings;

/// Measures one kernel at the given points instead of its own sweep. For worlds whose ranks are in
/// this process.
pub(crate) fn run_points<W: World>(
    world: &W,
    kernel: Kernel,
    points: Vec<Point>,
    settings: &Settings,
    interrupt: &AtomicBool,
) -> Result<Vec<Record>> {
    let deadline = Instant::now() + settings.effort.budget;
    let mut silent = Silent;
    let mut run = Run {
        world,
        settings,
        interrupt,
        observer: Mutex::new(&mut silent),
        records: Vec::new(),
        deadline,
        kernels_left: 1,
        end: RunEnd { complete: true, planned: points.len(), measured: 0, quality: None },
    };
    if is_schedule(kernel, &points, settings) {
        run.schedules(kernel, points, deadline)?;
    } else {
        needs_stacks(kernel, &points, settings)?;
        run.measure(kernel, settings, points, deadline)?;
    }
    Ok(run.records)
}

/// Ignores progress: the records are returned together.
struct Silent;

impl Observer for Silent {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> Result<()> {
        Ok(())
    }

    fn record(&mut self, _record: &Record) -> Result<()> {
        Ok(())
    }
}
