//! Axes of figures.

use panto_results::param;

use super::super::param::{RANKS, header, is_size, is_time};
use crate::chart::{Axis, Scale, Unit};

/// Returns the axis of a parameter.
pub(in crate::present) fn of_parameter(name: &str) -> Axis {
    let unit = match name {
        param::LOAD => Unit::Percent,
        _ if is_size(name) => Unit::Bytes,
        _ if is_time(name) => Unit::Seconds,
        _ => Unit::Count,
    };
    // The work of the matrix kernels is a polynomial of the dimension, which shows best on linear
    // axes.
    let scale = match name {
        param::DIM | param::LOAD | param::LEVEL => Scale::Linear,
        _ if is_time(name) => Scale::Log10,
        _ => Scale::Log2,
    };
    let doubles = if name == param::LENGTH { " in doubles" } else { "" };
    Axis::new(format!("{}{doubles}", label(name)), scale, unit)
}

/// Returns the position of a parameter's value on its axis: times are stored in nanoseconds and
/// drawn in seconds.
pub(super) fn place(name: &str, value: u64) -> f64 {
    if is_time(name) { value as f64 * 1e-9 } else { value as f64 }
}

/// Returns the time axis against a parameter. Times grow with sizes over many powers of ten, with
/// ranks over few.
pub(super) fn time_against(name: &str, one_way: bool) -> Axis {
    let linear = matches!(name, param::DIM | param::LOAD | RANKS);
    let scale = if linear { Scale::Linear } else { Scale::Log10 };
    let time = if one_way { "one-way time" } else { "time" };
    Axis::new(format!("{time} (median, 95% confidence interval)"), scale, Unit::Seconds)
}

pub(super) fn bandwidth() -> Axis {
    Axis::new("bandwidth at the median time", Scale::Linear, Unit::BytesPerSecond)
}

/// Returns the label of a parameter's axis.
pub(super) fn label(name: &str) -> String {
    match name {
        param::BYTES => "message size".into(),
        param::LENGTH => "vector length".into(),
        param::DIM => "matrix dimension".into(),
        param::BLOCK => "block size".into(),
        param::LEVEL => "path length".into(),
        RANKS => "number of ranks".into(),
        _ => header(name),
    }
}
