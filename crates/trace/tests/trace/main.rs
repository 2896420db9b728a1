//! The trace format from outside: what is written is read back, and what is damaged is never
//! believed.

mod combine;
mod damage;
mod golden;
mod merge;
mod round_trip;
mod size;
mod summary;
mod support;
mod world;
