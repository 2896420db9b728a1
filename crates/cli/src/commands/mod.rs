//! One module per command.

pub mod balance;
pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod completions;
pub mod convert;
mod effort;
pub mod export;
pub mod extrapolate;
pub mod fit;
pub mod history;
pub mod info;
pub mod machines;
pub mod man;
pub mod mbs;
pub mod perform;
pub mod quickstart;
mod redirect;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod scale;
pub mod simulate;
pub mod sweep;
pub mod trace;
pub mod tune;
pub mod view;
