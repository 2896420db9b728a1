//! Kernels, the measuring loop, result files and findings.

mod basic;
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
