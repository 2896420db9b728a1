//! Errors of all estimators: invalid or insufficient data.

use std::fmt;

/// Why a statistic cannot be computed from the data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// There are no values.
    Empty,
    /// A value is NaN or infinite.
    NotFinite {
        /// Index in the input.
        index: usize,
    },
    /// A negative value where only times or sizes make sense.
    Negative {
        /// Index in the input.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A value is zero where it is a divisor.
    Zero {
        /// Index in the input.
        index: usize,
    },
    /// Fewer values than the method needs.
    TooFew {
        /// Least number of values.
        needed: usize,
        /// Number of values given.
        got: usize,
    },
    /// All values of a quantity are equal that must vary.
    NoVariation {
        /// The quantity.
        quantity: &'static str,
    },
    /// A setting is out of range.
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// The rule that it breaks.
        rule: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there are no values"),
            Self::NotFinite { index } => write!(f, "value {index} is not a finite number"),
            Self::Negative { index, value } => write!(f, "value {index} is negative ({value})"),
            Self::Zero { index } => write!(f, "value {index} is zero, but is a divisor"),
            Self::TooFew { needed, got } => write!(f, "{needed} values are needed, {got} given"),
            Self::NoVariation { quantity } => {
                write!(f, "all {quantity} are equal, so their effect cannot be estimated")
            }
            Self::Setting { name, rule } => write!(f, "the setting `{name}` {rule}"),
        }
    }
}

impl std::error::Error for Error {}

/// Checks that there are at least `needed` values, all finite.
pub(crate) fn require_finite(values: &[f64], needed: usize) -> Result<(), Error> {
    match values.len() {
        0 => return Err(Error::Empty),
        got if got < needed => return Err(Error::TooFew { needed, got }),
        _ => {}
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(Error::NotFinite { index }),
        None => Ok(()),
    }
}

/// Checks that there is at least one value, and that all are finite and not negative.
pub(crate) fn require_times(values: &[f64]) -> Result<(), Error> {
    require_finite(values, 1)?;
    match values.iter().position(|v| *v < 0.0) {
        Some(index) => Err(Error::Negative { index, value: values[index] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_named_with_its_place() {
        assert_eq!(require_times(&[]), Err(Error::Empty));
        assert_eq!(require_times(&[1.0, f64::NAN]), Err(Error::NotFinite { index: 1 }));
        assert_eq!(require_times(&[1.0, 2.0, -3.0]), Err(Error::Negative { index: 2, value: -3.0 }));
        assert_eq!(require_finite(&[1.0], 2), Err(Error::TooFew { needed: 2, got: 1 }));
        assert_eq!(require_times(&[0.0, -0.0]), Ok(()));
    }

    #[test]
    fn errors_are_readable() {
        let text = Error::TooFew { needed: 3, got: 1 }.to_string();
        assert_eq!(text, "3 values are needed, 1 given");
    }
}
