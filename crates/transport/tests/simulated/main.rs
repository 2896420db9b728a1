//! Simulated machines: they are message layers like any other, and their times are those of the model.

mod beside;
mod conformance;
mod expanded;
mod machines;
mod order;
#[path = "../../../sim/benches/ahead/patterns.rs"]
#[allow(dead_code, reason = "shared; not all of it is used here")]
mod patterns;
mod performed;
mod sharing;
mod times;
