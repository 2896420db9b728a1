//! Message contents that can be verified.

use crate::measure::Checked;

/// Fills a buffer with bytes that depend on their index, the sender and the round, so that stale,
/// shifted or misdirected data is detected.
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
    // No early exit within a period, so that the loop vectorises.
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

/// Writes to every cache line of the data before a sample, so that receivers do not find it in
/// their own caches. Short data, which is moved in batches, is left alone.
pub fn write_anew(data: &mut [u8]) {
    if data.len() <= LARGE {
        return;
    }
    data.iter_mut().step_by(CACHE_LINE).for_each(|byte| *byte = std::hint::black_box(*byte));
}

/// Bytes above which a single transfer takes long enough to be timed.
pub const LARGE: usize = 1024;
const CACHE_LINE: usize = 64;

/// Period of the pattern in bytes: prime, so that it does not repeat at powers of two.
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
