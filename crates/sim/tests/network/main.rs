//! What carries messages, against closed forms and against slow references.

mod cases;
mod closed;
mod drive;
mod naive;
mod random;
