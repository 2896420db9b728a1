//! Timelines as they are written and read, sound and damaged.

mod damage;
mod golden;
mod halo;
mod long;
mod misuse;
mod round_trip;
mod size;
mod support;
mod window;
