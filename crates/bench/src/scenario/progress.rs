//! Names of the means of progress.

use std::fmt;
use std::str::FromStr;

use super::operation::Progress;
use crate::error::{Error, Result};

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Poll => "poll",
            Self::Helper => "helper",
        })
    }
}

impl FromStr for Progress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::None, Self::Poll, Self::Helper];
        let unknown = || Error::usage(format!("unknown progress `{text}`; use none, poll or helper"));
        all.into_iter().find(|progress| progress.to_string() == text).ok_or_else(unknown)
    }
}
