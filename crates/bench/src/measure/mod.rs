//! The measuring loop.
//!
//! One rank, the *root*, broadcasts commands; all ranks execute them together and report by a
//! reduction (`coordinator`). A sample is a batch of repetitions between two readings of the clock,
//! minus the same batch of an empty loop (C2, `empty`). Ranks start a batch together: at a time
//! that the root announces in advance where every rank has a core and the clocks agree (the
//! round-time scheme), else after a barrier. A sample for which a rank was late is discarded and
//! counted; one during which a rank lost its core (`run_queue`) is kept apart. Sampling ends when
//! the confidence interval of the median is narrow enough or the time limit is reached.

mod coordinator;
mod empty;
mod lab;
mod leader;
mod operation;
mod run_queue;

pub use empty::EmptyLoop;
pub use lab::Lab;
pub use operation::{BatchOutcome, Checked, Operation, Sample, Timing};
