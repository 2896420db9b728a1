//! Programs of any format, opened as traces: one entry for all commands that simulate.
//!
//! A program that another tool wrote is converted into a temporary trace, which is removed from its
//! folder as soon as it is open, so that nothing is left behind.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use panto_container::TemporaryFolder;
use panto_trace::Trace;

use crate::ImportSummary;
use crate::error::{Error, Result};
use crate::{goal, otf2, ti};

/// Bytes of a file that are searched for signs of its format: comments may come first.
const START_BYTES: u64 = 1 << 16;

/// Format of a program that another tool wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramFormat {
    /// A GOAL schedule of `LogGOPSim`, as text or binary.
    Goal,
    /// A time-independent trace of `SimGrid`.
    Ti,
    /// An OTF2 archive, by its anchor file or its folder.
    Otf2,
}

impl ProgramFormat {
    /// Returns the format of a file by its content, otherwise by its extension; `None` if neither
    /// tells.
    pub fn detect(path: &Path) -> Result<Option<Self>> {
        if path.is_dir() {
            return Ok(path.join(otf2::ANCHOR).is_file().then_some(Self::Otf2));
        }
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(START_BYTES).read_to_end(&mut start));
        read.map_err(|error| Error::file(path, error))?;
        let by_content = if otf2::recognises(&start) {
            Some(Self::Otf2)
        } else if goal::recognises(&start) {
            Some(Self::Goal)
        } else if ti::recognises(&start) {
            Some(Self::Ti)
        } else {
            None
        };
        Ok(by_content.or_else(|| Self::by_name(path)))
    }

    /// Returns the format that an extension stands for: `.goal` and `.bin`, or `.ti`.
    pub fn by_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "goal" | "bin" => Some(Self::Goal),
            "ti" => Some(Self::Ti),
            _ => None,
        }
    }

    /// Reads a program of this format and writes it as a trace; `flops` is the rate of
    /// [`ti::read`].
    pub fn read(self, path: &Path, flops: f64, target: &Path) -> Result<ImportSummary> {
        match self {
            Self::Goal => goal::read_file(path, target),
            Self::Ti => ti::read(path, flops, target),
            Self::Otf2 => otf2::read(path, target),
        }
    }
}

/// A program that is ready to be simulated.
#[derive(Debug)]
pub struct Program {
    /// The program. Its path is that of the file it was read from.
    pub trace: Trace,
    /// Format and summary of the import, if the file was not a trace.
    pub imported: Option<(ProgramFormat, ImportSummary)>,
}

/// Opens a trace, or a program that [`ProgramFormat::detect`] knows; `flops` is the rate of
/// [`ti::read`].
pub fn open(path: &Path, flops: f64) -> Result<Program> {
    let is_foreign = path.exists() && !Trace::recognises(path);
    match if is_foreign { ProgramFormat::detect(path)? } else { None } {
        None => Ok(Program { trace: Trace::open(path)?, imported: None }),
        Some(format) => {
            let folder =
                TemporaryFolder::create().map_err(|error| Error::file(&std::env::temp_dir(), error))?;
            let target = folder.path().join("program.panto");
            let imported = format.read(path, flops, &target)?;
            let trace = Trace::open(&target)?.with_path(path);
            Ok(Program { trace, imported: Some((format, imported)) })
        }
    }
}
