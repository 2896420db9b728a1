//! Tests of networks against closed forms and naive references.

mod cases;
mod closed;
mod drive;
mod naive;
mod packets;
mod random;
