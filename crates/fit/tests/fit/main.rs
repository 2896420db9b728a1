//! A machine is measured and fitted, and the fitted machine must behave as it does.

mod builtins;
mod cables;
mod errors;
mod noise;
mod random;
mod rules;
mod sources;
mod support;
