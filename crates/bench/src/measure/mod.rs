//! The measuring loop.
//!
//! One rank, the *root*, gives orders, all ranks carry them out together and answer with a reduction
//! (`pulse`). A sample is a run of repetitions between two readings of the clock, from which the same run
//! of an empty loop is subtracted (C2, `empty`). Repetitions start together: at a moment that the root
//! names in advance when every rank has its core and the clocks agree (the round-time scheme), else when a
//! barrier lets them go. A sample for which a rank came late is thrown away and counted. Sampling goes on until the
//! interval of the median is narrow enough or the time is over.

mod empty;
mod lab;
mod leader;
mod operation;
mod pulse;
mod samples;
mod steal;

pub use empty::EmptyLoop;
pub use lab::Lab;
pub use operation::{Checked, Operation, Passage, Sample, Timing};
pub use samples::{Clock, Metric, Samples, Start, Stop};
pub use steal::StealMeter;
