//! Implementations of a collective (S2).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use panto_results::scenario::{CollectiveCall, LIBRARY};
use panto_schedule::{Algorithm, BlockProblem, Collective, Problem, schedule};
use panto_transport::TUNABLE;
use panto_transport::user_implementation::UserImplementation;

use crate::error::{Error, Result};

/// An implementation of a collective.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Implementation {
    /// The message layer's own collective; where it has none, the choice of Panto's or the
    /// machine's rules.
    Library,
    /// An algorithm of the message layer's own collective, by the name that the layer has for it,
    /// or `default`: `library:ring`. Blocking calls under MPI only.
    LibraryAlgorithm(String),
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
            Self::LibraryAlgorithm(_) if call.plain().is_some_and(|it| TUNABLE.contains(&it)) => Ok(()),
            Self::LibraryAlgorithm(_) => Err(Error::usage(format!(
                "{self}: algorithms of {call} cannot be selected; those of {} can",
                tunable()
            ))),
            Self::Algorithm(algorithm) => Ok(match call {
                CollectiveCall::Plain(collective) => {
                    schedule(&Problem { collective, ranks, root: 0, count: 1 }, *algorithm).map(drop)
                }
                CollectiveCall::Blocks(collective) => {
                    BlockProblem::around(collective, ranks, 0, 1)?.schedule(*algorithm).map(drop)
                }
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

    /// Returns whether it does something else at this size than without segments: a message that is
    /// not longer than a segment is not divided.
    pub fn is_distinct_at(&self, bytes: u64) -> bool {
        let Self::LibraryAlgorithm(name) = self else { return true };
        let segment = name.rsplit_once(':').and_then(|(_, segment)| segment.parse::<u64>().ok());
        segment.is_none_or(|segment| segment < bytes)
    }

    /// Checks that it can progress beside other work.
    pub fn check_non_blocking(&self) -> Result<()> {
        if matches!(self, Self::LibraryAlgorithm(_)) {
            return Err(Error::usage(format!("{self}: only algorithms of blocking calls can be selected")));
        }
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
            Self::LibraryAlgorithm(name) => f.pad(&format!("{LIBRARY}:{name}")),
            Self::Algorithm(algorithm) => algorithm.fmt(f),
            Self::UserSupplied { path, name } => f.pad(&format!("{}:{name}", path.display())),
        }
    }
}

/// Returns the collectives whose algorithm can be selected.
fn tunable() -> String {
    TUNABLE.map(Collective::name).join(", ")
}

/// Parses `library`, `library:ring`, an algorithm such as `ring` or `chain:8`, and
/// `path/to/libx.so:name`.
impl FromStr for Implementation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == LIBRARY {
            return Ok(Self::Library);
        }
        if let Some(name) = text.strip_prefix(LIBRARY).and_then(|rest| rest.strip_prefix(':')) {
            return Ok(Self::LibraryAlgorithm(name.into()));
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
    use panto_schedule::BlockCollective;

    use super::*;

    #[test]
    fn names_are_read_back() {
        for text in [
            "library",
            "library:ring",
            "library:chain:8192",
            "ring",
            "chain:8",
            "./libmine.so:tree",
            "/a/b.so.1:x",
        ] {
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
    fn segments_need_longer_messages() {
        let chain: Implementation = "library:chain:8192".parse().unwrap();
        assert!(!chain.is_distinct_at(8_192) && chain.is_distinct_at(8_193));
        let ring: Implementation = "library:ring".parse().unwrap();
        assert!(ring.is_distinct_at(0));
    }

    #[test]
    fn algorithms_of_some_collectives_can_be_selected() {
        let ring: Implementation = "library:ring".parse().unwrap();
        ring.for_call(CollectiveCall::Plain(Collective::Allreduce), 4).unwrap();
        for call in
            [CollectiveCall::Plain(Collective::Scan), CollectiveCall::Blocks(BlockCollective::Alltoallv)]
        {
            let error = ring.for_call(call, 4).unwrap_err().to_string();
            assert!(error.contains("those of allreduce"), "{error}");
        }
    }

    #[test]
    fn the_error_lists_supported_collectives() {
        let ring: Implementation = "ring".parse().unwrap();
        ring.for_call(CollectiveCall::Plain(Collective::Allreduce), 5).unwrap();
        ring.for_call(CollectiveCall::Blocks(BlockCollective::Allgatherv), 5).unwrap();
        let error =
            ring.for_call(CollectiveCall::Blocks(BlockCollective::Gatherv), 5).unwrap_err().to_string();
        assert!(error.contains("use linear"), "{error}");
        let missing: Implementation = "./no-such.so:tree".parse().unwrap();
        let error =
            missing.for_call(CollectiveCall::Blocks(BlockCollective::Alltoallv), 2).unwrap_err().to_string();
        assert!(error.contains("./no-such.so: no such file"), "{error}");
    }
}
