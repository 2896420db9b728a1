//! Predictions of one trace on many machines and with many settings (P19).
//!
//! An [`Axis`] is a parameter with its values, and [`product`] returns all combinations of several
//! axes. A [`Sweep`] checks each setting, replays the trace once for all settings that expand
//! collectives alike, and simulates all settings on all cores. A [`SweepFile`] keeps the results;
//! an interrupted sweep continues from it.

mod assess;
mod distributed;
mod file;
mod fingerprint;
mod grid;
mod outcome;
mod parameter;
mod run;
pub(crate) mod runner;

pub use assess::{Assessment, BESIDE, Limit};
pub use distributed::{Announcement, share};
pub use file::SweepFile;
pub use grid::{Axis, cross, product};
pub use outcome::{Figures, Outcome, Row};
pub use parameter::{NO_NOISE, Parameter, Variant};
pub use run::{Programs, Sweep};
