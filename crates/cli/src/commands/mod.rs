//! One file a command.

pub mod bench;
pub mod completions;
pub mod info;
pub mod quickstart;
