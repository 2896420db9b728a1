//! Simulated machines are measured and fitted; the fitted machine must behave as the original.

mod builtins;
mod errors;
mod launches;
mod noise;
mod overlap;
mod random;
mod rules;
mod scenario;
mod shared_links;
mod sources;
mod support;
