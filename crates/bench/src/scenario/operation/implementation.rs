//! Implementations of a collective (S2).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use panto_results::scenario::{CollectiveCall, LIBRARY};
use panto_schedule::{Algorithm, Problem, UnevenProblem, schedule};
use panto_transport::user_implementation::UserImplementation;

use crate::error::{Error, Result};

/// An implementation of a collective.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Implementation {
    /// The message layer's own collective; where it has none, the choice of Panto's or the
    /// machine's rules.
    Library,
    /// One of Panto's schedules.
    Algorithm(Algorithm),
    /// A user-supplied one, from a shared library (see `docs/implementations.md`).
    UserSupplied {
        /// The library.
        path: PathBuf,
        /// Name of the implementation in it.
        name: String,
    },
}

impl Implementation {
    /// Checks that it exists. Loads the library.
    pub fn check(&self) -> Result<()> {
        self.load().map(drop)
    }

    /// Checks that it supports this collective on `ranks` ranks; the error lists what does. Loads
    /// the library.
    pub fn for_call(&self, call: CollectiveCall, ranks: usize) -> Result<()> {
        match self {
            Self::Library => Ok(()),
            Self::Algorithm(algorithm) => Ok(match (call.plain(), call.uneven()) {
                (Some(collective), _) => {
                    schedule(&Problem { collective, ranks, root: 0, count: 1 }, *algorithm).map(drop)
                }
                (_, Some(uneven)) => {
                    UnevenProblem::around(uneven, ranks, 0, 1)?.schedule(*algorithm).map(drop)
                }
                (None, None) => Ok(()),
            }?),
            Self::UserSupplied { .. } => self.load()?.map_or(Ok(()), |foreign| {
                let served = foreign.collectives();
                if served.contains(&call.name()) {
                    return Ok(());
                }
                Err(Error::usage(format!(
                    "{self} does not support {call}; it supports {}",
                    served.join(", ")
                )))
            }),
        }
    }

    /// Checks that it can progress beside other work.
    pub fn check_non_blocking(&self) -> Result<()> {
        match self.load()? {
            Some(foreign) if !foreign.is_non_blocking() => Err(Error::usage(format!(
                "{self} has no functions `start` and `test`, so it cannot progress beside other work; call it blocking, or add \
                 them (docs/implementations.md)"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns whether it runs code that is neither Panto's nor the message layer's, and may crash.
    pub const fn is_user_supplied(&self) -> bool {
        matches!(self, Self::UserSupplied { .. })
    }

    /// Loads the user-supplied code, if it is that.
    pub(super) fn load(&self) -> Result<Option<UserImplementation>> {
        match self {
            Self::UserSupplied { path, name } => UserImplementation::load(path, name)
                .map(Some)
                .map_err(|error| Error::usage(error.to_string())),
            _ => Ok(None),
        }
    }
}

/// Formats it as on the command line.
impl fmt::Display for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library => f.pad(LIBRARY),
            Self::Algorithm(algorithm) => algorithm.fmt(f),
            Self::UserSupplied { path, name } => f.pad(&format!("{}:{name}", path.display())),
        }
    }
}

/// Parses `library`, an algorithm such as `ring` or `chain:8`, and `path/to/libx.so:name`.
impl FromStr for Implementation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == LIBRARY {
            return Ok(Self::Library);
        }
        let is_path = text.contains('/') || text.contains(".so");
        if !is_path {
            let unknown = |error| {
                Error::usage(format!(
                    "{error}; besides these, `{LIBRARY}` and an implementation of your own, such as ./libmine.so:name"
                ))
            };
            return text.parse().map(Self::Algorithm).map_err(unknown);
        }
        match text.rsplit_once(':') {
            Some((path, name)) if !path.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self::UserSupplied { path: path.into(), name: name.into() })
            }
            _ => Err(Error::usage(format!(
                "`{text}` has no implementation name; write it behind the library, such as {}:name",
                text.trim_end_matches(':')
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use panto_schedule::Collective;

    use super::*;

    #[test]
    fn names_are_read_back() {
        for text in ["library", "ring", "chain:8", "./libmine.so:tree", "/a/b.so.1:x"] {
            assert_eq!(text.parse::<Implementation>().unwrap().to_string(), text);
        }
        for (text, hint) in [
            ("./libmine.so", "./libmine.so:name"),
            ("libmine.so:", "libmine.so:name"),
            ("nonsense", "linear, binomial"),
        ] {
            let error = text.parse::<Implementation>().unwrap_err().to_string();
            assert!(error.contains(hint), "{error}");
        }
    }

    #[test]
    fn the_error_lists_supported_collectives() {
        let ring: Implementation = "ring".parse().unwrap();
        ring.for_call(CollectiveCall::Plain(Collective::Allreduce), 5).unwrap();
        ring.for_call(CollectiveCall::Allgatherv, 5).unwrap();
        let error = ring.for_call(CollectiveCall::Gatherv, 5).unwrap_err().to_string();
        assert!(error.contains("use linear"), "{error}");
        let missing: Implementation = "./no-such.so:tree".parse().unwrap();
        let error = missing.for_call(CollectiveCall::Alltoallv, 2).unwrap_err().to_string();
        assert!(error.contains("./no-such.so: no such file"), "{error}");
    }
}
