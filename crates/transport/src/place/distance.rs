//! How far apart ranks are.

use std::fmt;
use std::str::FromStr;

use panto_schedule::HopShape;

use super::Place;

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

    /// Between two ranks that are not the same.
    pub fn between(a: &Place, b: &Place) -> Self {
        if a.node != b.node {
            Self::Network
        } else if a.cache.is_some() && a.cache == b.cache {
            Self::CoreComplex
        } else {
            Self::Node
        }
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
            format!("there is no distance `{text}`; distances are {names}")
        })
    }
}

/// The shape that these places give: from rank 0 to each rank the [`Distance`] as hops. The few bytes live as long as the
/// program, because shapes are copied everywhere.
pub fn distances_from_first(places: &[Place]) -> HopShape {
    let Some((first, others)) = places.split_first() else { return HopShape::Complete };
    let hops = others.iter().map(|place| Distance::between(first, place).hops() as u32);
    let hops: Vec<u32> = std::iter::once(0).chain(hops).collect();
    HopShape::FromFirst(Vec::leak(hops))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(node: usize, cache: Option<usize>) -> Place {
        Place { node, cache, ..Place::default() }
    }

    #[test]
    fn hosts_are_farther_than_caches() {
        let places =
            [place(0, Some(0)), place(0, Some(0)), place(0, Some(4)), place(1, Some(0)), place(0, None)];
        assert_eq!(distances_from_first(&places), HopShape::FromFirst(&[0, 1, 2, 3, 2]));
        assert_eq!(distances_from_first(&[]), HopShape::Complete);
    }

    #[test]
    fn names_are_read_back() {
        for distance in Distance::ALL {
            assert_eq!(distance.to_string().parse(), Ok(distance));
            assert_eq!(Distance::from_hops(distance.hops()), Some(distance));
        }
        assert!("far".parse::<Distance>().unwrap_err().contains("network"));
    }
}
