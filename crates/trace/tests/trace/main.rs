//! The trace format through its public interface: events are read back as written, and damage is
//! detected.

mod call_sites;
mod combine;
mod damage;
mod fuzz;
mod golden;
mod merge;
mod round_trip;
mod size;
mod summary;
mod support;
mod world;
