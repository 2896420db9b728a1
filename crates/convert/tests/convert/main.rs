//! Foreign traces in and out, with files as people have them.

mod goal_in;
mod goal_out;
mod hostile;
mod loggops;
mod simgrid;
mod support;
mod ti_in;
mod ti_out;
