//! Default sizes and numbers of ranks of sweeps.

use panto_random::SplitMix64;

/// Largest default size in bytes: beyond a page (C4), and large enough for every protocol.
const LARGEST: u64 = 4 << 20;

/// Returns 0, the powers of two up to `largest`, and a random size between each two of them, since
/// powers of two alone hide where a protocol changes.
pub fn message_sizes(largest: u64, seed: u64) -> Vec<u64> {
    let mut rng = SplitMix64::new(seed);
    let mut sizes = vec![0];
    let mut power = 1;
    while power <= largest {
        sizes.push(power);
        if power >= 8 && power < largest {
            sizes.push((power as f64 * 2_f64.powf(rng.unit())) as u64);
        }
        power *= 2;
    }
    sizes.dedup();
    sizes
}

/// Returns the default sizes of a point-to-point kernel.
pub fn default_sizes(seed: u64) -> Vec<u64> {
    message_sizes(LARGEST, seed)
}

/// Returns the powers of two from 2 up to `largest`, and `largest` itself.
pub fn rank_counts(largest: usize) -> Vec<usize> {
    let powers = (1..).map(|power| 1 << power).take_while(|&ranks| ranks < largest);
    powers.chain(std::iter::once(largest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_ascending_and_repeatable() {
        let sizes = message_sizes(1 << 16, 7);
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(sizes, message_sizes(1 << 16, 7));
        assert_ne!(sizes, message_sizes(1 << 16, 8));
        assert_eq!((sizes.first(), sizes.last()), (Some(&0), Some(&(1 << 16))));
    }

    #[test]
    fn rank_counts_end_with_all() {
        assert_eq!(rank_counts(6), [2, 4, 6]);
        assert_eq!(rank_counts(8), [2, 4, 8]);
        assert_eq!(rank_counts(2), [2]);
        assert_eq!(rank_counts(1), [1]);
    }
}
