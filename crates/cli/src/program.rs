//! The program that a command simulates: a trace, or a file of another simulator.

use std::path::Path;

use panto_convert::program::{self, ProgramFormat};
use panto_convert::ti;
use panto_trace::Trace;

use crate::failure::Failure;
use crate::print;

/// Opens a trace, a GOAL schedule, a time-independent trace or an OTF2 archive, whichever the file
/// is. Prints what an import changed.
pub fn open(path: &Path) -> Result<Trace, Failure> {
    let program = program::open(path, ti::FLOPS)?;
    if let Some((format, imported)) = program.imported {
        if format == ProgramFormat::Ti {
            print::note(format_args!(
                "panto: {}: 1e9 operations take one second; `panto convert --flops` sets another rate",
                path.display()
            ));
        }
        for note in imported.notes {
            print::note(format_args!("panto: {}: {note}", path.display()));
        }
    }
    Ok(program.trace)
}

/// Returns whether a file is a program that another simulator's tools wrote.
pub fn is_foreign(path: &Path) -> bool {
    path.exists() && ProgramFormat::detect(path).is_ok_and(|format| format.is_some())
}
