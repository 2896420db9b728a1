//! How a case says what is wrong.

use std::fmt;

use crate::error::Error;
use crate::message::Status;
use crate::transport::Transport;

/// What a case found wrong, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw(pub String);

/// How a case ends.
pub type Outcome = Result<(), Flaw>;

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Flaw {}

impl From<Error> for Flaw {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

/// Names the rank that noticed.
pub(super) fn flaw<T: Transport>(t: &T, text: &str) -> Flaw {
    Flaw(format!("rank {} of {}: {text}", t.rank(), t.size()))
}

#[expect(clippy::needless_pass_by_value, reason = "what is compared is mostly made for it")]
pub(super) fn equal<T: Transport, A: PartialEq + fmt::Debug>(t: &T, what: &str, got: A, want: A) -> Outcome {
    if got == want { Ok(()) } else { Err(flaw(t, &format!("{what}: got {got:?}, want {want:?}"))) }
}

/// Compares bytes, and shows the first that differ instead of a million that do not.
pub(super) fn same_bytes<T: Transport>(t: &T, what: &str, got: &[u8], want: &[u8]) -> Outcome {
    equal(t, &format!("{what}: length"), got.len(), want.len())?;
    match got.iter().zip(want).position(|(got, want)| got != want) {
        None => Ok(()),
        Some(place) => {
            let text =
                format!("{what}: byte {place} of {}: got {}, want {}", got.len(), got[place], want[place]);
            Err(flaw(t, &text))
        }
    }
}

/// The operation must fail, and exactly like this.
pub(super) fn fails<T: Transport, R: fmt::Debug>(
    t: &T,
    what: &str,
    got: Result<R, Error>,
    want: Error,
) -> Outcome {
    equal(t, what, got.map_err(Some).map_or_else(|error| error, |_| None), Some(want))
}

/// The receive must fail because the message was longer than its buffer. Not every message layer says how long it was.
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
