//! Tests of kernels, the measuring loop, results files and findings.

mod basic;
mod calibrate;
mod classic;
mod cm5;
mod collective;
mod faulty;
mod findings;
mod foreign;
mod matrix;
mod measuring;
mod model_comparison;
mod operations;
mod passes;
mod placed;
mod processes;
mod results;
mod scenario;
mod simulated;
mod split;
mod support;
mod swap;
mod user_matrix;

use panto_testkit::jobs::compiled;
