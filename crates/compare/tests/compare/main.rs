//! Tests of comparisons of runs.

mod different;
mod foreign;
mod history;
mod hostile;
mod launches;
mod laws;
mod support;
