//! `panto extrapolate --check`: how well the extrapolation agrees with a real run.

use std::path::Path;

use panto_container::TemporaryFolder;
use panto_extrapolate::Program;
use panto_predict::CaseOptions;
use panto_predict::scaling::{Setting, TraceOrigin};
use panto_report::present::ExtrapolationCheck;
use panto_sim::replay;
use panto_trace::{Summary, Trace};
use panto_transport::threads::cores;
use serde_json::Value;

use crate::commands::simulate::load;
use crate::failure::Failure;

/// The comparison with a real run.
pub struct Checked {
    pub text: String,
    pub json: Value,
}

/// Extrapolates to the ranks of a real run and compares.
pub fn check(program: &Program, real: &Path, machine: &str) -> Result<Checked, Failure> {
    let real = Trace::open(real)?;
    let folder = TemporaryFolder::create().map_err(|error| Failure::Run(error.to_string()))?;
    let made = folder.path().join("made.panto");
    program.write(real.size(), &made)?;
    let made = Trace::open(&made)?;
    let setting = Setting {
        model: load(machine, &[])?,
        options: CaseOptions::default(),
        reading: replay::Options::default(),
        threads: cores().len(),
    };
    let times =
        [setting.point(&made, TraceOrigin::Traced)?.time, setting.point(&real, TraceOrigin::Traced)?.time];
    let summaries = [Summary::of(&made)?, Summary::of(&real)?];
    let check = ExtrapolationCheck {
        made: &summaries[0],
        real: &summaries[1],
        programs: [made.program(), real.program()],
        predicted: (machine, times),
    };
    Ok(Checked { text: check.text(), json: check.json() })
}
