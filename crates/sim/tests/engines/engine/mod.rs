//! The event engine against the reference simulator, and properties that hold for every program.

mod against_reference;
mod buffers;
mod causes;
mod driver;
mod properties;
