//! Variable-length numbers: unsigned LEB128, and zigzag for signed ones.
//!
//! Seven bits a byte, the lowest first; the eighth bit says that more bytes follow. Signed numbers
//! are folded first (0, -1, 1, -2 become 0, 1, 2, 3), so that small negative numbers are short,
//! too. Differences are taken modulo 2^64 and folded.

/// The most bytes of a 64-bit number.
const MAX_BYTES: usize = 10;

/// Appends a number.
#[inline]
pub fn put(out: &mut Vec<u8>, number: u64) {
    if number < 0x80 {
        out.push(number as u8);
    } else {
        put_long(out, number);
    }
}

fn put_long(out: &mut Vec<u8>, mut number: u64) {
    let mut bytes = [0; MAX_BYTES];
    let mut length = 0;
    while number >= 0x80 {
        bytes[length] = number as u8 | 0x80;
        number >>= 7;
        length += 1;
    }
    bytes[length] = number as u8;
    out.extend_from_slice(&bytes[..=length]);
}

/// Takes a number off the front; none if it does not end or exceeds 64 bits.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 { Some(u64::from(first)) } else { take_long(bytes, u64::from(first & 0x7f)) }
}

fn take_long(bytes: &mut &[u8], mut number: u64) -> Option<u64> {
    for shift in (7..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Folds a signed number (zigzag): 0, -1, 1, -2 become 0, 1, 2, 3.
#[inline]
pub fn fold(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Returns the signed number that was folded.
#[inline]
pub fn unfold(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Appends a signed number.
#[inline]
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, fold(number));
}

/// Takes a signed number off the front.
#[inline]
pub fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    take(bytes).map(unfold)
}

/// Appends the difference between two numbers.
#[inline]
pub fn put_change(out: &mut Vec<u8>, from: u64, to: u64) {
    put_signed(out, to.wrapping_sub(from) as i64);
}

/// Takes a difference off the front; returns `from` plus it.
#[inline]
pub fn take_change(bytes: &mut &[u8], from: u64) -> Option<u64> {
    take_signed(bytes).map(|change| from.wrapping_add(change as u64))
}

/// Appends bytes after their length.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes bytes after their length; none if they are cut.
pub fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Appends text after its length in bytes.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

/// Takes text after its length; none if it is cut or not UTF-8.
pub fn take_text(bytes: &mut &[u8]) -> Option<String> {
    std::str::from_utf8(take_bytes(bytes)?).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        let numbers = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, u64::MAX >> bit]);
        for number in numbers {
            let mut out = Vec::new();
            put(&mut out, number);
            let mut rest = out.as_slice();
            assert_eq!((take(&mut rest), rest), (Some(number), [].as_slice()));
        }
        for number in [0, -1, 1, -64, 63, 64, i64::MIN, i64::MAX] {
            assert_eq!(unfold(fold(number)), number);
        }
        assert_eq!((fold(-1), fold(1)), (1, 2));
    }

    #[test]
    fn changes_are_read_back_and_small_ones_are_short() {
        for (from, to) in [(0, 0), (5, 4), (4, 5), (0, u64::MAX), (u64::MAX, 0), (1 << 63, 3)] {
            let mut out = Vec::new();
            put_change(&mut out, from, to);
            assert_eq!(take_change(&mut out.as_slice(), from), Some(to));
        }
        let mut out = Vec::new();
        put_change(&mut out, 1_000_000, 999_950);
        assert_eq!(out.len(), 1);
    }

    #[test]
    fn endless_and_oversized_numbers_are_refused() {
        assert_eq!(take(&mut [0x80].as_slice()), None);
        assert_eq!(take(&mut [0xff; 11].as_slice()), None);
        let mut oversized = [0xff; 10];
        oversized[9] = 0x02;
        assert_eq!(take(&mut oversized.as_slice()), None);
        assert_eq!(take_text(&mut [3, b'a', b'b'].as_slice()), None);
        assert_eq!(take_text(&mut [1, 0xff].as_slice()), None);
    }
}
