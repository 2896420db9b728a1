//! A small direct-mapped cache of computed costs: most messages have the size of a recent one, and
//! a calibrated cost function has many segments to search.

/// Values by size and kind. Each key has one place; a new key replaces the one it collides with.
#[derive(Debug)]
pub(crate) struct Memo<V> {
    places: [Option<(Key, V)>; PLACES],
}

/// A size in bytes, and a number for everything else that the value depends on.
type Key = (u64, u8);

/// Number of places: a power of two.
const PLACES: usize = 16;

impl<V: Copy> Memo<V> {
    /// Returns the value of a key, computed unless it is cached.
    #[inline]
    pub(crate) fn get(&mut self, key: Key, compute: impl FnOnce() -> V) -> V {
        // Fibonacci hashing: multiplying by 2^64 / golden ratio spreads powers of two and their
        // multiples over the highest bits.
        let hash = (key.0 ^ u64::from(key.1) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = &mut self.places[(hash >> (u64::BITS - PLACES.ilog2())) as usize];
        match place {
            Some((cached, value)) if *cached == key => *value,
            _ => place.insert((key, compute())).1,
        }
    }
}

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Self { places: [const { None }; PLACES] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_their_keys() {
        let (mut memo, mut computed) = (Memo::default(), 0);
        for round in 0..3 {
            for bytes in (0..200).chain((0..63).map(|bit| 1 << bit)) {
                for kind in 0..3 {
                    let value = memo.get((bytes, kind), || {
                        computed += 1;
                        (bytes, kind)
                    });
                    assert_eq!(value, (bytes, kind), "in round {round}");
                }
            }
        }
        assert!(computed >= 263 * 3);
        computed = 0;
        for _ in 0..5 {
            memo.get((1 << 40, 7), || {
                computed += 1;
                (0, 0)
            });
        }
        assert_eq!(computed, 1);
    }
}
