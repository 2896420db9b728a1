//! Simulated machines: they are message layers like any other, and their times are those of the model.

mod beside;
mod conformance;
mod expanded;
mod machines;
mod order;
mod sharing;
mod times;
