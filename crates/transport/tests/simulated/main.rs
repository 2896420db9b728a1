//! Simulated machines: they conform like any message layer, and their times are those of the model.

mod buffers;
mod conformance;
mod executed;
mod expanded;
mod machines;
mod order;
mod overlap;
mod sharing;
mod times;

use panto_testkit::patterns;
