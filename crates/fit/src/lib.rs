//! From measurements to a machine model: what `panto fit` and `panto calibrate` write is what `panto simulate` reads.

#![forbid(unsafe_code)]
