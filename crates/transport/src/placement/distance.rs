//! The distance between two ranks, from where they run.

use panto_schedule::{Distance, HopShape};

use super::Placement;

impl Placement {
    /// Returns the distance to another rank's placement.
    pub fn distance_to(&self, other: &Self) -> Distance {
        if self.node != other.node {
            Distance::Network
        } else if self.cache.is_some() && self.cache == other.cache {
            Distance::CoreComplex
        } else {
            Distance::Node
        }
    }
}

/// Returns the hop shape of these placements: the [`Distance`] from rank 0 to each rank, as hops.
/// Leaks a few bytes per rank, because shapes are `Copy` and live as long as the program.
pub fn distances_from_first(places: &[Placement]) -> HopShape {
    let Some((first, others)) = places.split_first() else { return HopShape::Complete };
    let hops = others.iter().map(|place| first.distance_to(place).hops() as u32);
    let hops: Vec<u32> = std::iter::once(0).chain(hops).collect();
    HopShape::FromFirst(Vec::leak(hops))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(node: usize, cache: Option<usize>) -> Placement {
        Placement { node, cache, ..Placement::default() }
    }

    #[test]
    fn hosts_are_farther_than_caches() {
        let places =
            [place(0, Some(0)), place(0, Some(0)), place(0, Some(4)), place(1, Some(0)), place(0, None)];
        assert_eq!(distances_from_first(&places), HopShape::FromFirst(&[0, 1, 2, 3, 2]));
        assert_eq!(distances_from_first(&[]), HopShape::Complete);
    }
}
