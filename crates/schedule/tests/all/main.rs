//! One binary for all tests of the crate's public face.

mod barriers;
mod closed_forms;
mod delivery;
mod harness;
mod hops;
mod laziness;
mod mesh;
mod names;
mod plans;
mod published;
mod rules;
mod uneven;
