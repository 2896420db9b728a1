//! Kernels, the measuring loop, result files and findings.

mod against;
mod basic;
mod calibrate;
mod classic;
mod cm5;
mod collective;
mod findings;
mod flawed;
mod foreign;
mod matrix;
mod measuring;
mod operations;
mod placed;
mod processes;
mod reproduce;
mod results;
mod scenario;
mod simulated;
mod split;
mod support;
mod swap;

#[path = "../../../cli/tests/support/compiled.rs"]
mod compiled;
