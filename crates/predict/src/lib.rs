//! How a traced program would run on a modelled machine.
//!
//! A [`Case`] is a machine made ready for a program: where ranks run ([`Mapping`]), how fast they
//! compute ([`Speeds`]), and whether messages share links. A [`Prediction`] runs the program on it
//! and tells when each rank ends and where the time went (P14); [`explain`] puts that into
//! sentences. [`sweep`] predicts many settings from one trace (P19), [`balance`] searches for a
//! better mapping (P18), [`CoupledRun`] simulates a job while its processes run (P24), and
//! [`sample`] propagates the uncertainty of the model's parameters.
//!
//! The engines are in `panto_sim`; tables and charts of predictions are in `panto_report`.
//!
//! Codes such as P14 in comments are requirements: rows of `docs/conformance.md`.
#![forbid(unsafe_code)]

mod assumed;
pub mod balance;
mod buffering;
mod case;
mod coupled;
mod error;
pub mod example;
mod explanation;
mod mapping;
mod noise;
mod prediction;
pub mod sample;
pub mod scaling;
mod speeds;
pub mod sweep;
mod timeline;

pub use assumed::AssumedFigures;
pub use buffering::UnlimitedBuffering;
pub use case::{Case, CaseOptions, TRACED_COMPUTER, Traced};
pub use coupled::{CoupledFailure, CoupledRun};
pub use error::{Error, MappingError, NoiseError, ReplayError, SpeedError, SweepError};
pub use explanation::explain;
pub use mapping::{Mapping, map_file};
pub use noise::Disturbance;
pub use prediction::{Prediction, Processor};
pub use speeds::{SpeedOrigin, Speeds};
pub use timeline::TimelineRecorder;
