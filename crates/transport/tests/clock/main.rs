//! Clocks of known offset and drift, brought together: how far apart the global clocks really are is computed, not measured.

mod laws;
mod simulated;
mod skew;
mod threads;
