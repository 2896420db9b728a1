//! Points that run user-supplied code, each in a process of its own: a crash or a hang is a record,
//! and the run continues (S2).

use std::time::Duration;

use panto_results::{Point, Record, param};
use panto_transport::World;
use panto_transport::isolation::{ChildFailure, in_child_process};
use serde::{Deserialize, Serialize};

use super::Run;
use crate::error::{Error, Kind, Result};
use crate::host::HostMeter;
use crate::kernel::Kernel;
use crate::measure::Lab;
use crate::scenario::operation::Implementation;
use crate::settings::Settings;

/// The report of the child process.
#[derive(Serialize, Deserialize)]
enum ChildReport {
    Measured(Option<Box<Record>>),
    Failed { kind: Kind, text: String },
}

/// Splits points into those that may crash and the others. Ranks that are processes already cannot
/// be forked again.
pub(super) fn split<W: World>(world: &W, points: Vec<Point>) -> (Vec<Point>, Vec<Point>) {
    points.into_iter().partition(|point| world.is_one_process() && runs_user_code(point))
}

/// Returns whether the point runs user-supplied code.
fn runs_user_code(point: &Point) -> bool {
    point.text(param::IMPLEMENTATION).parse().is_ok_and(|who: Implementation| who.is_user_supplied())
}

impl<W: World> Run<'_, W> {
    /// Measures one point in a process of its own.
    pub(super) fn measure_isolated_point(
        &self,
        kernel: Kernel,
        settings: &Settings,
        point: &Point,
        budget: Duration,
    ) -> Result<Option<Record>> {
        let mut load = HostMeter::start(None);
        let sent = in_child_process(|| {
            let report = self.measure_in_child(kernel, settings, point, budget).map_or_else(
                |error| ChildReport::Failed { kind: error.kind(), text: error.to_string() },
                |record| ChildReport::Measured(record.map(Box::new)),
            );
            serde_json::to_vec(&report).unwrap_or_default()
        })?;
        let (name, machine) = (kernel.name(), settings.machine.clone());
        let absent = |why: String| {
            let algorithm = Some(point.text(param::IMPLEMENTATION).to_owned());
            Record { algorithm, machine: machine.clone(), ..Record::absent(name, point, why) }
        };
        let report = match sent {
            Ok(report) => report,
            Err(death) => return Ok(Some(absent(words(&death, point)))),
        };
        match serde_json::from_slice(&report) {
            Ok(ChildReport::Measured(record)) => {
                let steal = load.lap().map(|load| load.steal).filter(|_| machine.is_none());
                Ok(record.map(|record| Record { steal, machine, ..*record }))
            }
            Ok(ChildReport::Failed { kind: Kind::Transport, text }) => {
                Ok(Some(absent(format!("failed: {text}"))))
            }
            Ok(ChildReport::Failed { kind, text }) => Err(Error::Remote { kind, text }),
            Err(error) => Err(Error::usage(format!("cannot parse the report of a forked process: {error}"))),
        }
    }

    fn measure_in_child(
        &self,
        kernel: Kernel,
        settings: &Settings,
        point: &Point,
        budget: Duration,
    ) -> Result<Option<Record>> {
        let records = self.world.run(point.ranks, |transport| {
            let mut lab = Lab::new(transport, settings, self.interrupt)?;
            lab.set_budget(budget);
            kernel.run(&mut lab, point)
        })?;
        Ok(records.into_iter().flatten().next())
    }
}

/// Returns why there are no samples, with the implementation at fault.
fn words(death: &ChildFailure, point: &Point) -> String {
    match death {
        ChildFailure::Message(words) => words.clone(),
        ChildFailure::Signal(_) | ChildFailure::ExitCode(_) => {
            format!("{death} in {}", point.text(param::IMPLEMENTATION))
        }
    }
}
