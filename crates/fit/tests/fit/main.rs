//! A machine is measured and fitted, and the fitted machine must behave as it does.

mod builtins;
mod cables;
mod errors;
mod launches;
mod noise;
mod overlap;
mod random;
mod rules;
mod scenario;
mod sources;
mod support;
