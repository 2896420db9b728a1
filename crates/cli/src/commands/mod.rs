//! One file a command.

pub mod balance;
pub mod bench;
pub mod completions;
pub mod convert;
mod effort;
pub mod info;
pub mod machines;
pub mod quickstart;
pub mod reproduce;
pub mod simulate;
pub mod sweep;
pub mod trace;
