//! Foreign traces in and out, with files as people have them, and timelines for other viewers.

mod csv;
mod goal_in;
mod goal_out;
mod golden;
mod hostile;
mod loggops;
mod paje;
mod paraver;
mod perfetto;
mod picl;
mod simgrid;
mod smpirun;
mod support;
mod ti_in;
mod ti_out;
mod timelines;
mod wire;

#[path = "../../../timeline/tests/timeline/halo.rs"]
mod halo;
