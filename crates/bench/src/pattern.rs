//! Bytes that can be checked.

use crate::measure::Checked;

/// Fills with bytes that depend on the place, the sender and the round, so that data that is stale, shifted
/// or somebody else's is noticed.
pub fn fill(buffer: &mut [u8], sender: usize, round: u64) {
    let key = key(sender, round);
    for stretch in buffer.chunks_mut(PERIOD) {
        for (place, byte) in stretch.iter_mut().enumerate() {
            *byte = place as u8 ^ key;
        }
    }
}

/// Checks what [`fill`] wrote.
pub fn check(buffer: &[u8], sender: usize, round: u64) -> Checked {
    let key = key(sender, round);
    // Whole stretches at once, without a way out in the middle: so the compiler makes it fast.
    let differs = |stretch: &[u8]| {
        stretch.iter().enumerate().fold(0, |differs, (place, byte)| differs | (byte ^ place as u8 ^ key)) != 0
    };
    let Some(start) = buffer.chunks(PERIOD).position(differs) else { return Ok(()) };
    let wrong = |place: &usize| buffer[*place] != expected(*place, key);
    match (start * PERIOD..buffer.len()).find(wrong) {
        None => Ok(()),
        Some(place) => Err(format!(
            "byte {place} of {} from rank {sender} is {}, not {}",
            buffer.len(),
            buffer[place],
            expected(place, key)
        )),
    }
}

/// Writes the data for the next sample. Bytes that nobody has written since the last one would still be in the receivers' own
/// caches, and moving them would seem to cost nothing. Short data moves in batches, between which nothing is written.
pub fn write_anew(data: &mut [u8]) {
    if data.len() <= LARGE {
        return;
    }
    data.iter_mut().step_by(CACHE_LINE).for_each(|byte| *byte = std::hint::black_box(*byte));
}

/// Data beyond this takes long enough to be timed alone.
pub const LARGE: usize = 1024;
const CACHE_LINE: usize = 64;

/// Prime, so that the pattern does not repeat at powers of two.
const PERIOD: usize = 251;

fn key(sender: usize, round: u64) -> u8 {
    (sender as u8).wrapping_mul(37) ^ (round as u8).wrapping_mul(101)
}

fn expected(place: usize, key: u8) -> u8 {
    (place % PERIOD) as u8 ^ key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_shifted_and_foreign_bytes_are_noticed() {
        let mut buffer = vec![0; 1000];
        fill(&mut buffer, 3, 5);
        assert_eq!(check(&buffer, 3, 5), Ok(()));
        assert!(check(&buffer, 3, 6).is_err());
        assert!(check(&buffer, 2, 5).is_err());
        assert!(check(&buffer[1..], 3, 5).is_err());
        buffer[999] ^= 1;
        assert!(check(&buffer, 3, 5).unwrap_err().contains("byte 999"));
    }
}
