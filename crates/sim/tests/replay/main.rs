//! Tests of replay: every call is translated, and what cannot be simulated is reported.
#![allow(missing_docs, reason = "a test")]

mod collectives;
mod compact;
mod errors;
mod hostile;
mod killed;
mod lists;
mod online;
mod points;
mod remote;
mod repetitions;
mod requests;
mod sides;
mod support;
