//! One file a command.

pub mod balance;
pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod completions;
pub mod convert;
mod effort;
pub mod fit;
pub mod info;
pub mod machines;
pub mod perform;
pub mod quickstart;
pub mod reproduce;
pub mod simulate;
pub mod sweep;
pub mod trace;
