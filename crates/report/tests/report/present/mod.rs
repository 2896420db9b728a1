//! Tests of the presentation of measurements.

mod figures;
mod formats;
mod model_residuals;
mod other_formats;
mod placed;
mod reliability;

pub use panto_testkit::records;
