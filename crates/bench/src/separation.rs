//! How far apart the two ranks of a point are (C3).

use std::fmt;

use panto_transport::Distance;

use crate::point::{Point, param};

/// How far apart two ranks are. The order is that of the distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Separation {
    /// By where they run.
    Placed(Distance),
    /// So many hops, where nothing else is known.
    Hops(u64),
}

impl Separation {
    /// Is it a rank and itself?
    pub fn is_itself(self) -> bool {
        matches!(self, Self::Placed(Distance::Itself) | Self::Hops(0))
    }

    /// As hops, from 0: the higher, the farther.
    pub(crate) fn hops(self) -> usize {
        match self {
            Self::Placed(distance) => distance.hops(),
            Self::Hops(hops) => hops as usize,
        }
    }

    /// The shortest way to another rank; to the rank itself if there is no other.
    pub fn nearest(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.min_by_key(|separation| (separation.is_itself(), *separation))
    }
}

/// As it stands behind other words: `1 hop`, `over the network`.
impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Placed(Distance::Itself) | Self::Hops(0) => f.write_str("to itself"),
            Self::Placed(Distance::CoreComplex) => f.write_str("within a core complex"),
            Self::Placed(Distance::Node) => f.write_str("within a node"),
            Self::Placed(Distance::Network) => f.write_str("over the network"),
            Self::Hops(1) => f.write_str("1 hop"),
            Self::Hops(hops) => write!(f, "{hops} hops"),
        }
    }
}

impl Point {
    /// The same between two ranks that are so far apart.
    #[must_use]
    pub fn apart(self, separation: Separation) -> Self {
        match separation {
            Separation::Placed(distance) => self.with_text(param::DISTANCE, &distance.to_string()),
            Separation::Hops(hops) => self.with(param::HOPS, hops),
        }
    }

    /// How far apart the two ranks are, where it is a pattern between two.
    pub fn separation(&self) -> Option<Separation> {
        let distance = self.text(param::DISTANCE).parse().ok().map(Separation::Placed);
        distance.or_else(|| self.number(param::HOPS).map(Separation::Hops))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_knows_how_far_its_ranks_are() {
        let placed = Distance::ALL.map(Separation::Placed);
        for separation in placed.into_iter().chain([0, 1, 7].map(Separation::Hops)) {
            assert_eq!(Point::new(2).apart(separation).separation(), Some(separation));
        }
        assert_eq!(Point::new(2).separation(), None);
        assert_eq!(Point::new(2).with_text(param::DISTANCE, "far").separation(), None);
    }

    #[test]
    fn the_nearest_is_another_rank_if_there_is_one() {
        let hops = |all: &[u64]| Separation::nearest(all.iter().copied().map(Separation::Hops));
        assert_eq!(hops(&[3, 0, 2]), Some(Separation::Hops(2)));
        assert_eq!(hops(&[0]), Some(Separation::Hops(0)));
        assert_eq!(hops(&[]), None);
        let placed = [Distance::Network, Distance::Itself, Distance::Node].map(Separation::Placed);
        assert_eq!(Separation::nearest(placed.into_iter()), Some(Separation::Placed(Distance::Node)));
    }
}
