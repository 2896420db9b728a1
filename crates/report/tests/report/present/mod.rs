//! How measurements are presented.

mod against;
mod figures;
mod other_layouts;
mod placed;
pub mod records;
mod trust;
mod written;
