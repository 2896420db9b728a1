//! Many machines and settings from one trace (P19).
//!
//! [`Axis`] is what is varied, [`product`] all combinations. A [`Sweep`] looks at each, makes the program once for all that expand collectives
//! alike, and runs it under each on all cores; [`Kept`] is its file, by which it goes on after a stop.

mod grid;
mod kept;
mod key;
mod knob;
mod outcome;
pub(crate) mod quick;
mod run;
pub(crate) mod spread;

pub use grid::{Axis, cross, product};
pub use kept::Kept;
pub use knob::{Knob, QUIET, Variant};
pub use outcome::{Figures, Outcome, Row};
pub use run::{Programs, Sweep};
