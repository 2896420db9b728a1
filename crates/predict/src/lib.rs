//! How a traced program would run on a modelled machine.
//!
//! A [`Case`] is a program on a machine: where ranks run ([`Mapping`]), how fast they compute ([`Speeds`]), how messages meet. Its
//! [`Prediction`] says when each rank ends and where the time went (P14).
#![forbid(unsafe_code)]

pub mod balance;
mod case;
mod drawing;
mod error;
mod mapping;
mod noise;
mod prediction;
pub mod puppet;
pub mod sample;
mod speeds;
pub mod sweep;
mod words;

pub use case::{Case, Wish};
pub use drawing::Drawing;
pub use error::Error;
pub use mapping::Mapping;
pub use noise::Disturbance;
pub use prediction::{CriticalPath, Prediction, Processor};
pub use speeds::Speeds;
pub use words::in_words;
