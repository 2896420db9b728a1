//! When a block of events is written although it is not full.

/// The age of the first block, in milliseconds.
const FIRST: u64 = 10;

/// The age of later blocks, in milliseconds: a program that calls rarely loses little when it is
/// killed.
const OLDEST: u64 = 1_000;

/// Doublings after which every age is the oldest.
const MAX_DOUBLINGS: u32 = 10;

/// Returns the age, in milliseconds, at which the block with this number is written. Ages double
/// from the first block on, so that a rank that dies early loses half of its run at most.
pub fn block_age(number: u32) -> u64 {
    (FIRST << number.min(MAX_DOUBLINGS)).min(OLDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_block_is_much_longer_than_all_before_it() {
        let mut written = 0;
        for number in 0..200 {
            let age = block_age(number);
            assert!(age <= written + FIRST && age <= OLDEST, "block {number}: {age} ms after {written} ms");
            written += age;
        }
        assert_eq!(block_age(u32::MAX), OLDEST);
    }
}
