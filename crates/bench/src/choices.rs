//! Whether a run will yield rules for choosing algorithms.

use panto_findings::contest::choices;
use panto_results::{Point, Record, Samples, kernel};
use panto_schedule::rules::mpich;
use panto_units::Time;

use crate::error::Result;
use crate::kernel::Kernel;
use crate::settings::Settings;

/// Returns the error that [`choices`] would return after these kernels have been measured, so that
/// it is reported before.
pub fn can_choose(kernels: &[Kernel], settings: &Settings) -> Result<()> {
    let mut records = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.info().suite() == kernel::scenario::SUITE) {
        let points = kernel.points(&settings.with_least_ranks(kernel.info().min_ranks), &[])?;
        let name = kernel.to_string();
        let record = |point: &Point| Record::new(&name, point, Samples::exact(Time::from_nanos(1)));
        records.extend(points.iter().map(record));
    }
    choices(&records, mpich())?;
    Ok(())
}
