//! Ranks that pass messages on a modelled machine, in virtual time.
//!
//! [`Engine`] knows ranks, messages and time; [`network`] knows what carries messages. Neither knows what ranks compute, or
//! the bytes that they send: whoever drives the engine does. Time is in whole picoseconds, and every run gives the same.
#![deny(unsafe_code)]

pub mod ahead;
pub mod costs;
mod engine;
mod expand;
mod halt;
mod large;
mod memo;
pub mod network;
pub mod observe;
pub mod ordered;
mod piles;
mod prefetch;
pub mod program;
pub mod replay;
pub mod results;
mod run;
mod setting;
mod slots;
pub mod tape;

pub use engine::{
    ChannelId, Delivery, Engine, Envelope, Held, Homes, Journey, Label, Manner, MessageId, Model, Outcome,
    RequestId, Selector, Stuck, Waiting, Within, share_processors,
};
pub use expand::{Expansion, Jam};
pub use halt::{Halt, Halted, MOST_HALTS, Want};
pub use run::{Means, Why, chooses, run, run_on};
pub use setting::{Noise, Pace, Setting};
