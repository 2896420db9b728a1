//! The engine against a slow simulator of the same model, and against what must hold whatever the program.

mod causes;
mod driver;
mod equal;
mod machines;
mod program;
mod programs;
mod properties;
mod reference;
