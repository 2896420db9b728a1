//! Tests of imports and exports with realistic files, and of timelines in other viewers' formats.

mod csv;
mod goal_binary;
mod goal_in;
mod goal_out;
mod golden;
mod hostile;
mod loggops;
mod loggopsim;
mod otf2;
mod paje;
mod paraver;
mod patterns;
mod perfetto;
mod picl;
mod programs;
mod simgrid;
mod support;
mod ti_in;
mod ti_out;
mod timelines;
mod wire;

use panto_testkit::{halo, smpirun};
