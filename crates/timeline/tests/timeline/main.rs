//! Timelines are written, read back, and damaged.

mod damage;
mod golden;
mod long;
mod misuse;
mod round_trip;
mod size;
mod support;
mod window;

use panto_testkit::halo;
