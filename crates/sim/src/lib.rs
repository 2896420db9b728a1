//! Ranks that pass messages on a modelled machine, in virtual time.
//!
//! [`Engine`] knows ranks, messages and time; [`network`] knows what carries messages. Neither knows what ranks compute, or
//! the bytes that they send: whoever drives the engine does. Time is in whole picoseconds, and every run gives the same.
#![forbid(unsafe_code)]

pub mod costs;
mod engine;
mod expand;
pub mod network;

pub use engine::{
    Delivery, Engine, Envelope, Label, Manner, MessageId, Model, Outcome, RequestId, Selector, Stuck, Waiting,
};
pub use expand::{Expansion, Jam};
