//! Numbers of few bytes: seven bits a byte, the lowest first, the eighth says that more follow (LEB128). Signed ones are folded first, so
//! that small negative numbers are short, too.

/// How many varying parts share a mask that says which of them differ: as many as fit a number of one byte.
pub const GROUP: usize = 7;

/// Appends a number.
#[inline]
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; none if it does not end, or is too large.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(u64::from(first));
    }
    take_rest(bytes, u64::from(first & 0x7f))
}

fn take_rest(bytes: &mut &[u8], mut number: u64) -> Option<u64> {
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

/// Folds a signed number: 0, -1, 1, -2 become 0, 1, 2, 3.
#[inline]
pub fn fold(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// The signed number that was folded.
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

/// Appends bytes with their number in front.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes bytes with their number in front.
pub fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put(&mut out, number);
            assert_eq!(take(&mut out.as_slice()), Some(number));
        }
        for number in [0, -1, 1, -64, 63, 64, i64::MIN, i64::MAX] {
            assert_eq!(unfold(fold(number)), number);
        }
        assert_eq!((fold(-1), fold(1)), (1, 2));
    }

    #[test]
    fn endless_and_oversized_numbers_are_refused() {
        assert_eq!(take(&mut [0x80].as_slice()), None);
        assert_eq!(take(&mut [0xff; 11].as_slice()), None);
        let mut oversized = [0xff; 10];
        oversized[9] = 0x02;
        assert_eq!(take(&mut oversized.as_slice()), None);
    }
}
