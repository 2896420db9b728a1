//! The matrix of the matrix kernels (C11-C14, C16).
//!
//! A global matrix of doubles is cut into blocks over the process mesh ([`layout`]). A rank keeps
//! its block in a local array with a guard wrapper, one element thick, around it ([`block`]). A
//! [`MatrixKernel`] works on that array, Panto's own or one of the user's ([`user`]); [`verified`]
//! owns the array, initialises it before each run and checks it after each.

mod block;
mod layout;
mod rect;
mod trade;
mod user;
mod verified;

pub(super) use block::{Block, Double};
pub(super) use layout::{Layout, mesh_of, points};
pub(super) use rect::Rect;
pub(super) use trade::{Trade, buffers_for, trade};
pub(super) use user::Task;
pub(super) use verified::{MatrixKernel, measure};
