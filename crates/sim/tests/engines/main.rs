//! The run-ahead and the time-ordered engine, against a slow reference simulator of the same model,
//! against each other, and against closed forms.

mod ahead;
mod builtins;
mod engine;
mod interrupts;
mod log;
mod machines;
mod ordered;
mod program;
mod programs;
mod random;
mod reference;
