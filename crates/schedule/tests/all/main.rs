//! Tests of the crate's public interface, in one binary.

mod barriers;
mod blocks;
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
