//! JSON Lines with a checksum in each line.
//!
//! The last field of a sealed line is `"crc":"1a2b3c4d"`, the CRC-32 of all bytes before its comma.
//! Readers of JSON see an object with one more field. Lines without the field, by earlier versions
//! or other programs, are valid and unchecked.

use crate::{Sound, checksum};

const START: &[u8] = b",\"crc\":\"";
const DIGITS: usize = 8;
const END: &[u8] = b"\"}";
const LENGTH: usize = START.len() + DIGITS + END.len();

/// The number of bytes of the field's fixed text that may differ in a line whose field is damaged.
const MOST_DAMAGED: usize = 1;

/// Returns an object of JSON as a line with its checksum, and the end of the line.
pub fn seal(object: &str) -> String {
    let body = object.strip_suffix('}').unwrap_or(object);
    format!("{body},\"crc\":\"{:08x}\"}}\n", checksum(&[body.as_bytes()]))
}

/// Checks a line, with or without its end. Returns whether it has a checksum.
pub fn check(line: &[u8]) -> Sound<bool> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let Some((body, field)) = line.len().checked_sub(LENGTH).map(|at| line.split_at(at)) else {
        return Ok(false);
    };
    let (start, rest) = field.split_at(START.len());
    let (digits, end) = rest.split_at(DIGITS);
    let fixed = start.iter().zip(START).chain(end.iter().zip(END));
    match fixed.filter(|(found, written)| found != written).count() {
        0 if *digits == *format!("{:08x}", checksum(&[body])).as_bytes() => Ok(true),
        0..=MOST_DAMAGED => Err("the checksum of the line does not match"),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let line = seal(r#"{"key":"a","value":[1.5,2]}"#);
        assert_eq!(line, "{\"key\":\"a\",\"value\":[1.5,2],\"crc\":\"deb420f3\"}\n");
        assert_eq!(check(line.as_bytes()), Ok(true));
        assert_eq!(check(line.trim_end().as_bytes()), Ok(true));
        for bit in 0..8 * (line.len() - 1) {
            let mut damaged = line.clone().into_bytes();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn lines_without_a_checksum_are_left_alone() {
        for line in
            ["", "{}", "{\"key\":1}\n", "{\"crc\":1,\"name\":\"12345678\"}\n", "no JSON, but long enough\n"]
        {
            assert_eq!(check(line.as_bytes()), Ok(false), "{line}");
        }
    }
}
