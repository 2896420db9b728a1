//! Bytes that can be checked.

use crate::measure::Checked;

/// Fills with bytes that depend on the place, the sender and the round, so that data that is stale, shifted
/// or somebody else's is noticed.
pub fn fill(buffer: &mut [u8], sender: usize, round: u64) {
    for (place, byte) in buffer.iter_mut().enumerate() {
        *byte = expected(place, sender, round);
    }
}

/// Checks what [`fill`] wrote.
pub fn check(buffer: &[u8], sender: usize, round: u64) -> Checked {
    let wrong = |&(place, &byte): &(usize, &u8)| byte != expected(place, sender, round);
    match buffer.iter().enumerate().find(wrong) {
        None => Ok(()),
        Some((place, byte)) => Err(format!(
            "byte {place} of {} from rank {sender} is {byte}, not {}",
            buffer.len(),
            expected(place, sender, round)
        )),
    }
}

/// 251 is prime, so the pattern does not repeat at powers of two.
fn expected(place: usize, sender: usize, round: u64) -> u8 {
    ((place % 251) as u8) ^ (sender as u8).wrapping_mul(37) ^ (round as u8).wrapping_mul(101)
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
