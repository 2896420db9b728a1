//! Kernels, the measuring loop, result files and findings.

mod against;
mod basic;
mod calibrate;
mod classic;
mod cm5;
mod collective;
mod findings;
mod flawed;
mod matrix;
mod measuring;
mod placed;
mod processes;
mod reproduce;
mod results;
mod simulated;
mod split;
mod support;
mod swap;
