//! Numbers of few bytes: seven bits a byte, the lowest first, the eighth says that more follow (LEB128). Differences are taken modulo 2^64 and
//! folded, so that small negative ones are short, too.

/// The most bytes of a number.
const MOST_BYTES: usize = 10;

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
    let mut bytes = [0; MOST_BYTES];
    let mut length = 0;
    while number >= 0x80 {
        bytes[length] = number as u8 | 0x80;
        number >>= 7;
        length += 1;
    }
    bytes[length] = number as u8;
    out.extend_from_slice(&bytes[..=length]);
}

/// Takes a number off the front; none if it does not end, or is too large.
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

/// Appends how far a number is from another.
#[inline]
pub fn put_change(out: &mut Vec<u8>, from: u64, to: u64) {
    let change = to.wrapping_sub(from) as i64;
    put(out, ((change << 1) ^ (change >> 63)) as u64);
}

/// Takes a change off the front; answers what the other number becomes by it.
#[inline]
pub fn take_change(bytes: &mut &[u8], from: u64) -> Option<u64> {
    let folded = take(bytes)?;
    let change = (folded >> 1) as i64 ^ -((folded & 1) as i64);
    Some(from.wrapping_add(change as u64))
}

/// Appends text with its length in front.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Takes text off the front; none if it is cut, or not UTF-8.
pub fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, u64::MAX >> bit]);
        for number in numbers {
            let mut out = Vec::new();
            put(&mut out, number);
            let mut rest = out.as_slice();
            assert_eq!((take(&mut rest), rest), (Some(number), [].as_slice()));
        }
    }

    #[test]
    fn changes_come_back_and_small_ones_are_short() {
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
