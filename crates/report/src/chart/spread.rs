//! Places labels that would overlap.

/// Returns positions for labels as close as possible to `desired`, at least `gap` apart and from
/// `low` to `high`, in the same order. The sum of squared displacements is minimal: labels in
/// conflict form blocks centred on the mean of their members' desired positions, the
/// pool-adjacent-violators algorithm of isotonic regression (Barlow, Bartholomew, Bremner and
/// Brunk, "Statistical Inference under Order Restrictions", 1972). O(n log n). If there is not
/// enough room, labels keep their distance and continue below `high`.
pub(super) fn spread(desired: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..desired.len()).collect();
    order.sort_by(|&a, &b| desired[a].total_cmp(&desired[b]));
    let mut blocks: Vec<Block> = Vec::new();
    for &index in &order {
        let mut block = Block::new(desired[index], gap, low, high);
        while let Some(above) = blocks.pop_if(|above| above.end() > block.start()) {
            block = above.joined(&block);
        }
        blocks.push(block);
    }
    let places = blocks.iter().flat_map(Block::places);
    let mut result = vec![0.0; desired.len()];
    order.iter().zip(places).for_each(|(&index, place)| result[index] = place);
    result
}

struct Block {
    members: usize,
    /// Sum of the block's start positions that its members desire.
    wanted: f64,
    gap: f64,
    bounds: (f64, f64),
}

impl Block {
    fn new(wanted: f64, gap: f64, low: f64, high: f64) -> Self {
        Self { members: 1, wanted, gap, bounds: (low, high) }
    }

    fn start(&self) -> f64 {
        let last_start = self.bounds.1 - (self.members - 1) as f64 * self.gap;
        (self.wanted / self.members as f64).min(last_start).max(self.bounds.0)
    }

    fn end(&self) -> f64 {
        self.start() + self.members as f64 * self.gap
    }

    fn joined(self, below: &Self) -> Self {
        let moved = below.wanted - (self.members * below.members) as f64 * self.gap;
        Self { members: self.members + below.members, wanted: self.wanted + moved, ..self }
    }

    fn places(&self) -> impl Iterator<Item = f64> {
        let (start, gap) = (self.start(), self.gap);
        (0..self.members).map(move |i| start + i as f64 * gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_room_stay() {
        assert_eq!(spread(&[50.0, 10.0], 10.0, 0.0, 100.0), [50.0, 10.0]);
    }

    #[test]
    fn labels_in_conflict_share_the_movement() {
        assert_eq!(spread(&[50.0, 50.0], 10.0, 0.0, 100.0), [45.0, 55.0]);
        assert_eq!(spread(&[0.0, 0.0], 10.0, 0.0, 100.0), [0.0, 10.0]);
        assert_eq!(spread(&[100.0, 100.0, 100.0], 10.0, 0.0, 100.0), [80.0, 90.0, 100.0]);
    }

    #[test]
    fn distances_are_kept_for_any_positions() {
        for seed in 0..200_u64 {
            let wanted: Vec<f64> = (0..6).map(|i| ((seed * 7919 + i * 104_729) % 101) as f64).collect();
            let mut places = spread(&wanted, 12.0, 0.0, 100.0);
            places.sort_by(f64::total_cmp);
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 12.0 - 1e-9), "{wanted:?} {places:?}");
            assert!(places[0] >= 0.0 && places[5] <= 100.0 + 1e-9);
        }
    }
}
