//! Words of up to eight bytes as one number: comparison and conversion without loops.

/// A keyword.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    text: &'static str,
    bytes: u64,
}

impl Word {
    pub const fn new(text: &'static str) -> Self {
        Self { text, bytes: first_bytes(text.as_bytes(), text.len()) }
    }

    pub fn text(self) -> &'static str {
        self.text
    }

    /// Returns whether a text is this word, given its first bytes.
    #[inline]
    pub fn matches(self, text: &[u8], bytes: u64) -> bool {
        bytes == self.bytes
            && text.len() == self.text.len()
            && (self.text.len() <= 8 || text == self.text.as_bytes())
    }
}

/// Returns the first eight bytes of a text of this length as a number, the first byte in the lowest
/// bits, and zero behind the end of the text. `bytes` may be longer than the text.
#[inline]
pub const fn first_bytes(bytes: &[u8], length: usize) -> u64 {
    let keep = if length < 8 { length } else { 8 };
    if let Some(first) = bytes.first_chunk() {
        return u64::from_le_bytes(*first) & low_bytes(keep);
    }
    let (mut value, mut at) = (0, 0);
    while at < keep {
        value |= (bytes[at] as u64) << (8 * at);
        at += 1;
    }
    value
}

/// Returns a mask of the lowest bytes, up to eight.
#[inline]
pub const fn low_bytes(count: usize) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - 8 * count) }
}

/// Returns the value of decimal digits; `None` for anything else and above 64 bits. `bytes` are the
/// first bytes of the digits.
#[inline]
pub fn decimal(digits: &[u8], bytes: u64) -> Option<u64> {
    match digits.len() {
        0 => None,
        length @ 1..=8 => eight_digits(bytes, length),
        _ => long_decimal(digits),
    }
}

/// Converts one to eight digits, by adding neighbours pairwise in parallel.
#[inline]
fn eight_digits(bytes: u64, length: usize) -> Option<u64> {
    const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0xf0; 8]);
    const CARRY: u64 = u64::from_ne_bytes([6; 8]);
    // Leading zeros make eight digits of any number of them; the first digit is in the lowest byte.
    let text = bytes << (64 - 8 * length) | (ZEROS & low_bytes(8 - length));
    if text & HIGH != ZEROS || text.wrapping_add(CARRY) & HIGH != ZEROS {
        return None;
    }
    let digits = text & !HIGH;
    let pairs = (digits.wrapping_mul(10 * 256 + 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 * 65_536 + 1) >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000 * (1 << 32) + 1) >> 32)
}

#[cold]
fn long_decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<u64> {
        decimal(text.as_bytes(), first_bytes(text.as_bytes(), text.len()))
    }

    #[test]
    fn decimals_of_all_lengths() {
        for length in 1..=20 {
            let digits: String = "98765432109876543210".chars().rev().take(length).collect();
            assert_eq!(value(&digits), digits.parse().ok(), "{digits}");
            assert_eq!(value(&"0".repeat(length)), Some(0));
            assert_eq!(value(&"9".repeat(length)), "9".repeat(length).parse().ok());
            for place in 0..length {
                for other in [b'/', b':', b'-', b' ', 0, b'p', b'a', 0xb5] {
                    let mut bytes = digits.clone().into_bytes();
                    bytes[place] = other;
                    assert_eq!(decimal(&bytes, first_bytes(&bytes, length)), None, "{digits} {other}");
                }
            }
        }
        assert_eq!((value(""), value("18446744073709551615")), (None, Some(u64::MAX)));
        assert_eq!(value("18446744073709551616"), None);
    }

    #[test]
    fn words_match_themselves_alone() {
        let words = ["rank", "requires", "irequires", "b", "}"].map(Word::new);
        for word in words {
            for text in ["rank", "ranks", "ran", "requires", "requires1", "irequires", "irequireS", "b", "}"]
            {
                let bytes = first_bytes(text.as_bytes(), text.len());
                assert_eq!(word.matches(text.as_bytes(), bytes), word.text() == text, "{text}");
            }
        }
        let padded = first_bytes(b"rank 12345", 4);
        assert!(Word::new("rank").matches(b"rank", padded));
    }
}
