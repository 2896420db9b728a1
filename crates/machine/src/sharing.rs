//! What messages share on their way: nothing, the ports of their endpoints, or all links.

use std::fmt;
use std::str::FromStr;

/// How much of the network messages share, and so how they delay each other.
///
/// Each level includes the one before. A message without contention takes the same time at all
/// levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Sharing {
    /// Nothing: the time of a message depends on its size and distance alone, as in PUPPET.
    None,
    /// The injection port of the sender and the ejection port of the receiver, as in the `LogGP`
    /// family: the messages of a rank follow each other.
    #[default]
    Endpoints,
    /// Every link of the route.
    Links,
}

impl Sharing {
    /// All levels, from nothing to everything.
    pub const ALL: [Self; 3] = [Self::None, Self::Endpoints, Self::Links];

    /// The name in model files and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Endpoints => "endpoints",
            Self::Links => "links",
        }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no level of sharing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSharing(pub String);

impl fmt::Display for UnknownSharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown sharing `{}`; use none, endpoints or links", self.0)
    }
}

impl std::error::Error for UnknownSharing {}

impl FromStr for Sharing {
    type Err = UnknownSharing;

    /// Parses a level. `fast` and `traffic` are the former names of `none` and `links`.
    fn from_str(text: &str) -> Result<Self, UnknownSharing> {
        match text {
            "none" | "fast" => Ok(Self::None),
            "endpoints" => Ok(Self::Endpoints),
            "links" | "traffic" => Ok(Self::Links),
            _ => Err(UnknownSharing(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for level in Sharing::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert_eq!("traffic".parse(), Ok(Sharing::Links));
        assert!("shared".parse::<Sharing>().is_err());
    }
}
