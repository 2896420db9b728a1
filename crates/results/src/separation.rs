//! The distance between the two ranks of a point (C3).

use std::fmt;

use panto_schedule::Distance;

use crate::point::{Point, param};

/// The distance between two ranks, ordered from near to far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Separation {
    /// The distance that follows from where the ranks run.
    Placed(Distance),
    /// The number of hops, where the placement is unknown.
    Hops(u64),
}

impl Separation {
    /// Returns whether it is the distance of a rank to itself.
    pub fn is_itself(self) -> bool {
        matches!(self, Self::Placed(Distance::Itself) | Self::Hops(0))
    }

    /// Returns the distance as a number of hops, from 0.
    pub fn hops(self) -> usize {
        match self {
            Self::Placed(distance) => distance.hops(),
            Self::Hops(hops) => hops as usize,
        }
    }

    /// Returns the shortest distance to another rank, or to the rank itself if there is no other.
    pub fn nearest(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.min_by_key(|separation| (separation.is_itself(), *separation))
    }
}

/// Formats the distance for the end of a phrase: `1 hop`, `over the network`.
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
    /// Returns the point with the distance between its two ranks.
    #[must_use]
    pub fn apart(self, separation: Separation) -> Self {
        match separation {
            Separation::Placed(distance) => self.with_text(param::DISTANCE, &distance.to_string()),
            Separation::Hops(hops) => self.with(param::HOPS, hops),
        }
    }

    /// Returns the distance between the two ranks, for patterns between two.
    pub fn separation(&self) -> Option<Separation> {
        let distance = self.text(param::DISTANCE).parse().ok().map(Separation::Placed);
        distance.or_else(|| self.number(param::HOPS).map(Separation::Hops))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separations_of_points_are_read_back() {
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
