//! Violations that cases find.

use std::fmt;

use crate::error::Error;
use crate::message::Status;
use crate::transport::Transport;

/// What a case found wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(pub String);

/// The outcome of a case.
pub type Outcome = Result<(), Violation>;

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}

impl From<Error> for Violation {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

/// Returns a violation that names the rank that found it.
pub(super) fn violation<T: Transport>(t: &T, text: &str) -> Violation {
    Violation(format!("rank {} of {}: {text}", t.rank(), t.size()))
}

#[expect(clippy::needless_pass_by_value, reason = "what is compared is mostly made for it")]
pub(super) fn equal<T: Transport, A: PartialEq + fmt::Debug>(
    t: &T,
    what: &str,
    got: A,
    expected: A,
) -> Outcome {
    if got == expected {
        Ok(())
    } else {
        Err(violation(t, &format!("{what}: got {got:?}, expected {expected:?}")))
    }
}

/// Compares bytes, and reports the first difference.
pub(super) fn same_bytes<T: Transport>(t: &T, what: &str, got: &[u8], expected: &[u8]) -> Outcome {
    equal(t, &format!("{what}: length"), got.len(), expected.len())?;
    match got.iter().zip(expected).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(place) => {
            let text = format!(
                "{what}: byte {place} of {}: got {}, expected {}",
                got.len(),
                got[place],
                expected[place]
            );
            Err(violation(t, &text))
        }
    }
}

/// The operation must fail with exactly this error.
pub(super) fn fails<T: Transport, R: fmt::Debug>(
    t: &T,
    what: &str,
    got: Result<R, Error>,
    expected: Error,
) -> Outcome {
    equal(t, what, got.map_err(Some).map_or_else(|error| error, |_| None), Some(expected))
}

/// The receive must fail because the message was longer than its buffer. Not every message layer
/// reports the message's length.
pub(super) fn too_long<T: Transport, R: fmt::Debug>(
    t: &T,
    what: &str,
    got: Result<R, Error>,
    (message, capacity): (Status, usize),
) -> Outcome {
    let rank = t.rank();
    let vague = matches!(got, Err(Error::TooLong { .. }));
    let exact = Error::Truncated { rank, message, capacity };
    fails(t, what, got, if vague { Error::TooLong { rank, capacity } } else { exact })
}
