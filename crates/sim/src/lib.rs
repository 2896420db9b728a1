//! Ranks that pass messages on a modelled machine, in virtual time.
#![forbid(unsafe_code)]

pub mod network;
