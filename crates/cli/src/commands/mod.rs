//! One file a command.

pub mod bench;
pub mod completions;
mod effort;
pub mod info;
pub mod machines;
pub mod quickstart;
pub mod reproduce;
pub mod trace;
