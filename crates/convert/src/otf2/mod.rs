//! OTF2, the Open Trace Format 2 of Score-P, Vampir and Scalasca: export of timelines, and import
//! of an archive's MPI events into a trace.
//!
//! An archive is a folder:
//!
//! | file | contents |
//! |---|---|
//! | `traces.otf2` | the *anchor*: version, sizes of chunks, numbers of locations and definitions |
//! | `traces.def` | global definitions: strings, regions (functions), locations, groups, communicators |
//! | `traces/N.evt` | events of location N, in time order |
//! | `traces/N.def` | local definitions of location N: how its numbers map to global ones, its clock |
//!
//! Files other than the anchor consist of *chunks* of a fixed size (`encode`, `decode`). A
//! record is a byte for its kind, its length, and numbers without their leading zero bytes. Records
//! that later versions extend are read up to what is known.
//!
//! Source of the layout: the public headers of OTF2 3.0.2, and archives that Debian's library
//! wrote. Tests hold exports to `otf2-print` and to the Python bindings of that library, and
//! imports to archives that it wrote.

mod decode;
mod encode;
mod kinds;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// The name of an archive's anchor file, beside its definitions and its folder of events.
pub const ANCHOR: &str = "traces.otf2";

/// Returns whether a file that begins like this is an archive's anchor.
pub fn recognises(start: &[u8]) -> bool {
    let is_header = matches!(start.first_chunk(), Some([kinds::CHUNK_HEADER, order]) if kinds::ByteOrder::of(*order).is_some());
    is_header && start[2..].starts_with(kinds::MAGIC)
}
