//! How measurements are presented.

mod figures;
mod other_layouts;
pub mod records;
mod trust;
mod written;
