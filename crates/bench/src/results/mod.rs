//! Result files: JSON Lines, a manifest first, then a record a point, then how the run ended.
//!
//! Each line is written whole and at once, so that a run that is killed loses at most the point it was
//! measuring. `docs/results.md` describes the format.

mod manifest;
mod placement;
mod ranges;
mod read;
mod record;
mod write;

pub use manifest::{Manifest, Mpi, Simulated};
pub use placement::{Host, Placed};
pub use ranges::Ranges;
pub use read::{Results, read, salvage};
pub use record::{End, Expected, Record};
pub use write::{Existing, Writer};

use serde::{Deserialize, Serialize};

/// The version of the format that this program writes, and the newest it reads.
pub const FORMAT: u32 = 1;

/// One line of a result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// How it was measured. Each launch that a file holds begins with one.
    Manifest(Box<Manifest>),
    /// One point.
    Point(Box<Record>),
    /// The run ended by itself.
    End(End),
}
