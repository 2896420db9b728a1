//! Time-ordered runs against the run-ahead engine, schedules, the reference simulator and closed
//! forms.

pub mod against_ahead;
mod against_reference;
mod buffers;
mod choice;
mod deadlocks;
mod ports;
mod schedules;
mod sharing;
mod traffic;
pub mod wildcards;
