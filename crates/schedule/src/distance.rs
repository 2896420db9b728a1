//! How far apart ranks are.

use std::fmt;
use std::str::FromStr;

/// How far apart two ranks are. The order is that of the distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Distance {
    /// A rank and itself.
    Itself,
    /// Both are bound to cores that share their last-level cache.
    CoreComplex,
    /// Both are on one host.
    Node,
    /// They are on different hosts.
    Network,
}

impl Distance {
    /// All of them, from near to far.
    pub const ALL: [Self; 4] = [Self::Itself, Self::CoreComplex, Self::Node, Self::Network];

    /// As a number of hops, from 0: the higher, the farther.
    pub fn hops(self) -> usize {
        self as usize
    }

    /// What [`hops`](Self::hops) gave.
    pub fn from_hops(hops: usize) -> Option<Self> {
        Self::ALL.get(hops).copied()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Itself => "itself",
            Self::CoreComplex => "core-complex",
            Self::Node => "node",
            Self::Network => "network",
        }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Distance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|distance| distance.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown distance `{text}`; use {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for distance in Distance::ALL {
            assert_eq!(distance.to_string().parse(), Ok(distance));
            assert_eq!(Distance::from_hops(distance.hops()), Some(distance));
        }
        assert!("far".parse::<Distance>().unwrap_err().contains("network"));
    }
}
