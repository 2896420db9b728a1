//! Remembers what was found: most messages are as long as one that came before, and a calibrated cost has many pieces.

/// Answers by size and kind. Few are kept: each has one place, which the next takes that has the same.
#[derive(Debug)]
pub(crate) struct Memo<V> {
    places: [Option<(Key, V)>; PLACES],
}

/// A size, and what else matters.
type Key = (u64, u8);

const PLACES: usize = 16;

impl<V: Copy> Memo<V> {
    /// The answer for a key, which is looked for if it is not known.
    #[inline]
    pub(crate) fn get(&mut self, key: Key, find: impl FnOnce() -> V) -> V {
        // The golden ratio spreads sizes that are powers of two or far apart.
        let mixed = (key.0 ^ u64::from(key.1) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = &mut self.places[(mixed >> (u64::BITS - PLACES.ilog2())) as usize];
        match place {
            Some((known, value)) if *known == key => *value,
            _ => place.insert((key, find())).1,
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
    fn answers_are_those_of_their_keys() {
        let (mut memo, mut asked) = (Memo::default(), 0);
        for round in 0..3 {
            for bytes in (0..200).chain((0..63).map(|digit| 1 << digit)) {
                for kind in 0..3 {
                    let answer = memo.get((bytes, kind), || {
                        asked += 1;
                        (bytes, kind)
                    });
                    assert_eq!(answer, (bytes, kind), "in round {round}");
                }
            }
        }
        assert!(asked >= 263 * 3);
        asked = 0;
        for _ in 0..5 {
            memo.get((1 << 40, 7), || {
                asked += 1;
                (0, 0)
            });
        }
        assert_eq!(asked, 1);
    }
}
