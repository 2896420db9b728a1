//! Synchronisation of clocks with known offset and drift: the true error of the global clocks is
//! computed, not measured.

mod laws;
mod simulated;
mod skew;
mod threads;
