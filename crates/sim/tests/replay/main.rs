//! Traces become programs: every call has its meaning, and what cannot be simulated is named.
#![allow(missing_docs, reason = "a test")]

mod collectives;
mod compact;
mod errors;
mod hostile;
mod lists;
mod points;
mod remote;
mod requests;
mod sides;
mod support;
