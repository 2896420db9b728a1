//! From a trace to a program.
